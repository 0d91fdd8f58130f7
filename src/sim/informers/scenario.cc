#include "sim/informers/scenario.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rt/random.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "sim/informers/follower.h"
#include "sim/informers/judge.h"
#include "sim/informers/mistakes.h"
#include "sim/informers/traffic.h"
#include "sim/suite.h"
#include "world/cluster.h"
#include "world/faults.h"

namespace berth::sim::informers {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr rt::Duration kTraffic = minutes(2);
// Everything that was delayed, backed off or being elected has come to its end by then.
constexpr rt::Duration kCalm = minutes(15);
// A leader waits for its writes in flight, at the longest until its renew deadline by its own
// clock.
constexpr rt::Duration kOrderlyEnd = seconds(30);
constexpr int kWriters = 3;
// Short, so that watches often fall behind it.
constexpr std::size_t kHistory = 60;

rt::SimulatedProcess::Clock draw_clock(world::Faults& faults) {
  if (!faults.hits(world::Fault::kClockSkew)) {
    return {};
  }
  return {.offset = faults.random().between(seconds(-600), seconds(600)),
          // 15 s of lease and 10 s of renew deadline bear clocks that differ by a third.
          .ppm = faults.random().between(std::int64_t{-100'000}, std::int64_t{100'000})};
}

class Scenario {
 public:
  Scenario(const SeedOptions& options, Mistake mistake)
      : mistake_(mistake),
        simulation_(options.seed),
        faults_(simulation_.random().fork(), options.faults, options.crash_at),
        cluster_(simulation_, faults_, kHistory),
        judge_(cluster_),
        scope_(simulation_, "driver") {
    simulation_.trace().write_to(options.trace);
  }

  SeedReport run() {
    for (std::size_t i = 0; i < kProcesses; ++i) {
      start(i);
    }
    for (int i = 0; i < kWriters; ++i) {
      writers_.push_back(std::make_unique<Traffic>(cluster_, fmt::format("writer-{}", i)));
      scope_.spawn("writer", writers_.back()->run(traffic_.token()));
    }
    scope_.spawn("trouble", make_trouble());
    if (run_for(kTraffic)) {
      traffic_.cancel();
      faults_.stop();
      if (run_for(kCalm)) {
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
  static constexpr std::size_t kProcesses = 2;

  // A machine on which processes follow each other.
  struct Place {
    std::unique_ptr<rt::SimulatedProcess> process;
    std::unique_ptr<Follower> follower;
    int starts = 0;
    bool wants_crash = false;
  };

  void start(std::size_t index) {
    Place& place = places_[index];
    processes_.push_back(std::make_unique<rt::SimulatedProcess>(simulation_, draw_clock(faults_)));
    Follower::Options options{
        .name = fmt::format("p{}-{}", index, ++place.starts),
        .mistake = mistake_,
        .streams_initial_events = simulation_.random().one_in(2),
        .crash = [&place] { place.wants_crash = true; },
    };
    simulation_.note(options.name, "starts");
    place.follower =
        std::make_unique<Follower>(*processes_.back(), cluster_, judge_, std::move(options));
  }

  rt::Task<void> restart(std::size_t index) {
    const rt::Duration pause = simulation_.random().between(milliseconds(10), seconds(20));
    co_await rt::sleep_for(simulation_, pause, {});
    start(index);
  }

  // Runs, and ends processes that crash before virtual time goes on. False when time does not go on
  // any more.
  bool run_for(rt::Duration duration) {
    const rt::Time end = simulation_.now() + duration;
    while (simulation_.step(end)) {
      std::size_t fences_up = 0;
      for (std::size_t i = 0; i < kProcesses; ++i) {
        Place& place = places_[i];
        if (place.wants_crash) {
          place.wants_crash = false;
          place.follower.reset();
          scope_.spawn("restart", restart(i));
        }
        fences_up += place.follower != nullptr && place.follower->is_leader() ? 1 : 0;
      }
      judge_.fences_up(fences_up);
    }
    if (simulation_.is_stuck()) {
      judge_.stalled("nothing moves on any more");
      return false;
    }
    simulation_.run_until(end);
    return true;
  }

  // Kills that no write brings about, orderly ends, and a history that is forgotten.
  rt::Task<void> make_trouble() {
    while (!faults_.is_stopped()) {
      const rt::Duration pause = simulation_.random().between(milliseconds(100), seconds(10));
      co_await rt::sleep_for(simulation_, pause, {});
      if (faults_.hits(world::Fault::kCompaction)) {
        simulation_.note("store", "forgets its history");
        cluster_.store().compact(cluster_.store().resource_version());
      }
      const std::size_t index = simulation_.random().below(kProcesses);
      if (places_[index].follower != nullptr && faults_.draws_crashes() &&
          simulation_.random().one_in(8)) {
        co_await end_process(index);
      }
    }
  }

  rt::Task<void> end_process(std::size_t index) {
    Place& place = places_[index];
    const int start = place.starts;
    if (simulation_.random().one_in(2)) {
      simulation_.note(place.follower->name(), "is asked to end");
      place.follower->cancel();
      co_await rt::sleep_for(simulation_, kOrderlyEnd, {});
      if (place.follower == nullptr || place.starts != start) {
        co_return;  // it crashed meanwhile
      }
      if (!place.follower->has_ended()) {
        judge_.stalled(place.follower->name() + " does not end when it is asked to");
      }
    }
    simulation_.note(place.follower->name(), "is ended");
    place.wants_crash = true;
  }

  void check_end() {
    int leaders = 0;
    for (const Place& place : places_) {
      if (place.follower == nullptr || !place.follower->has_synced()) {
        judge_.stalled("at the end a process does not follow");
        continue;
      }
      leaders += place.follower->is_leader() ? 1 : 0;
      judge_.check_follower(place.follower->name(), place.follower->holds());
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
  // Clocks outlive the processes that ran by them: their writes may still be under way.
  std::vector<std::unique_ptr<rt::SimulatedProcess>> processes_;
  world::Cluster cluster_;
  Judge judge_;
  std::array<Place, kProcesses> places_;
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
