// The checker must notice a wrong rule: each rule is replaced in turn by a wrong one.
#include "quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/quantity.h"
#include "difference.h"

namespace berth::vector_check {

namespace {

using api::Quantity;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

boost::json::object row(std::string_view text) {
  return boost::json::parse({text.data(), text.size()}).as_object();
}

std::vector<std::string> paths(const Differences& differences) {
  std::vector<std::string> result;
  for (const Difference& difference : differences) {
    result.push_back(difference.path);
  }
  return result;
}

const boost::json::object kHalf = row(R"({"id": "1", "tags": [], "kind": "parse", "in": "0.5Gi",
    "ok": true, "canonical": "512Mi", "format": "BinarySI", "value": 536870912,
    "milliValue": 536870912000, "sign": 1, "isZero": false})");
const boost::json::object kRefused = row(R"({"id": "2", "tags": [], "kind": "parse", "in": "1e",
    "ok": false, "error": "unable to parse quantity's suffix", "value": 0, "milliValue": 0,
    "sign": 0, "isZero": false})");
const boost::json::object kNull = row(R"({"id": "3", "tags": [], "kind": "json", "json": "null",
    "ok": true, "canonical": "0", "value": 0, "milliValue": 0, "sign": 0, "isZero": true,
    "asInt64": 0})");
const boost::json::object kWrongUpstream = row(R"({"id": "4", "tags": [], "kind": "parse",
    "in": "-84.9Mi", "ok": true, "canonical": "-89024102400m", "format": "BinarySI",
    "value": -89024101, "milliValue": -89024102400, "sign": -1, "isZero": false,
    "exactValue": "-89024103"})");
const boost::json::object kOverflow = row(R"({"id": "5", "tags": [], "kind": "parse", "in": "-10E",
    "ok": true, "canonical": "-10E", "format": "DecimalSI", "value": 0, "milliValue": 0,
    "sign": -1, "isZero": false, "exactValue": "-10000000000000000000",
    "exactMilliValue": "-10000000000000000000000"})");
const boost::json::object kPair = row(R"({"id": "6", "tags": [], "kind": "pair", "a": "1Ki",
    "b": "1", "cmp": 1, "equal": false, "cmpValue": 1,
    "sum": {"ok": true, "canonical": "1025", "format": "BinarySI", "value": 1025,
            "milliValue": 1025000, "sign": 1, "isZero": false, "asInt64": 1025},
    "diff": {"ok": true, "canonical": "1023", "format": "BinarySI", "value": 1023,
             "milliValue": 1023000, "sign": 1, "isZero": false, "asInt64": 1023}})");

TEST(QuantityRows, AgreeWithTheProductsRules) {
  for (const auto& good : {kHalf, kRefused, kNull, kWrongUpstream, kOverflow, kPair}) {
    EXPECT_TRUE(is_quantity_row(good));
    EXPECT_THAT(paths(check_quantity_row(good)), IsEmpty()) << good;
  }
}

TEST(QuantityRows, AlteredExpectationIsTheOneDifference) {
  auto altered = kHalf;
  altered["value"] = 536870913;
  const Differences differences = check_quantity_row(altered);
  ASSERT_THAT(paths(differences), ElementsAre("value"));
  EXPECT_EQ(differences[0].expected, "536870913");
  EXPECT_EQ(differences[0].got, "536870912");

  altered = kPair;
  altered["diff"].as_object()["canonical"] = "1";
  EXPECT_THAT(paths(check_quantity_row(altered)), ElementsAre("diff.canonical"));

  altered = kRefused;
  altered["error"] = "no";
  EXPECT_THAT(paths(check_quantity_row(altered)), ElementsAre("error"));

  altered = kWrongUpstream;
  altered["exactValue"] = "-89024102";
  EXPECT_THAT(paths(check_quantity_row(altered)), ElementsAre("value", "exactValue"));
}

TEST(QuantityRows, UnknownAndMissingFactsAreDifferences) {
  auto altered = kHalf;
  altered["nanoValue"] = 1;
  EXPECT_THAT(paths(check_quantity_row(altered)), ElementsAre("nanoValue"));
  altered = kHalf;
  altered.erase("sign");
  EXPECT_THAT(paths(check_quantity_row(altered)), ElementsAre("sign"));
}

TEST(QuantityRows, RuleThatReadsGAsGiIsNoticed) {
  QuantityRules wrong;
  wrong.parse = [](std::string_view text) {
    std::string changed(text);
    if (changed.ends_with("Gi")) {
      changed.pop_back();
    }
    return Quantity::parse(changed);
  };
  EXPECT_THAT(paths(check_quantity_row(kHalf, wrong)), Contains("value"));
  EXPECT_THAT(paths(check_quantity_row(kPair, wrong)), IsEmpty());
}

TEST(QuantityRows, RuleThatAcceptsTooMuchIsNoticed) {
  QuantityRules wrong;
  wrong.parse = [](std::string_view) { return Quantity::parse("0"); };
  EXPECT_THAT(paths(check_quantity_row(kRefused, wrong)), Contains("ok"));
}

TEST(QuantityRows, RuleThatRefusesAnOperandIsNoticed) {
  QuantityRules wrong;
  wrong.parse = [](std::string_view text) { return Quantity::parse(text == "1" ? "x" : text); };
  EXPECT_THAT(paths(check_quantity_row(kPair, wrong)), ElementsAre("b"));
}

TEST(QuantityRows, RuleThatRefusesNullIsNoticed) {
  QuantityRules wrong;
  wrong.parse_json = Quantity::parse;
  EXPECT_THAT(paths(check_quantity_row(kNull, wrong)), Contains("ok"));
}

TEST(QuantityRows, RuleThatRoundsTowardsZeroIsNoticed) {
  QuantityRules wrong;
  wrong.value = [](const Quantity& a) { return a.milli_value() / 1000; };
  EXPECT_THAT(paths(check_quantity_row(kWrongUpstream, wrong)), ElementsAre("value"));
  EXPECT_THAT(paths(check_quantity_row(kHalf, wrong)), IsEmpty());
}

TEST(QuantityRows, RuleThatWrapsAroundIsNoticed) {
  QuantityRules wrong;
  wrong.value = [](const Quantity& a) { return a.as_int64().value_or(0); };
  EXPECT_THAT(paths(check_quantity_row(kOverflow, wrong)), ElementsAre("value"));
}

TEST(QuantityRows, RuleThatPrintsWithoutSuffixIsNoticed) {
  QuantityRules wrong;
  wrong.canonical = [](const Quantity& a) { return a.exact_value(); };
  EXPECT_THAT(paths(check_quantity_row(kHalf, wrong)), ElementsAre("canonical"));
}

TEST(QuantityRows, RuleThatComparesBackwardsIsNoticed) {
  QuantityRules wrong;
  wrong.compare = [](const Quantity& a, const Quantity& b) { return b.compare(a); };
  EXPECT_THAT(paths(check_quantity_row(kPair, wrong)), ElementsAre("cmp"));
}

TEST(QuantityRows, SumThatMixesUpTheOperandsIsNoticed) {
  QuantityRules wrong;
  wrong.sum = [](const Quantity& a, const Quantity& b) { return sum_of(b, a); };
  EXPECT_THAT(paths(check_quantity_row(kPair, wrong)), ElementsAre("sum.format"));
}

TEST(QuantityRows, DifferenceThatMixesUpTheOperandsIsNoticed) {
  QuantityRules wrong;
  wrong.difference = [](const Quantity& a, const Quantity& b) { return difference_of(b, a); };
  EXPECT_THAT(paths(check_quantity_row(kPair, wrong)), Contains("diff.value"));
}

}  // namespace

}  // namespace berth::vector_check
