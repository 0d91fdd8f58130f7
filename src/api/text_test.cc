#include "api/text.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

TEST(Text, IsTrimmedOfTheWhiteSpaceOfJsonOnly) {
  EXPECT_EQ(trimmed(" \t\r\n a b \n"), "a b");
  EXPECT_EQ(trimmed("\va\f"), "\va\f");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace berth::api
