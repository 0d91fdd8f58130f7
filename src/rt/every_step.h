// For tests: the same run again and again, disturbed one step later each time, so that a task is
// given up (or cancelled, or its process crashed) at every await it has.
//
//   at_every_step<Scenario>(
//       {.seed = 1},
//       [](Scenario& scenario) { scenario.victim.reset(); },
//       [](Scenario& scenario, const std::string& when) {
//         EXPECT_EQ(scenario.lost, 0) << when;
//       });
//
// A Scenario is made from a seed and has a Simulation named `simulation`. `waits` shows that every
// await was among those that were disturbed.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "base/assert.h"
#include "rt/simulation.h"
#include "rt/time.h"

namespace berth::rt {

struct EveryStep {
  std::uint64_t seed = 1;
  Time end = kNever;  // for scenarios that never come to rest by themselves
  std::size_t steps_max = 100'000;
  // Filled with the waits that were disturbed, of tasks whose name begins with `victim`:
  // "scope/task: waits for a timer".
  std::set<std::string>* waits = nullptr;
  std::string victim = {};
};

namespace internal {

inline void note_waits(const EveryStep& how, Simulation& simulation) {
  if (how.waits == nullptr) {
    return;
  }
  for (const std::string& line : simulation.reactor().waiting_tasks()) {
    const std::size_t since = line.rfind(" since ");  // who could run does not wait
    if (line.starts_with(how.victim) && since != std::string::npos) {
      how.waits->insert(line.substr(0, since));
    }
  }
}

}  // namespace internal

// In each run: so many steps, then `disturb`, then all the rest, then `check`. Ends with the run
// that is over before it is disturbed, and returns how many steps that had.
template <typename Scenario, typename Disturb, typename Check>
std::size_t at_every_step(const EveryStep& how, const Disturb& disturb, const Check& check) {
  for (std::size_t steps = 0;; ++steps) {
    BERTH_ASSERT(steps <= how.steps_max, "a scenario comes to an end");
    Scenario scenario(how.seed);
    bool is_over = false;
    for (std::size_t i = 0; i < steps && !is_over; ++i) {
      is_over = !scenario.simulation.step(how.end);
    }
    internal::note_waits(how, scenario.simulation);
    disturb(scenario);
    scenario.simulation.run_until(how.end);
    check(scenario, fmt::format("seed {}, disturbed after {} steps", how.seed, steps));
    if (is_over) {
      return steps - 1;
    }
  }
}

}  // namespace berth::rt
