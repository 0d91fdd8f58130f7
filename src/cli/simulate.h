// `berth sim`: simulation suites over ranges of seeds.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/exit_code.h"

namespace berth::cli {

struct SimulateArguments {
  std::string suite;
  std::string seeds = "1..100";  // "A..B", or one seed
  std::string faults = "all";
  bool trace = false;
  bool twice = false;
  bool crash_everywhere = false;
  std::string crash_at;  // "12:during"
  bool needs_every_fault = false;
};

ExitCode simulate(const SimulateArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace berth::cli
