#include "sim/binding/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/binding/mistakes.h"
#include "sim/suite.h"
#include "world/faults.h"

namespace berth::sim::binding {
namespace {

using testing::ContainsRegex;
using testing::IsEmpty;

TEST(BindingSuite, FindsNothingWithoutFaults) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SeedReport report = run({.seed = seed, .faults = world::FaultSet::none()});
    EXPECT_THAT(report.violations, IsEmpty()) << "seed " << seed;
  }
}

TEST(BindingSuite, FindsNothingUnderAllFaults) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const SeedReport report = run({.seed = seed});
    EXPECT_THAT(report.violations, IsEmpty()) << "seed " << seed;
    EXPECT_GT(report.writes, 0U) << "seed " << seed;
  }
}

TEST(BindingSuite, SameSeedGivesTheSameTrace) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(run({.seed = seed}).trace_hash, run({.seed = seed}).trace_hash) << "seed " << seed;
  }
}

// Each mistake is found within this many seeds, and by the violation it is expected to bring.
struct Planted {
  Mistake mistake;
  std::string name;
  std::string found;
};

class BindingMistakes : public testing::TestWithParam<Planted> {};

TEST_P(BindingMistakes, AreFound) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const SeedReport report = run_with(GetParam().mistake, {.seed = seed});
    if (!report.violations.empty()) {
      EXPECT_THAT(report.violations.front(), ContainsRegex(GetParam().found)) << "seed " << seed;
      return;
    }
  }
  FAIL() << "no seed found it";
}

INSTANTIATE_TEST_SUITE_P(
    All,
    BindingMistakes,
    testing::ValuesIn(std::vector<Planted>{
        {Mistake::kBelievesInBindings, "BelievesInBindings", "was never bound"},
        {Mistake::kTrustsThePredecessor,
         "TrustsThePredecessor",
         "an order that had failed|says Failed, and we have bound"},
        {Mistake::kTakesConflictsAsFinal, "TakesConflictsAsFinal", "is still open"},
        {Mistake::kBindsWhoeverHasTheName, "BindsWhoeverHasTheName", "by no order"},
        {Mistake::kWritesStatusUnguarded, "WritesStatusUnguarded", "order p"},
        {Mistake::kTrustsTheCache, "TrustsTheCache", "which was never so"},
        {Mistake::kNeverBinds, "NeverBinds", "no pod was bound by an order"},
    }),
    [](const testing::TestParamInfo<Planted>& info) { return info.param.name; });

}  // namespace
}  // namespace berth::sim::binding
