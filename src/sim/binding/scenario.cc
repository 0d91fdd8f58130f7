#include "sim/binding/scenario.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "rt/cancel.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/time.h"
#include "sim/binding/judge.h"
#include "sim/binding/mistakes.h"
#include "sim/binding/orders.h"
#include "sim/binding/process.h"
#include "sim/machines.h"
#include "sim/suite.h"
#include "world/cluster.h"
#include "world/faults.h"

namespace berth::sim::binding {
namespace {

using std::chrono::minutes;

constexpr rt::Duration kTraffic = minutes(3);
// Every lease, back-off and held failure has come to its end by then.
constexpr rt::Duration kCalm = minutes(15);
// Short, so that watches often fall behind it.
constexpr std::size_t kHistory = 60;

class Scenario {
 public:
  Scenario(const SeedOptions& options, Mistake mistake)
      : mistake_(mistake),
        simulation_(options.seed),
        faults_(simulation_.random().fork(), options.faults, options.crash_at),
        cluster_(simulation_, faults_, kHistory),
        judge_(cluster_),
        orders_(cluster_),
        machines_(cluster_,
                  clocks_,
                  {.start = [this](ProgramStart start) -> std::unique_ptr<Program> {
                     return std::make_unique<Process>(std::move(start), cluster_, judge_, mistake_);
                   },
                   .on_step = [this](std::size_t leaders) { judge_.leaders(leaders); },
                   .on_stalled = [this](const std::string& what) { judge_.stalled(what); }}),
        scope_(simulation_, "driver") {
    simulation_.trace().write_to(options.trace);
  }

  SeedReport run() {
    orders_.make_nodes();
    machines_.start();
    scope_.spawn("orders", orders_.run(traffic_.token()));
    if (machines_.run_for(kTraffic)) {
      traffic_.cancel();
      faults_.stop();
      if (machines_.run_for(kCalm)) {
        judge_.check_end();
      }
    }
    return {.violations = judge_.violations(),
            .faults = faults_.counts(),
            .late_writes = judge_.late_writes(),
            .writes = faults_.writes(),
            .trace_hash = simulation_.trace().hash(),
            .simulated = simulation_.now().time_since_epoch()};
  }

 private:
  // Constant after construction.
  Mistake mistake_;

  rt::Simulation simulation_;
  world::Faults faults_;
  Clocks clocks_;
  world::Cluster cluster_;
  Judge judge_;
  Orders orders_;
  Machines machines_;
  rt::CancelSource traffic_;
  rt::Scope scope_;
};

}  // namespace

SeedReport run(const SeedOptions& options) {
  return run_with(Mistake::kNone, options);
}

SeedReport run_with(Mistake mistake, const SeedOptions& options) {
  return Scenario(options, mistake).run();
}

}  // namespace berth::sim::binding
