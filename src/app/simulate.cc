#include "app/simulate.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "rt/real/real_runtime.h"
#include "sim/runner.h"
#include "sim/suite.h"
#include "world/faults.h"

namespace berth::app {

std::string list_of_suites() {
  std::string list;
  for (const sim::Suite& suite : sim::all_suites()) {
    list += fmt::format("  {:<12} {}\n", suite.name, suite.what);
  }
  return list;
}

Result<bool> simulate(const SimulateOptions& options, std::ostream& out, std::ostream& progress) {
  const sim::Suite* suite = sim::find_suite(options.suite);
  if (suite == nullptr) {
    return Error(
        ErrorCode::kNotFound,
        fmt::format("there is no suite '{}'; there are\n{}", options.suite, list_of_suites()));
  }
  auto faults = world::FaultSet::parse(options.faults);
  if (!faults) {
    return std::move(faults).error();
  }
  std::optional<world::CrashAt> crash_at;
  if (!options.crash_at.empty()) {
    auto parsed = world::CrashAt::parse(options.crash_at);
    if (!parsed) {
      return std::move(parsed).error();
    }
    crash_at = *parsed;
  }
  const rt::RealRuntime clock(1);
  const sim::RunResult result = sim::run_seeds(
      *suite,
      {.first = options.first_seed,
       .last = options.last_seed,
       .faults = *faults,
       .trace = options.trace,
       .twice = options.twice,
       .crash_everywhere = options.crash_everywhere,
       .crash_at = crash_at,
       .needs_every_fault = options.needs_every_fault,
       .seconds =
           [&clock] {
             return std::chrono::duration<double>(clock.now().time_since_epoch()).count();
           }},
      out,
      progress);
  return result.violations == 0 && (result.is_every_fault_seen || !options.needs_every_fault);
}

}  // namespace berth::app
