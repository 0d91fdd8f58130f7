#include "sim/informers/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/informers/mistakes.h"
#include "sim/suite.h"
#include "world/faults.h"

namespace berth::sim::informers {
namespace {

using testing::ContainsRegex;
using testing::IsEmpty;
using testing::Not;

TEST(InformersSuite, FindsNothingWithoutFaults) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SeedReport report = run({.seed = seed, .faults = world::FaultSet::none()});
    EXPECT_THAT(report.violations, IsEmpty()) << "seed " << seed;
  }
}

TEST(InformersSuite, FindsNothingUnderAllFaults) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const SeedReport report = run({.seed = seed});
    EXPECT_THAT(report.violations, IsEmpty()) << "seed " << seed;
    EXPECT_GT(report.writes, 0U) << "seed " << seed;
  }
}

TEST(InformersSuite, SameSeedGivesTheSameTrace) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::string first;
    std::string second;
    const SeedReport a =
        run({.seed = seed, .trace = [&first](std::string_view line) { first += line; }});
    const SeedReport b =
        run({.seed = seed, .trace = [&second](std::string_view line) { second += line; }});
    EXPECT_EQ(a.trace_hash, b.trace_hash) << "seed " << seed;
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(first, second) << "seed " << seed;
  }
}

TEST(InformersSuite, FindsNothingWithACrashAtEachOfSomeWrites) {
  for (std::uint64_t write = 0; write <= 40; write += 5) {
    for (const world::Phase phase :
         {world::Phase::kBefore, world::Phase::kDuring, world::Phase::kAfter}) {
      const world::CrashAt crash{.write = write, .phase = phase};
      const SeedReport report = run({.seed = 1, .crash_at = crash});
      EXPECT_THAT(report.violations, IsEmpty()) << crash.text();
      EXPECT_EQ(report.faults.of(world::Fault::kCrash), write == 0 ? 0U : 1U) << crash.text();
    }
  }
}

// Up to the write at which they crash, the runs of one seed are one and the same, and nobody else
// crashes or is ended.
TEST(InformersSuite, AnEnumeratedCrashStandsAlone) {
  const auto trace_of = [](std::uint64_t write) {
    std::string trace;
    run({.seed = 2,
         .crash_at = world::CrashAt{.write = write, .phase = world::Phase::kDuring},
         .trace = [&trace](std::string_view line) { trace += line; }});
    return trace;
  };
  const std::string undisturbed = trace_of(0);
  EXPECT_THAT(undisturbed, Not(ContainsRegex(": crashes|is ended|is asked to end")));
  const std::string crashed = trace_of(20);
  const std::size_t crash = crashed.find(": crashes\n");
  ASSERT_NE(crash, std::string::npos);
  const std::size_t common = crashed.rfind('\n', crash);
  EXPECT_EQ(crashed.substr(0, common), undisturbed.substr(0, common));
  EXPECT_EQ(crashed.find(": crashes\n", crash + 1), std::string::npos);
}

TEST(InformersSuite, ADeadlockNamesWhoWaitsForWhat) {
  const SeedReport report =
      run_with(Mistake::kNeverFinishes, {.seed = 1, .faults = world::FaultSet::none()});
  ASSERT_THAT(report.violations, Not(IsEmpty()));
  EXPECT_THAT(report.violations.front(),
              ContainsRegex("\np[01]-[0-9]+/worker: waits for a partner that never comes since "));
}

// A check that has never been seen to fail proves nothing.
struct Planted {
  Mistake mistake;
  std::string_view found;  // what the violation says
};

class InformersSuitePlanted : public testing::TestWithParam<Planted> {};

TEST_P(InformersSuitePlanted, MistakeIsFoundWithin500Seeds) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const SeedReport report = run_with(GetParam().mistake, {.seed = seed});
    if (!report.violations.empty()) {
      EXPECT_THAT(report.violations.front(), ContainsRegex(std::string(GetParam().found)))
          << "seed " << seed;
      return;
    }
  }
  ADD_FAILURE() << "not found";
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes,
    InformersSuitePlanted,
    testing::Values(
        Planted{Mistake::kResumesFromWrongVersion, "at the end|does not see its own write"},
        Planted{Mistake::kSwapsInPieces, "a handler saw the store without"},
        Planted{Mistake::kDeletesToChange, "was deleted, which lived at version"},
        Planted{Mistake::kForgetsWhileHandled, "was last handled at version"},
        Planted{Mistake::kHasNoFence, "after its renew deadline|may act as the leader at once"}),
    [](const testing::TestParamInfo<Planted>& planted) -> std::string {
      switch (planted.param.mistake) {
        case Mistake::kResumesFromWrongVersion:
          return "ResumesFromTheWrongVersion";
        case Mistake::kSwapsInPieces:
          return "SwapsInPieces";
        case Mistake::kDeletesToChange:
          return "DeletesToChange";
        case Mistake::kForgetsWhileHandled:
          return "ForgetsAKeyAddedWhileHandled";
        case Mistake::kHasNoFence:
          return "HasNoFence";
        case Mistake::kNeverFinishes:
        case Mistake::kNone:
          break;
      }
      return "None";
    });

}  // namespace
}  // namespace berth::sim::informers
