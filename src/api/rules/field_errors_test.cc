#include "api/rules/field_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace berth::api {
namespace {

using testing::EndsWith;

TEST(FieldErrors, OneFaultStandsAlone) {
  FieldErrors errors;
  EXPECT_TRUE(errors.empty());
  errors.add_invalid("a.b", "\"x\"", "must be y");
  EXPECT_FALSE(errors.empty());
  EXPECT_EQ(errors.text(), "a.b: Invalid value: \"x\": must be y");
  EXPECT_EQ(errors.error().code(), ErrorCode::kInvalid);
}

TEST(FieldErrors, SeveralStandInBracketsAndEqualOnesOnce) {
  FieldErrors errors;
  errors.add_invalid("a", "1", "no");
  errors.add_unsupported("b", "2", "\"3\"");
  errors.add_invalid("a", "1", "no");
  EXPECT_EQ(errors.text(),
            "[a: Invalid value: 1: no, b: Unsupported value: 2: supported values: \"3\"]");
  EXPECT_EQ(errors.count(), 3U);
}

TEST(FieldErrors, TextStopsAtItsLimitAndSaysSo) {
  FieldErrors errors;
  const std::string shown(1000, 'x');
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(errors.add_unread(), errors.count() >= 65) << i;
    errors.add_invalid(std::to_string(i), shown, "no");
  }
  EXPECT_LT(errors.text().size(), FieldErrors::kTextLenMax + 2000);
  EXPECT_THAT(errors.text(), EndsWith(": no, and more]"));
}

}  // namespace
}  // namespace berth::api
