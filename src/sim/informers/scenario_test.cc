#include "sim/informers/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    testing::Values(Planted{Mistake::kResumesFromWrongVersion,
                            "at the end|does not see its own write"},
                    Planted{Mistake::kSwapsInPieces, "a handler saw the store without"},
                    Planted{Mistake::kForgetsWhileHandled, "was last handled at version"},
                    Planted{Mistake::kHasNoFence, "after its renew deadline"}),
    [](const testing::TestParamInfo<Planted>& planted) -> std::string {
      switch (planted.param.mistake) {
        case Mistake::kResumesFromWrongVersion:
          return "ResumesFromTheWrongVersion";
        case Mistake::kSwapsInPieces:
          return "SwapsInPieces";
        case Mistake::kForgetsWhileHandled:
          return "ForgetsAKeyAddedWhileHandled";
        case Mistake::kHasNoFence:
          return "HasNoFence";
        case Mistake::kNone:
          break;
      }
      return "None";
    });

}  // namespace
}  // namespace berth::sim::informers
