#include "sim/informers/scenario.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rt/cancel.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/time.h"
#include "sim/informers/follower.h"
#include "sim/informers/judge.h"
#include "sim/informers/mistakes.h"
#include "sim/informers/traffic.h"
#include "sim/machines.h"
#include "sim/suite.h"
#include "world/cluster.h"
#include "world/faults.h"

namespace berth::sim::informers {
namespace {

using std::chrono::minutes;

constexpr rt::Duration kTraffic = minutes(2);
// Everything that was delayed, backed off or being elected has come to its end by then.
constexpr rt::Duration kCalm = minutes(15);
constexpr int kWriters = 3;
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
        machines_(cluster_,
                  clocks_,
                  {.start = [this](ProgramStart start) { return follower(std::move(start)); },
                   .on_step = [this](std::size_t leaders) { judge_.fences_up(leaders); },
                   .on_stalled = [this](const std::string& what) { judge_.stalled(what); }}),
        scope_(simulation_, "driver") {
    simulation_.trace().write_to(options.trace);
  }

  SeedReport run() {
    machines_.start();
    for (int i = 0; i < kWriters; ++i) {
      writers_.push_back(std::make_unique<Traffic>(cluster_, fmt::format("writer-{}", i)));
      scope_.spawn("writer", writers_.back()->run(traffic_.token()));
    }
    if (machines_.run_for(kTraffic)) {
      traffic_.cancel();
      faults_.stop();
      if (machines_.run_for(kCalm)) {
        check_end();
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
  std::unique_ptr<Program> follower(ProgramStart start) {
    return std::make_unique<Follower>(
        std::move(start),
        cluster_,
        judge_,
        Follower::Options{.mistake = mistake_,
                          .streams_initial_events = simulation_.random().one_in(2)});
  }

  void check_end() {
    int leaders = 0;
    for (Program* program : machines_.programs()) {
      const auto* follower = static_cast<const Follower*>(program);
      if (follower == nullptr || !follower->has_synced()) {
        judge_.stalled("at the end a process does not follow");
        continue;
      }
      leaders += follower->is_leader() ? 1 : 0;
      judge_.check_follower(follower->name(), follower->holds());
    }
    if (leaders != 1) {
      judge_.stalled(fmt::format("at the end there are {} leaders", leaders));
    }
    judge_.check_wishes();
  }

  // Constant after construction.
  Mistake mistake_;

  rt::Simulation simulation_;
  world::Faults faults_;
  Clocks clocks_;
  world::Cluster cluster_;
  Judge judge_;
  Machines machines_;
  std::vector<std::unique_ptr<Traffic>> writers_;
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

}  // namespace berth::sim::informers
