#include "sim/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

#include "base/assert.h"
#include "sim/suite.h"
#include "world/faults.h"

namespace berth::sim {
namespace {

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

SeedReport all_well(const SeedOptions& options) {
  SeedReport report{.writes = 2, .trace_hash = options.seed};
  report.faults.add(world::Fault::kCrash, world::WriteKind::kPatch, world::Phase::kBefore);
  return report;
}

SeedReport odd_seeds_fail(const SeedOptions& options) {
  SeedReport report = all_well(options);
  if (options.seed % 2 == 1) {
    report.violations = {"two leaders"};
  }
  return report;
}

SeedReport never_the_same(const SeedOptions& options) {
  static std::uint64_t runs = 0;
  ++runs;
  if (options.trace) {
    options.trace("1.0 starts\n");
    options.trace(runs % 2 == 1 ? "2.0 sends\n" : "2.0 lists\n");
  }
  return {.trace_hash = runs};
}

// Draws crashes if it may, and has fewer writes then.
SeedReport fails_at_fourth_write(const SeedOptions& options) {
  SeedReport report{.writes = options.crash_at ? 4U : 2U, .trace_hash = 1};
  if (options.crash_at && options.crash_at->write == 4) {
    report.violations = {"half a write"};
  }
  return report;
}

SeedReport fails_at_second_write(const SeedOptions& options) {
  SeedReport report = all_well(options);
  if (options.crash_at && options.crash_at->write == 2 &&
      options.crash_at->phase == world::Phase::kDuring) {
    report.violations = {"half a write"};
  }
  return report;
}

SeedReport aborts_at_third_seed(const SeedOptions& options) {
  BERTH_ASSERT(options.seed != 3, "three is too many");
  return all_well(options);
}

SeedReport aborts_at_a_crash(const SeedOptions& options) {
  BERTH_ASSERT(!options.crash_at || options.crash_at->write != 2, "nobody crashes twice");
  return all_well(options);
}

class Runner : public testing::Test {
 protected:
  RunResult run(SeedReport (*suite)(const SeedOptions&), const RunOptions& options) {
    return run_seeds(
        {.name = "toy", .what = "", .writes = kWrites, .run = suite}, options, out_, progress_);
  }

  static constexpr std::array kWrites = {world::WriteKind::kPatch};

  std::ostringstream out_;
  std::ostringstream progress_;
};

TEST_F(Runner, EndsWithTheNumberOfSeedsAndViolations) {
  const RunResult result = run(all_well, {.first = 3, .last = 12});
  EXPECT_EQ(result.seeds, 10U);
  EXPECT_EQ(result.violations, 0U);
  EXPECT_THAT(out_.str(), EndsWith("\nseeds 10 violations 0\n"));
}

TEST_F(Runner, ViolationPrintsItsSeedAndHowToReplayIt) {
  const RunResult result = run(odd_seeds_fail, {.first = 7, .last = 8});
  EXPECT_EQ(result.violations, 1U);
  EXPECT_THAT(out_.str(), HasSubstr("violation: seed 7: two leaders\n"));
  EXPECT_THAT(out_.str(), HasSubstr("berth sim toy --seeds 7..7 --faults all --trace\n"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("seed 8:")));
}

TEST_F(Runner, ATraceThatDiffersTheSecondTimeIsAViolation) {
  EXPECT_EQ(run(never_the_same, {.first = 1, .last = 1, .twice = true}).violations, 1U);
  EXPECT_THAT(out_.str(),
              HasSubstr("violation: seed 1: the same seed gave another trace the second time, from "
                        "line 2 on:\n  2.0 sends\n  2.0 lists\n"
                        "  replay: berth sim toy --seeds 1..1 --faults all --twice --trace\n"));
  EXPECT_EQ(run(all_well, {.first = 1, .last = 1, .twice = true}).violations, 0U);
}

TEST_F(Runner, CrashesAtEachWriteAreEnumeratedAndReplayedOneByOne) {
  const RunResult result =
      run(fails_at_second_write, {.first = 1, .last = 1, .crash_everywhere = true});
  EXPECT_EQ(result.violations, 1U);
  EXPECT_THAT(out_.str(),
              HasSubstr("violation: seed 1: half a write\n  replay: berth sim toy --seeds 1..1 "
                        "--faults all --crash-at 2:during --trace\n"));
  const RunResult replayed =
      run(fails_at_second_write,
          {.first = 1,
           .last = 1,
           .trace = true,
           .crash_at = world::CrashAt{.write = 2, .phase = world::Phase::kDuring}});
  EXPECT_EQ(replayed.violations, 1U);
}

TEST_F(Runner, CrashesAreEnumeratedAtEveryWriteOfTheRunWithoutDrawnOnes) {
  const RunResult result =
      run(fails_at_fourth_write, {.first = 1, .last = 1, .crash_everywhere = true});
  EXPECT_EQ(result.violations, 3U);  // before, during and after the fourth
}

using RunnerDeathTest = Runner;

TEST_F(RunnerDeathTest, ARunThatAbortsSaysHowToReplayIt) {
  EXPECT_DEATH(run(aborts_at_third_seed, {.first = 1, .last = 5}),
               "three is too many.*\naborted: seed 3\n  replay: berth sim toy --seeds 3..3 "
               "--faults all --trace\n");
  EXPECT_DEATH(run(aborts_at_a_crash, {.first = 1, .last = 1, .crash_everywhere = true}),
               "replay: berth sim toy --seeds 1..1 --faults all --crash-at 2:before --trace\n");
}

TEST_F(RunnerDeathTest, WhatAbortsAfterTheRunsWasNoneOfThem) {
  EXPECT_DEATH(
      {
        run(all_well, {.first = 1, .last = 2});
        BERTH_ASSERT(out_.str().empty(), "something else");
      },
      testing::Not(HasSubstr("replay:")));
}

TEST_F(Runner, TheLastNumberThereIsIsASeed) {
  const std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(run(all_well, {.first = last - 1, .last = last}).seeds, 2U);
}

TEST_F(Runner, TracesOfARangeHaveAHashOfTheirOwn) {
  const auto traces_of = [this](std::uint64_t first, std::uint64_t last) {
    out_.str("");
    run(all_well, {.first = first, .last = last});
    const std::string text = out_.str();
    return text.substr(text.find("\ntraces "));
  };
  EXPECT_THAT(traces_of(1, 2), ContainsRegex("^\ntraces [0-9a-f]{16}\nseeds 2 "));
  EXPECT_EQ(traces_of(1, 2), traces_of(1, 2));
  EXPECT_NE(traces_of(1, 2), traces_of(2, 3));
}

TEST_F(Runner, AFaultThatNeverHitIsTold) {
  const auto crash = world::FaultSet::parse("crash");
  ASSERT_TRUE(crash.has_value());
  const RunResult result =
      run(all_well, {.first = 1, .last = 1, .faults = *crash, .needs_every_fault = true});
  EXPECT_FALSE(result.is_every_fault_seen);
  EXPECT_THAT(out_.str(), HasSubstr("missed: crash never hit a patch during\n"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("crash never hit a patch before\n")));
  // Of a kind that the suite does not make nothing is expected.
  EXPECT_THAT(out_.str(), Not(HasSubstr("binding")));
}

}  // namespace
}  // namespace berth::sim
