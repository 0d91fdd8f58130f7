#include "base/secret.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace berth {
namespace {

TEST(Secret, PrintsAsStarsThroughFmt) {
  EXPECT_EQ(fmt::format("token {}", Secret("hunter2")), "token ***");
  EXPECT_EQ(fmt::format("[{:>5}]", Secret("hunter2")), "[  ***]");
}

TEST(Secret, PrintsAsStarsThroughStreamsAndTestMessages) {
  std::ostringstream out;
  out << Secret("hunter2");
  EXPECT_EQ(out.str(), "***");
  EXPECT_EQ(testing::PrintToString(Secret("hunter2")), "***");
}

TEST(Secret, DoesNotTellByItsMaskWhetherItIsEmpty) {
  EXPECT_EQ(fmt::format("{}", Secret()), "***");
  EXPECT_TRUE(Secret().empty());
  EXPECT_FALSE(Secret("x").empty());
}

TEST(Secret, RevealsItsTextOnlyOnRequest) {
  EXPECT_EQ(Secret("hunter2").reveal(), "hunter2");
}

TEST(Secret, ComparesByText) {
  EXPECT_EQ(Secret("a"), Secret("a"));
  EXPECT_NE(Secret("a"), Secret("b"));
}

}  // namespace
}  // namespace berth
