#include "api/rules/toleration.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/objects/affinity.h"

namespace berth::api {
namespace {

constexpr auto kOff = ComparisonOperators::kOff;
constexpr auto kOn = ComparisonOperators::kOn;

const Taint kTaint{.key = "dedicated", .value = "gpu", .effect = "NoSchedule"};

TEST(Toleration, EqualWantsTheSameValue) {
  EXPECT_TRUE(
      tolerates(Toleration{.key = "dedicated", .op = "Equal", .value = "gpu"}, kTaint, kOff));
  EXPECT_TRUE(tolerates(Toleration{.key = "dedicated", .value = "gpu"}, kTaint, kOff));
  EXPECT_FALSE(tolerates(Toleration{.key = "dedicated", .value = "cpu"}, kTaint, kOff));
  EXPECT_FALSE(tolerates(Toleration{.key = "dedicated"}, kTaint, kOff));
}

TEST(Toleration, ExistsTakesAnyValue) {
  EXPECT_TRUE(tolerates(Toleration{.key = "dedicated", .op = "Exists"}, kTaint, kOff));
  EXPECT_FALSE(tolerates(Toleration{.key = "other", .op = "Exists"}, kTaint, kOff));
}

TEST(Toleration, EmptyKeyAndEmptyEffectStandForAll) {
  EXPECT_TRUE(tolerates(Toleration{.op = "Exists"}, kTaint, kOff));
  EXPECT_TRUE(tolerates(Toleration{.value = "gpu"}, kTaint, kOff));
  EXPECT_TRUE(tolerates(Toleration{.op = "Exists", .effect = "NoSchedule"}, kTaint, kOff));
  EXPECT_FALSE(tolerates(Toleration{.op = "Exists", .effect = "NoExecute"}, kTaint, kOff));
}

TEST(Toleration, UnknownOperatorsTolerateNothing) {
  for (const char* op : {"exists", "In", "=="}) {
    EXPECT_FALSE(tolerates(Toleration{.op = op, .value = "gpu"}, kTaint, kOn)) << op;
  }
}

bool compares(const std::string& op, const std::string& bound, const std::string& value) {
  return tolerates(
      Toleration{.key = "sla", .op = op, .value = bound}, {.key = "sla", .value = value}, kOn);
}

TEST(Toleration, GtAndLtCompareTheTaintWithTheToleration) {
  EXPECT_TRUE(compares("Gt", "9", "10"));
  EXPECT_FALSE(compares("Gt", "10", "10"));
  EXPECT_TRUE(compares("Lt", "0", "-5"));
  EXPECT_FALSE(compares("Lt", "10", "10"));
  EXPECT_TRUE(compares("Gt", "-9223372036854775808", "9223372036854775807"));
}

TEST(Toleration, GtAndLtWantIntegersInCanonicalForm) {
  for (const char* odd : {"", "-", "007", "+1", "-0", "-01", "1.0", "x", "9223372036854775808"}) {
    EXPECT_FALSE(compares("Lt", "99", odd)) << odd;
    EXPECT_FALSE(compares("Gt", "-99", odd)) << odd;
    EXPECT_FALSE(compares("Gt", odd, "99")) << odd;
    EXPECT_FALSE(compares("Lt", odd, "-99")) << odd;
  }
}

TEST(Toleration, GtAndLtTolerateNothingWhereTheyAreOff) {
  EXPECT_FALSE(tolerates(
      Toleration{.key = "sla", .op = "Gt", .value = "9"}, {.key = "sla", .value = "10"}, kOff));
}

TEST(Toleration, FirstUntoleratedTaintIsOneThatKeepsPodsAway) {
  const std::vector<Taint> taints{{.key = "a", .effect = "PreferNoSchedule"},
                                  {.key = "b", .effect = "NoExecute"},
                                  {.key = "c", .effect = "NoSchedule"}};
  EXPECT_EQ(find_untolerated(taints, {}, kOff), &taints[1]);
  const std::vector<Toleration> tolerates_b{{.key = "b", .op = "Exists"}};
  EXPECT_EQ(find_untolerated(taints, tolerates_b, kOff), &taints[2]);
  EXPECT_EQ(find_untolerated(taints, {{.op = "Exists"}}, kOff), nullptr);
  EXPECT_EQ(find_untolerated({taints[0]}, {}, kOff), nullptr);
  EXPECT_EQ(find_untolerated({}, {}, kOff), nullptr);
}

}  // namespace
}  // namespace berth::api
