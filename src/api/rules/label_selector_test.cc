#include "api/rules/label_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/box.h"
#include "api/members.h"
#include "api/objects/meta.h"

namespace berth::api {
namespace {

using testing::StartsWith;

const StringMap kLabels{{"app", "web"}, {"tier", "front"}};

bool matches(const LabelSelector& selector) {
  const auto compiled = CompiledLabelSelector::compile(selector);
  EXPECT_TRUE(compiled) << compiled.error().text();
  return compiled && compiled->matches(kLabels);
}

std::string refusal(const LabelSelector& selector) {
  const auto compiled = CompiledLabelSelector::compile(selector);
  EXPECT_FALSE(compiled);
  return compiled ? "" : compiled.error().text();
}

TEST(LabelSelector, AbsentSelectsNothingAndEmptyEverything) {
  const auto absent = CompiledLabelSelector::compile(Box<LabelSelector>());
  ASSERT_TRUE(absent);
  EXPECT_TRUE(absent->is_nothing());
  EXPECT_FALSE(absent->is_everything());
  EXPECT_FALSE(absent->matches({}));
  const auto empty = CompiledLabelSelector::compile(Box<LabelSelector>(LabelSelector()));
  ASSERT_TRUE(empty);
  EXPECT_FALSE(empty->is_nothing());
  EXPECT_TRUE(empty->is_everything());
  EXPECT_TRUE(empty->matches({}));
  EXPECT_TRUE(empty->matches(kLabels));
}

TEST(LabelSelector, LabelsAndExpressionsMustAllMatch) {
  EXPECT_TRUE(matches(
      {.match_labels = {{"app", "web"}},
       .match_expressions = {{"tier", "In", {"back", "front"}}, {"canary", "DoesNotExist", {}}}}));
  EXPECT_FALSE(matches({.match_labels = {{"app", "web"}, {"tier", "back"}}}));
  EXPECT_FALSE(matches(
      {.match_labels = {{"app", "web"}}, .match_expressions = {{"tier", "NotIn", {"front"}}}}));
  EXPECT_FALSE(matches({.match_labels = {{"absent", ""}}}));
}

TEST(LabelSelector, GtAndLtAreNotOperatorsOfLabelSelectors) {
  EXPECT_EQ(refusal({.match_expressions = {{"a", "Gt", {"1"}}}}),
            "\"Gt\" is not a valid label selector operator");
  EXPECT_EQ(refusal({.match_expressions = {{"a", "x\ny", {"1"}}}}),
            "\"x\\ny\" is not a valid label selector operator");
}

TEST(LabelSelector, TheFirstRequirementThatIsWrongIsTold) {
  EXPECT_THAT(refusal({.match_labels = {{"a b", "x"}}, .match_expressions = {{"a", "Foo", {}}}}),
              StartsWith("key: Invalid value: \"a b\""));
  EXPECT_EQ(refusal({.match_expressions = {{"a", "In", {}}, {"b", "Foo", {}}}}),
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
}

TEST(LabelSelector, LabelsTakenAsTheyAreAreNotChecked) {
  EXPECT_TRUE(CompiledLabelSelector::with_labels({}).is_everything());
  const auto odd = CompiledLabelSelector::with_labels({{"a b", "-"}});
  EXPECT_TRUE(odd.matches({{"a b", "-"}}));
  EXPECT_FALSE(odd.matches(kLabels));
  EXPECT_TRUE(CompiledLabelSelector::with_labels({{"app", "web"}}).matches(kLabels));
}

}  // namespace
}  // namespace berth::api
