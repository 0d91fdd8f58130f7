// Runs a suite over a range of seeds and tells what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>

#include "sim/suite.h"
#include "world/faults.h"

namespace berth::sim {

struct RunOptions {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  world::FaultSet faults = world::FaultSet::all();
  // Writes the trace of every seed.
  bool trace = false;
  // Every seed twice; a trace that differs is a violation.
  bool twice = false;
  // One crash at each write of each seed, before, during and after it, instead of drawn ones.
  bool crash_everywhere = false;
  // One crash there, instead of drawn ones: how a violation of the former is replayed.
  std::optional<world::CrashAt> crash_at = {};
  // A fault that never hit is a failure.
  bool needs_every_fault = false;
  // How long it has run, for the figure that is printed. Called at the beginning and at the end.
  std::function<double()> seconds;
};

struct RunResult {
  std::uint64_t seeds = 0;
  std::uint64_t violations = 0;
  bool is_every_fault_seen = true;
};

// Prints violations as they are found, then the table of faults, a hash of all traces and "seeds N
// violations M".
// Progress goes to `progress`.
RunResult run_seeds(const Suite& suite,
                    const RunOptions& options,
                    std::ostream& out,
                    std::ostream& progress);

}  // namespace berth::sim
