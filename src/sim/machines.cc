#include "sim/machines.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "rt/random.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/store.h"

namespace berth::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A leader waits for its writes in flight, at the longest until its renew deadline by its own
// clock.
constexpr rt::Duration kOrderlyEnd = seconds(30);
constexpr rt::Duration kRestartMax = seconds(20);
constexpr rt::Duration kLateStartMax = seconds(60);

rt::SimulatedProcess::Clock draw_clock(world::Faults& faults) {
  if (!faults.hits(world::Fault::kClockSkew)) {
    return {};
  }
  return {.offset = faults.random().between(seconds(-600), seconds(600)),
          // 15 s of lease and 10 s of renew deadline bear clocks that differ by a third.
          .ppm = faults.random().between(std::int64_t{-100'000}, std::int64_t{100'000})};
}

}  // namespace

Machines::Machines(world::Cluster& cluster, Clocks& clocks, Options options)
    : cluster_(cluster),
      simulation_(cluster.simulation()),
      clocks_(clocks),
      options_(std::move(options)),
      machines_(options_.count),
      scope_(simulation_, "machines") {}

void Machines::start() {
  start_on(0);
  // Who is alone for a while has its first writes land, however late, before anybody else's.
  for (std::size_t i = 1; i < machines_.size(); ++i) {
    if (simulation_.random().one_in(2)) {
      start_on(i);
    } else {
      const rt::Duration pause = simulation_.random().between(milliseconds(10), kLateStartMax);
      scope_.spawn("start", start_after(i, pause));
    }
  }
  scope_.spawn("trouble", make_trouble());
}

void Machines::start_on(std::size_t index) {
  Machine& machine = machines_[index];
  clocks_.push_back(
      std::make_unique<rt::SimulatedProcess>(simulation_, draw_clock(cluster_.faults())));
  machine.name = fmt::format("p{}-{}", index, ++machine.starts);
  simulation_.note(machine.name, "starts");
  machine.program =
      options_.start({.process = *clocks_.back(), .name = machine.name, .crash = [&machine] {
                        machine.wants_crash = true;
                      }});
}

rt::Task<void> Machines::start_after(std::size_t index, rt::Duration pause) {
  co_await rt::sleep_for(simulation_, pause, {});
  start_on(index);
}

bool Machines::run_for(rt::Duration duration) {
  const rt::Time end = simulation_.now() + duration;
  while (simulation_.step(end)) {
    std::size_t leaders = 0;
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      Machine& machine = machines_[i];
      if (machine.wants_crash) {
        machine.wants_crash = false;
        machine.program.reset();
        const rt::Duration pause = simulation_.random().between(milliseconds(10), kRestartMax);
        scope_.spawn("restart", start_after(i, pause));
      }
      leaders += machine.program != nullptr && machine.program->is_leader() ? 1 : 0;
    }
    options_.on_step(leaders);
  }
  if (simulation_.is_stuck()) {
    options_.on_stalled("nothing moves on any more");
    return false;
  }
  simulation_.run_until(end);
  return true;
}

std::vector<Program*> Machines::programs() const {
  std::vector<Program*> programs;
  for (const Machine& machine : machines_) {
    programs.push_back(machine.program.get());
  }
  return programs;
}

rt::Task<void> Machines::make_trouble() {
  world::Faults& faults = cluster_.faults();
  while (!faults.is_stopped()) {
    const rt::Duration pause = simulation_.random().between(milliseconds(100), seconds(10));
    co_await rt::sleep_for(simulation_, pause, {});
    if (faults.hits(world::Fault::kCompaction)) {
      simulation_.note("store", "forgets its history");
      cluster_.store().compact(cluster_.store().resource_version());
    }
    const std::size_t index = simulation_.random().below(machines_.size());
    if (machines_[index].program != nullptr && faults.draws_crashes() &&
        simulation_.random().one_in(8)) {
      co_await end_program(index);
    }
  }
}

rt::Task<void> Machines::end_program(std::size_t index) {
  Machine& machine = machines_[index];
  const int start = machine.starts;
  if (simulation_.random().one_in(2)) {
    simulation_.note(machine.name, "is asked to end");
    machine.program->cancel();
    co_await rt::sleep_for(simulation_, kOrderlyEnd, {});
    if (machine.program == nullptr || machine.starts != start) {
      co_return;  // it crashed meanwhile
    }
    if (!machine.program->has_ended()) {
      options_.on_stalled(machine.name + " does not end when it is asked to");
    }
  }
  simulation_.note(machine.name, "is ended");
  machine.wants_crash = true;
}

}  // namespace berth::sim
