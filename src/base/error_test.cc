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
  for (const ErrorCode code : {ErrorCode::kInvalid,
                               ErrorCode::kNotFound,
                               ErrorCode::kLimit,
                               ErrorCode::kUnavailable,
                               ErrorCode::kInternal}) {
    EXPECT_NE(name_of(code), "unknown");
    names.insert(name_of(code));
  }
  EXPECT_EQ(names.size(), 5U);
}

}  // namespace
}  // namespace berth
