#include "api/rules/requirement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "api/members.h"
#include "api/rules/field_errors.h"

namespace berth::api {
namespace {

using Operator = Requirement::Operator;
using testing::HasSubstr;

const StringMap kLabels{{"zone", "b"}, {"generation", "10"}, {"empty", ""}};

bool matches(const std::string& key, Operator op, const std::vector<std::string>& values) {
  FieldErrors errors;
  const auto requirement = compile_requirement(key, op, values, "", errors);
  EXPECT_TRUE(requirement) << errors.text();
  return requirement && requirement->matches(kLabels);
}

std::string faults(const std::string& key, Operator op, const std::vector<std::string>& values) {
  FieldErrors errors;
  EXPECT_FALSE(compile_requirement(key, op, values, "path[0]", errors));
  return errors.text();
}

TEST(Requirement, InWantsOneOfTheValues) {
  EXPECT_TRUE(matches("zone", Operator::kIn, {"c", "b", "b", "a"}));
  EXPECT_FALSE(matches("zone", Operator::kIn, {"a", "c"}));
  EXPECT_TRUE(matches("empty", Operator::kIn, {""}));
  EXPECT_FALSE(matches("absent", Operator::kIn, {"", "a"}));
}

TEST(Requirement, NotInTakesObjectsWithoutTheLabel) {
  EXPECT_FALSE(matches("zone", Operator::kNotIn, {"c", "b"}));
  EXPECT_TRUE(matches("zone", Operator::kNotIn, {"c"}));
  EXPECT_TRUE(matches("absent", Operator::kNotIn, {"c"}));
}

TEST(Requirement, ExistenceDoesNotLookAtTheValue) {
  EXPECT_TRUE(matches("empty", Operator::kExists, {}));
  EXPECT_FALSE(matches("absent", Operator::kExists, {}));
  EXPECT_FALSE(matches("empty", Operator::kDoesNotExist, {}));
  EXPECT_TRUE(matches("absent", Operator::kDoesNotExist, {}));
}

TEST(Requirement, GtAndLtCompareIntegersAndAreStrict) {
  EXPECT_TRUE(matches("generation", Operator::kGt, {"9"}));
  EXPECT_FALSE(matches("generation", Operator::kGt, {"10"}));
  EXPECT_FALSE(matches("generation", Operator::kLt, {"010"}));
  EXPECT_TRUE(matches("generation", Operator::kLt, {"11"}));
  EXPECT_FALSE(matches("absent", Operator::kLt, {"11"}));
}

TEST(Requirement, LabelThatIsNoIntegerIsNeitherGreaterNorLess) {
  for (const auto op : {Operator::kGt, Operator::kLt}) {
    EXPECT_FALSE(matches("zone", op, {"0"}));
    EXPECT_FALSE(matches("empty", op, {"0"}));
  }
}

TEST(Requirement, NumbersHave64Bits) {
  const auto max = std::numeric_limits<std::int64_t>::max();
  const auto min = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(label_number("9223372036854775807"), max);
  EXPECT_EQ(label_number("-9223372036854775808"), min);
  EXPECT_EQ(label_number("+9223372036854775807"), max);
  EXPECT_EQ(label_number("007"), 7);
  EXPECT_EQ(label_number("-0"), 0);
  for (const char* text : {"9223372036854775808",
                           "-9223372036854775809",
                           "99999999999999999999999999999",
                           "",
                           "+",
                           "-",
                           "+-1",
                           "--1",
                           "1.0",
                           "1e3",
                           "0x1",
                           " 1",
                           "1 ",
                           "1_000"}) {
    EXPECT_EQ(label_number(text), std::nullopt) << text;
  }
}

TEST(Requirement, NumberOfValuesDependsOnTheOperator) {
  EXPECT_EQ(faults("a", Operator::kIn, {}),
            "path[0].values: Invalid value: null: for 'in', 'notin' operators, values set can't be "
            "empty");
  EXPECT_EQ(faults("a", Operator::kDoesNotExist, {"x"}),
            "path[0].values: Invalid value: [\"x\"]: values set must be empty for exists and does "
            "not exist");
  EXPECT_EQ(faults("a", Operator::kGt, {"1", "2"}),
            "path[0].values: Invalid value: [\"1\",\"2\"]: for 'Gt', 'Lt' operators, exactly one "
            "value is required");
}

TEST(Requirement, OperandBeyond64BitsIsRefused) {
  EXPECT_EQ(faults("a", Operator::kLt, {"9223372036854775808"}),
            "path[0].values[0]: Invalid value: \"9223372036854775808\": for 'Gt', 'Lt' operators, "
            "the value must be an integer");
}

TEST(Requirement, NegativeOperandIsNoLabelValue) {
  EXPECT_THAT(faults("a", Operator::kGt, {"-1"}),
              HasSubstr("path[0].values[0][a]: Invalid value: \"-1\": a valid label must be"));
}

TEST(Requirement, AllFaultsAreTold) {
  const std::string text = faults("bad key", Operator::kExists, {"-x"});
  EXPECT_THAT(text, HasSubstr("[path[0].key: Invalid value: \"bad key\": name part must"));
  EXPECT_THAT(text, HasSubstr("path[0].values: Invalid value: [\"-x\"]: values set must"));
  EXPECT_THAT(text, HasSubstr("path[0].values[0][bad key]: Invalid value: \"-x\": a valid label"));
}

TEST(Requirement, WithoutAPathTheFieldNamesStandAlone) {
  FieldErrors errors;
  EXPECT_FALSE(compile_requirement("/x", Operator::kExists, {}, "", errors));
  EXPECT_EQ(errors.text(), "key: Invalid value: \"/x\": prefix part must be non-empty");
}

TEST(Requirement, HugeListOfValuesIsSearchedByHalves) {
  std::vector<std::string> values;
  values.reserve(200'001);
  for (int i = 0; i < 200'000; ++i) {
    values.push_back("v" + std::to_string(i % 100'000));
  }
  values.emplace_back("b");
  FieldErrors errors;
  const auto requirement = compile_requirement("zone", Operator::kIn, values, "", errors);
  ASSERT_TRUE(requirement.has_value());
  EXPECT_EQ(requirement->values.size(), 100'001U);
  // With a search through the whole list this takes minutes.
  bool is_match = true;
  for (int i = 0; i < 1'000'000; ++i) {
    is_match = is_match && requirement->matches(kLabels);
  }
  EXPECT_TRUE(is_match);
}

TEST(Requirement, FaultsOfAHugeListWithAHugeKeyStayBounded) {
  const std::string key(1'000'000, '-');
  const std::vector<std::string> values(100'000, "-");
  FieldErrors errors;
  EXPECT_FALSE(compile_requirement(key, Operator::kIn, values, "", errors));
  EXPECT_LT(errors.text().size(), FieldErrors::kTextLenMax + 2 * key.size());
  // A requirement that is looked at when there is no room left is refused too.
  EXPECT_FALSE(compile_requirement("a", Operator::kIn, {"-"}, "", errors));
  EXPECT_FALSE(compile_requirement("-", Operator::kIn, {"a"}, "", errors));
  EXPECT_FALSE(compile_requirement("a", Operator::kGt, {"a"}, "", errors));
  EXPECT_FALSE(compile_requirement("a", Operator::kIn, {}, "", errors));
  EXPECT_TRUE(compile_requirement("a", Operator::kIn, {"a"}, "", errors));
}

TEST(Requirement, OperatorsAreKnownByTheirExactNames) {
  EXPECT_EQ(find_operator("NotIn"), Operator::kNotIn);
  for (const char* name : {"", "in", "GT", "Equals", "=", "In "}) {
    EXPECT_EQ(find_operator(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace berth::api
