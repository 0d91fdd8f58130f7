// A runtime whose time is a number: nothing waits for real, and a run is a function of its seed.
//
//   Simulation simulation(seed);
//   SimulatedProcess process(simulation, {.offset = 2s, .ppm = 100});
//   Scope scope(process, "binder");
//   ...
//   simulation.run_for(10min);
//   if (simulation.is_stuck()) { print(simulation.stuck_report()); }
//
// Time moves when nobody can run, to the next deadline. Which of several ready coroutines runs
// first is drawn from the seed. Tasks that wake each other without end would keep it from moving:
// after some number of steps at one moment the run is stuck.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "rt/pool.h"
#include "rt/random.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/time.h"

namespace berth::rt {

// What a run did, line by line. Always hashed, so that two runs can be compared; written only where
// somebody wants to read it.
class Trace {
 public:
  using Sink = std::function<void(std::string_view line)>;

  void write_to(Sink sink) { sink_ = std::move(sink); }
  void add(Time time, std::string_view line);

  std::uint64_t hash() const { return hash_; }
  std::uint64_t lines() const { return lines_; }

 private:
  Sink sink_;
  std::uint64_t hash_ = 0xcbf29ce484222325;
  std::uint64_t lines_ = 0;
};

// The true clock of a run and everything that waits for it. Is a runtime itself: that of whoever
// stands outside of all processes.
class Simulation final : public Runtime {
 public:
  // A moment of a whole cluster takes some thousand steps.
  static constexpr std::uint64_t kStepsPerMomentMax = 1'000'000;

  explicit Simulation(std::uint64_t seed, std::uint64_t steps_per_moment_max = kStepsPerMomentMax);
  ~Simulation() override;

  Time now() const override { return reactor_.now(); }
  WallTime wall_now() const override;
  Random& random() override { return random_; }
  Pool& pool() override { return pool_; }
  Trace& trace() { return trace_; }
  // Adds a line of `who` to the trace, at the present time.
  void note(std::string_view who, std::string_view what);

  // One coroutine resumed, or time moved to the next deadline that is not after `end`. False when
  // neither is possible, or time does not move any more.
  bool step(Time end = kNever);
  // Runs until time reaches `end` or nothing can happen any more. Time is `end` afterwards, unless
  // that is kNever or time does not move any more.
  void run_until(Time end);
  void run_for(Duration duration) { run_until(after(now(), duration)); }
  // Runs until `is_done` or until nothing can happen before `end`; returns is_done().
  bool run_until(const std::function<bool()>& is_done, Time end);

  // No step is possible, ever: nothing is ready and nobody waits for a deadline, or something is
  // always ready and time does not move.
  bool is_stuck() const;
  // Which task waits for what, since when, and which could run; one a line.
  std::string stuck_report() const;

 private:
  Simulation(Random random, std::uint64_t steps_per_moment_max);

  bool has_moment_without_end() const { return steps_in_moment_ >= steps_per_moment_max_; }
  void fire(Time time);

  Reactor reactor_;
  Random order_;
  Random random_;
  SerialPool pool_;
  Trace trace_;
  const std::uint64_t steps_per_moment_max_;
  std::uint64_t steps_in_moment_ = 0;
};

// One process of a simulation: a clock that may be wrong and a random stream of its own.
class SimulatedProcess final : public Runtime {
 public:
  struct Clock {
    Duration offset{};     // how far the wall clock is ahead of the true one
    std::int64_t ppm = 0;  // by how many millionths its clocks run too fast
  };

  SimulatedProcess(Simulation& simulation, Clock clock);

  Time now() const override;
  WallTime wall_now() const override;
  Random& random() override { return random_; }
  Pool& pool() override { return simulation_.pool(); }
  Time reactor_time(Time local) const override;

 private:
  Simulation& simulation_;
  Clock clock_;
  Random random_;
};

}  // namespace berth::rt
