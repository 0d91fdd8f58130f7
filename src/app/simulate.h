// Runs a simulation suite in this process.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "base/result.h"

namespace berth::app {

struct SimulateOptions {
  std::string suite;
  std::uint64_t first_seed = 1;
  std::uint64_t last_seed = 1;
  std::string faults = "all";  // names, separated by commas
  bool trace = false;
  bool twice = false;
  bool crash_everywhere = false;
  std::string crash_at;  // "12:during"; empty: crashes are drawn
  bool needs_every_fault = false;
};

// Whether the suite found nothing; kNotFound for a suite that does not exist, kInvalid for a fault
// or a crash that cannot be.
Result<bool> simulate(const SimulateOptions& options, std::ostream& out, std::ostream& progress);

// One line a suite: its name and what it does.
std::string list_of_suites();

}  // namespace berth::app
