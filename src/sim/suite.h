// A simulation suite: one world for each seed, run to its end and judged.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rt/simulation.h"
#include "rt/time.h"
#include "sim/late_writes.h"
#include "world/faults.h"

namespace berth::sim {

struct SeedOptions {
  std::uint64_t seed = 1;
  world::FaultSet faults = world::FaultSet::all();
  std::optional<world::CrashAt> crash_at;  // instead of every crash that is drawn
  rt::Trace::Sink trace;                   // empty: nobody reads it
};

struct SeedReport {
  std::vector<std::string> violations;  // in the order they were found
  world::FaultCounts faults;
  LateWrites late_writes;
  std::uint64_t writes = 0;  // of processes that can crash
  std::uint64_t trace_hash = 0;
  rt::Duration simulated{};
};

struct Suite {
  std::string_view name;
  std::string_view what;  // one line for --help
  // The kinds of write its processes under test make: every fault is to hit each.
  std::span<const world::WriteKind> writes;
  SeedReport (*run)(const SeedOptions& options);
};

std::span<const Suite> all_suites();
// nullptr when there is none of that name.
const Suite* find_suite(std::string_view name);

}  // namespace berth::sim
