#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "base/error.h"

namespace berth {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) {
    return Error(ErrorCode::kInvalid, "odd number");
  }
  return number / 2;
}

Result<std::string> quarter(int number) {
  BERTH_TRY(const int once, half(number));
  BERTH_TRY(const int twice, half(once));
  return std::to_string(twice);
}

Result<void> require_even(int number) {
  if (number % 2 != 0) {
    return Error(ErrorCode::kInvalid, "odd number");
  }
  return {};
}

TEST(Result, HoldsTheValue) {
  const auto result = half(4);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(*result, 2);
}

TEST(Result, HoldsTheError) {
  const auto result = half(3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kInvalid);
  EXPECT_EQ(result.error().text(), "odd number");
}

TEST(Result, GivesAccessToMembersOfTheValue) {
  auto result = quarter(40);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->size(), 2U);
  result->push_back('!');
  EXPECT_EQ(*result, "10!");
}

TEST(Result, GivesUpItsValueWhenMovedFrom) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, GivesUpItsErrorWithContext) {
  auto result = half(3);
  const Error error = std::move(result).error().in("field 'replicas'");
  EXPECT_EQ(error.text(), "field 'replicas': odd number");
}

TEST(Result, TryPassesTheValueOn) {
  const auto result = quarter(8);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, "2");
}

TEST(Result, TryReturnsTheFirstError) {
  const auto result = quarter(6);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(), "odd number");
}

TEST(Result, OfVoidSucceedsOrHoldsTheError) {
  EXPECT_TRUE(require_even(2));
  const auto result = require_even(1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kInvalid);
}

TEST(ResultDeathTest, ReadingTheValueOfAFailedResultAborts) {
  const auto result = half(3);
  EXPECT_DEATH(static_cast<void>(*result), "a Result is checked before its value is used");
  auto text = quarter(3);
  EXPECT_DEATH(static_cast<void>(text->size()), "a Result is checked before its value is used");
}

TEST(ResultDeathTest, ReadingTheErrorOfASuccessAborts) {
  EXPECT_DEATH(static_cast<void>(half(4).error()), "only a failed Result has an error");
  EXPECT_DEATH(static_cast<void>(require_even(4).error()), "only a failed Result has an error");
}

}  // namespace
}  // namespace berth
