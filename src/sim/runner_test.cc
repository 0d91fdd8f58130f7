#include "sim/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>

#include "sim/suite.h"
#include "world/faults.h"

namespace berth::sim {
namespace {

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

SeedReport never_the_same(const SeedOptions&) {
  static std::uint64_t runs = 0;
  return {.trace_hash = ++runs};
}

SeedReport fails_at_second_write(const SeedOptions& options) {
  SeedReport report = all_well(options);
  if (options.crash_at && options.crash_at->write == 2 &&
      options.crash_at->phase == world::Phase::kDuring) {
    report.violations = {"half a write"};
  }
  return report;
}

class Runner : public testing::Test {
 protected:
  RunResult run(SeedReport (*suite)(const SeedOptions&), const RunOptions& options) {
    return run_seeds({.name = "toy", .what = "", .run = suite}, options, out_, progress_);
  }

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
  EXPECT_EQ(run(all_well, {.first = 1, .last = 1, .twice = true}).violations, 0U);
}

TEST_F(Runner, CrashesAtEachWriteAreEnumerated) {
  const RunResult result =
      run(fails_at_second_write, {.first = 1, .last = 1, .crash_everywhere = true});
  EXPECT_EQ(result.violations, 1U);
  EXPECT_THAT(out_.str(), HasSubstr("with a crash during write 2"));
}

TEST_F(Runner, AFaultThatNeverHitIsTold) {
  const auto crash = world::FaultSet::parse("crash");
  ASSERT_TRUE(crash.has_value());
  const RunResult result =
      run(all_well, {.first = 1, .last = 1, .faults = *crash, .needs_every_fault = true});
  EXPECT_FALSE(result.is_every_fault_seen);
  EXPECT_THAT(out_.str(), HasSubstr("missed: crash never hit a patch during\n"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("crash never hit a patch before\n")));
}

}  // namespace
}  // namespace berth::sim
