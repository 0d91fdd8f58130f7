#include "base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <utility>

namespace berth {
namespace {

TEST(Error, KeepsCodeAndText) {
  const Error error(ErrorCode::kNotFound, "no such file");
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_EQ(error.text(), "no such file");
}

TEST(Error, GathersContextOutermostFirst) {
  Error error(ErrorCode::kInvalid, "no certificate authority");
  error = std::move(error).in("cluster 'x'");
  error = std::move(error).in("reading kubeconfig");
  EXPECT_EQ(error.text(), "reading kubeconfig: cluster 'x': no certificate authority");
}

TEST(Error, KeepsItsCodeWhenContextIsAdded) {
  const Error error = Error(ErrorCode::kLimit, "too deep").in("pod 'a/b'");
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
}

TEST(Error, KeepsItsReasonWhenContextIsAdded) {
  EXPECT_EQ(Error(ErrorCode::kUnavailable, "refused").reason(), "");
  const Error error = Error(ErrorCode::kUnavailable, "refused").with_reason("Refused").in("x");
  EXPECT_EQ(error.reason(), "Refused");
}

TEST(Error, HasAnOwnNameForEachCode) {
  std::set<std::string_view> names;
  constexpr auto kLast = static_cast<int>(ErrorCode::kCancelled);
  for (int code = 0; code <= kLast; ++code) {
    const std::string_view name = name_of(static_cast<ErrorCode>(code));
    EXPECT_NE(name, "unknown");
    names.insert(name);
  }
  EXPECT_EQ(names.size(), kLast + 1U);
  EXPECT_EQ(name_of(static_cast<ErrorCode>(kLast + 1)), "unknown") << "another code: is it here?";
}

}  // namespace
}  // namespace berth
