#include "kube/resource_version.h"

#include <gtest/gtest.h>

#include <compare>

namespace berth::kube {
namespace {

TEST(ResourceVersion, NumbersCompareByValueWhateverTheirLength) {
  EXPECT_TRUE(std::is_lt(compare_versions("9", "10")));
  EXPECT_TRUE(std::is_gt(compare_versions("100000000000000000000000001", "99")));
  EXPECT_TRUE(std::is_eq(compare_versions("42", "42")));
}

TEST(ResourceVersion, OtherTextsAreEqualOrNothingIsKnown) {
  EXPECT_TRUE(std::is_eq(compare_versions("abc", "abc")));
  EXPECT_EQ(compare_versions("abc", "7"), std::partial_ordering::unordered);
  EXPECT_EQ(compare_versions("", "7"), std::partial_ordering::unordered);
  EXPECT_EQ(compare_versions("07", "7"), std::partial_ordering::unordered);
}

TEST(ResourceVersion, ALaterVersionIncludesAnEarlierOne) {
  EXPECT_TRUE(includes_version("12", "12"));
  EXPECT_TRUE(includes_version("13", "12"));
  EXPECT_FALSE(includes_version("11", "12"));
  EXPECT_FALSE(includes_version("", "12"));
  EXPECT_FALSE(includes_version("x", "12"));
}

}  // namespace
}  // namespace berth::kube
