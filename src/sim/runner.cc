#include "sim/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "rt/time.h"
#include "sim/fault_table.h"
#include "sim/late_writes.h"
#include "sim/suite.h"
#include "world/faults.h"

namespace berth::sim {
namespace {

constexpr std::string_view kPhaseNames[] = {"before", "during", "after"};

class Run {
 public:
  Run(const Suite& suite, const RunOptions& options, std::ostream& out)
      : suite_(suite), options_(options), out_(out) {}

  void run_seed(std::uint64_t seed) {
    ++result_.seeds;
    const SeedReport report = run_once(seed, options_.trace, {});
    if (options_.twice) {
      const SeedReport again = run_once(seed, false, {});
      if (again.trace_hash != report.trace_hash) {
        tell(seed, {}, "the same seed gave another trace the second time");
      }
    }
    if (options_.crash_everywhere) {
      crash_at_each_write(seed, report.writes);
    }
  }

  RunResult& result() { return result_; }
  const world::FaultCounts& counts() const { return counts_; }
  const LateWrites& late_writes() const { return late_writes_; }
  rt::Duration simulated() const { return simulated_; }

 private:
  SeedReport run_once(std::uint64_t seed, bool with_trace, std::optional<world::CrashAt> crash) {
    SeedOptions options{.seed = seed, .faults = options_.faults, .crash_at = crash};
    if (with_trace) {
      out_ << fmt::format("trace of seed {}\n", seed);
      options.trace = [this](std::string_view line) { out_ << line; };
    }
    SeedReport report = suite_.run(options);
    counts_.add(report.faults);
    late_writes_.add(report.late_writes);
    simulated_ += report.simulated;
    for (const std::string& violation : report.violations) {
      tell(seed, crash, violation);
    }
    return report;
  }

  void crash_at_each_write(std::uint64_t seed, std::uint64_t writes) {
    for (std::uint64_t write = 1; write <= writes; ++write) {
      for (const world::Phase phase :
           {world::Phase::kBefore, world::Phase::kDuring, world::Phase::kAfter}) {
        run_once(seed, false, world::CrashAt{.write = write, .phase = phase});
      }
    }
  }

  void tell(std::uint64_t seed, std::optional<world::CrashAt> crash, std::string_view what) {
    ++result_.violations;
    out_ << fmt::format("violation: seed {}: {}\n", seed, what);
    if (crash) {
      out_ << fmt::format("  with a crash {} write {}\n",
                          kPhaseNames[static_cast<std::size_t>(crash->phase)],
                          crash->write);
    }
    out_ << fmt::format("  replay: berth sim {} --seeds {}..{} --faults {}{} --trace\n",
                        suite_.name,
                        seed,
                        seed,
                        options_.faults.text(),
                        crash ? " --crash-everywhere" : "");
    out_.flush();
  }

  const Suite& suite_;
  const RunOptions& options_;
  std::ostream& out_;
  RunResult result_;
  world::FaultCounts counts_;
  LateWrites late_writes_;
  rt::Duration simulated_{};
};

// What was to happen and did not.
std::vector<std::string> missed_by(const Run& run, const RunOptions& options) {
  std::vector<std::string> missed = missed_faults(run.counts(), options.faults);
  if (options.faults.has(world::Fault::kLostAnswer)) {
    std::ranges::copy(missed_late_writes(run.late_writes()), std::back_inserter(missed));
  }
  return missed;
}

}  // namespace

RunResult run_seeds(const Suite& suite,
                    const RunOptions& options,
                    std::ostream& out,
                    std::ostream& progress) {
  Run run(suite, options, out);
  const double begin = options.seconds ? options.seconds() : 0;
  double told = begin;
  for (std::uint64_t seed = options.first; seed <= options.last; ++seed) {
    run.run_seed(seed);
    const double now = options.seconds ? options.seconds() : 0;
    if (now - told >= 5) {
      told = now;
      progress << fmt::format("seed {} of {}..{}, {} violations\n",
                              seed,
                              options.first,
                              options.last,
                              run.result().violations)
               << std::flush;
    }
  }
  const double spent = (options.seconds ? options.seconds() : 0) - begin;
  out << fault_table(run.counts(), options.faults) << late_line(run.late_writes());
  const std::vector<std::string> missed = missed_by(run, options);
  run.result().is_every_fault_seen = missed.empty();
  if (options.needs_every_fault) {
    for (const std::string& what : missed) {
      out << "missed: " << what << "\n";
    }
  }
  const double simulated = std::chrono::duration<double>(run.simulated()).count();
  if (spent > 0) {
    out << fmt::format("{:.0f} simulated seconds in {:.1f}, {:.0f} for each real one\n",
                       simulated,
                       spent,
                       simulated / spent);
  }
  out << fmt::format("seeds {} violations {}\n", run.result().seeds, run.result().violations);
  return run.result();
}

}  // namespace berth::sim
