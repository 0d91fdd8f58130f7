#include "sim/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/last_words.h"
#include "rt/simulation.h"
#include "rt/time.h"
#include "sim/fault_table.h"
#include "sim/late_writes.h"
#include "sim/suite.h"
#include "world/faults.h"

namespace berth::sim {
namespace {

using Crash = std::optional<world::CrashAt>;

// Where two traces of one seed part.
std::string difference(const std::vector<std::string>& first,
                       const std::vector<std::string>& second) {
  const auto [a, b] = std::ranges::mismatch(first, second);
  const auto shown = [](const auto& lines, const auto& line) {
    return line == lines.end() ? std::string("  (nothing)\n") : "  " + *line;
  };
  return fmt::format("the same seed gave another trace the second time, from line {} on:\n{}{}",
                     a - first.begin() + 1,
                     shown(first, a),
                     shown(second, b));
}

class Run {
 public:
  Run(const Suite& suite, const RunOptions& options, std::ostream& out)
      : suite_(suite), options_(options), out_(out) {}

  void run_seed(std::uint64_t seed) {
    ++result_.seeds;
    // Enumerated crashes stand alone. With none drawn, the runs are the same up to the write at
    // which each of them crashes.
    const Crash crash =
        options_.crash_everywhere ? Crash(world::CrashAt{.write = 0}) : options_.crash_at;
    if (options_.trace) {
      out_ << fmt::format("trace of seed {}\n", seed);
    }
    const SeedReport report =
        options_.twice ? run_twice(seed, crash) : run_once(seed, crash, shown_trace());
    if (options_.crash_everywhere) {
      crash_at_each_write(seed, report.writes);
    }
  }

  RunResult& result() { return result_; }
  const world::FaultCounts& counts() const { return counts_; }
  const LateWrites& late_writes() const { return late_writes_; }
  std::uint64_t traces() const { return traces_; }
  rt::Duration simulated() const { return simulated_; }

 private:
  rt::Trace::Sink shown_trace() {
    if (!options_.trace) {
      return {};
    }
    return [this](std::string_view line) { out_ << line; };
  }

  SeedReport run_once(std::uint64_t seed, Crash crash, rt::Trace::Sink trace) {
    last_words_.set(fmt::format("aborted: seed {}\n{}", seed, replay_line(seed, crash, "")));
    SeedReport report = suite_.run(
        {.seed = seed, .faults = options_.faults, .crash_at = crash, .trace = std::move(trace)});
    counts_.add(report.faults);
    late_writes_.add(report.late_writes);
    traces_ = (traces_ ^ report.trace_hash) * 0x100000001b3;  // FNV-1a
    simulated_ += report.simulated;
    for (const std::string& violation : report.violations) {
      tell(seed, crash, "", violation);
    }
    return report;
  }

  SeedReport run_twice(std::uint64_t seed, Crash crash) {
    std::vector<std::string> first;
    std::vector<std::string> second;
    SeedReport report =
        run_once(seed, crash, [&first, shown = shown_trace()](std::string_view line) {
          first.emplace_back(line);
          if (shown) {
            shown(line);
          }
        });
    const SeedReport again =
        run_once(seed, crash, [&second](std::string_view line) { second.emplace_back(line); });
    if (again.trace_hash != report.trace_hash) {
      tell(seed, crash, " --twice", difference(first, second));
    }
    return report;
  }

  void crash_at_each_write(std::uint64_t seed, std::uint64_t writes) {
    for (std::uint64_t write = 1; write <= writes; ++write) {
      for (const world::Phase phase :
           {world::Phase::kBefore, world::Phase::kDuring, world::Phase::kAfter}) {
        run_once(seed, world::CrashAt{.write = write, .phase = phase}, {});
      }
    }
  }

  void tell(std::uint64_t seed, Crash crash, std::string_view option, std::string_view what) {
    ++result_.violations;
    out_ << fmt::format("violation: seed {}: {}{}", seed, what, what.ends_with('\n') ? "" : "\n")
         << replay_line(seed, crash, option);
    out_.flush();
  }

  std::string replay_line(std::uint64_t seed, Crash crash, std::string_view option) const {
    return fmt::format("  replay: berth sim {} --seeds {}..{} --faults {}{}{} --trace\n",
                       suite_.name,
                       seed,
                       seed,
                       options_.faults.text(),
                       crash ? " --crash-at " + crash->text() : "",
                       option);
  }

  const Suite& suite_;
  const RunOptions& options_;
  std::ostream& out_;
  LastWords last_words_;
  RunResult result_;
  world::FaultCounts counts_;
  LateWrites late_writes_;
  std::uint64_t traces_ = 0xcbf29ce484222325;
  rt::Duration simulated_{};
};

}  // namespace

RunResult run_seeds(const Suite& suite,
                    const RunOptions& options,
                    std::ostream& out,
                    std::ostream& progress) {
  BERTH_ASSERT(options.first <= options.last, "a range of seeds has one at least");
  Run run(suite, options, out);
  const double begin = options.seconds ? options.seconds() : 0;
  double told = begin;
  // Not `seed <= last`: the last one may be the last number there is.
  for (std::uint64_t seed = options.first;; ++seed) {
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
    if (seed == options.last) {
      break;
    }
  }
  const double spent = (options.seconds ? options.seconds() : 0) - begin;
  out << fault_table(run.counts(), run.late_writes(), options.faults, suite.writes);
  const std::vector<std::string> missed =
      missed_faults(run.counts(), run.late_writes(), options.faults, suite.writes);
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
  out << fmt::format("traces {:016x}\n", run.traces());
  out << fmt::format("seeds {} violations {}\n", run.result().seeds, run.result().violations);
  return run.result();
}

}  // namespace berth::sim
