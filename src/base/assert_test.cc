#include "base/assert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

namespace berth {
namespace {

TEST(Assert, PassesWhatHolds) {
  BERTH_ASSERT(1 + 1 == 2, "arithmetic works");
  BERTH_DEBUG_ASSERT(1 + 1 == 2, "arithmetic works");
  BERTH_BUG(1 + 1 == 2, "arithmetic works");
  EXPECT_EQ(bug_count(), 0U);
}

TEST(Assert, EvaluatesItsConditionOnce) {
  int evaluated = 0;
  BERTH_ASSERT(++evaluated > 0, "it was just raised");
  EXPECT_EQ(evaluated, 1);
}

TEST(AssertDeathTest, AbortsNamingPlaceConditionAndReason) {
  EXPECT_DEATH(BERTH_ASSERT(1 + 1 == 3, "the test wants it so"),
               R"(assert_test\.cc:[0-9]+: assertion failed: 1 \+ 1 == 3 \(the test wants it so\))");
}

#ifdef NDEBUG
TEST(Assert, DebugAssertIsNotEvaluatedInRelease) {
  int evaluated = 0;  // NOLINT(misc-const-correctness): the macro would change it
  BERTH_DEBUG_ASSERT(++evaluated < 0, "never evaluated");
  EXPECT_EQ(evaluated, 0);
}
#else
TEST(AssertDeathTest, DebugAssertAbortsOutsideRelease) {
  EXPECT_DEATH(BERTH_DEBUG_ASSERT(false, "the test wants it so"), "assertion failed: false");
}
#endif

TEST(BugDeathTest, AbortsWhereTheProcessDidNotAskToSurvive) {
  EXPECT_DEATH(BERTH_BUG(false, "the test wants it so"), "bug: false .the test wants it so.");
}

// The child of a death test keeps the change of the process-wide switch out of the other tests.
TEST(BugDeathTest, IsCountedAndSurvivedOnRequest) {
  EXPECT_EXIT(
      {
        survive_bugs();
        BERTH_BUG(false, "the first");
        BERTH_BUG(true, "not one");
        BERTH_BUG(false, "the second");
        std::_Exit(bug_count() == 2 ? 0 : 1);
      },
      testing::ExitedWithCode(0),
      "the second");
}

TEST(BugDeathTest, GoesOnCountingWhenItNoLongerReports) {
  EXPECT_EXIT(
      {
        survive_bugs();
        for (std::uint64_t i = 0; i < kBugReportsMax; ++i) {
          BERTH_BUG(false, "reported");
        }
        BERTH_BUG(false, "only counted");
        std::_Exit(bug_count() == kBugReportsMax + 1 ? 0 : 1);
      },
      testing::ExitedWithCode(0),
      testing::Not(testing::HasSubstr("only counted")));
}

}  // namespace
}  // namespace berth
