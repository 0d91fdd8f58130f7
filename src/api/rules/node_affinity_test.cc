#include "api/rules/node_affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/box.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/pod.h"
#include "api/rules/node_label_index.h"
#include "api/rules/node_selector.h"
#include "base/node_set.h"

namespace berth::api {
namespace {

using testing::ElementsAre;

const StringMap kLabels{{"zone", "b"}, {"disk", "ssd"}};

NodeSelector in_zone(const std::string& zone) {
  return {.node_selector_terms = {{.match_expressions = {{"zone", "In", {zone}}}}}};
}

PodSpec spec(StringMap node_selector, Box<NodeSelector> required) {
  PodSpec result{.node_selector = std::move(node_selector)};
  result.affinity.emplace()
      .node_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = std::move(required);
  return result;
}

bool matches(const PodSpec& spec) {
  return RequiredNodeAffinity::compile(spec).match("node-1", kLabels).is_match;
}

TEST(RequiredNodeAffinity, PodThatAsksForNothingGoesAnywhere) {
  EXPECT_TRUE(matches({}));
  EXPECT_TRUE(matches(spec({}, {})));
}

TEST(RequiredNodeAffinity, NodeSelectorAndAffinityMustBothMatch) {
  EXPECT_TRUE(matches(spec({{"disk", "ssd"}}, in_zone("b"))));
  EXPECT_FALSE(matches(spec({{"disk", "hdd"}}, in_zone("b"))));
  EXPECT_FALSE(matches(spec({{"disk", "ssd"}}, in_zone("a"))));
  EXPECT_FALSE(matches(spec({{"disk", "ssd"}}, NodeSelector())));
}

TEST(RequiredNodeAffinity, FaultIsNotToldWhereTheNodeSelectorDecides) {
  NodeSelector faulty = in_zone("b");
  faulty.node_selector_terms[0].match_expressions[0].op = "in";
  const auto here = RequiredNodeAffinity::compile(spec({{"disk", "ssd"}}, faulty));
  ASSERT_NE(here.fault(), nullptr);
  EXPECT_EQ(here.match("node-1", kLabels).error, here.fault());
  const auto elsewhere = RequiredNodeAffinity::compile(spec({{"disk", "hdd"}}, faulty));
  EXPECT_FALSE(elsewhere.match("node-1", kLabels).is_match);
  EXPECT_EQ(elsewhere.match("node-1", kLabels).error, nullptr);
}

TEST(RequiredNodeAffinity, NarrowsNodesToThoseItMatches) {
  NodeLabelIndex index(4);
  index.set(0, "n0", kLabels);
  index.set(1, "n1", {{"zone", "b"}, {"disk", "hdd"}});
  index.set(3, "n3", {{"zone", "a"}, {"disk", "ssd"}});
  NodeScratch scratch;
  const auto narrowed = [&](const PodSpec& pod) {
    NodeSet nodes = NodeSet::full(4);
    RequiredNodeAffinity::compile(pod).narrow(index, nodes, scratch);
    std::vector<std::size_t> numbers;
    nodes.for_each([&](std::size_t node) { numbers.push_back(node); });
    return numbers;
  };
  EXPECT_THAT(narrowed({}), ElementsAre(0, 1, 3));
  EXPECT_THAT(narrowed(spec({{"disk", "ssd"}}, {})), ElementsAre(0, 3));
  EXPECT_THAT(narrowed(spec({{"disk", "ssd"}}, in_zone("b"))), ElementsAre(0));
}

std::vector<PreferredSchedulingTerm> preferences() {
  return {{.weight = 10, .preference = {.match_expressions = {{"zone", "In", {"b"}}}}},
          {.weight = 5, .preference = {.match_expressions = {{"disk", "Exists", {}}}}},
          {.weight = 100, .preference = {}},
          {.weight = 1, .preference = {.match_fields = {{"metadata.name", "In", {"n1"}}}}}};
}

TEST(PreferredNodeAffinity, ScoreIsTheSumOfMatchingWeights) {
  const auto compiled = PreferredNodeAffinity::compile(preferences());
  ASSERT_TRUE(compiled) << compiled.error().text();
  EXPECT_EQ(compiled->score("n0", kLabels), 15);
  EXPECT_EQ(compiled->score("n1", {{"zone", "b"}}), 11);
  EXPECT_EQ(compiled->score("n2", {}), 0);
}

TEST(PreferredNodeAffinity, AddsScoresOfAllNodesAtOnce) {
  const auto compiled = PreferredNodeAffinity::compile(preferences());
  ASSERT_TRUE(compiled);
  NodeLabelIndex index(4);
  index.set(0, "n0", kLabels);
  index.set(1, "n1", {{"zone", "b"}});
  index.set(2, "n2", kLabels);
  NodeSet nodes = NodeSet::full(4);
  nodes.reset(2);
  std::vector<std::int64_t> scores{1000, 0, 0, 0};
  NodeScratch scratch;
  compiled->add_scores(index, nodes, scores, scratch);
  EXPECT_THAT(scores, ElementsAre(1015, 11, 0, 0));
}

TEST(PreferredNodeAffinity, OneFaultRefusesAllTerms) {
  auto terms = preferences();
  terms[1].preference.match_expressions[0].values = {"x"};
  terms[3].preference.match_fields[0].op = "Exists";
  const auto compiled = PreferredNodeAffinity::compile(terms);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().text(),
            "[[1].matchExpressions[0].values: Invalid value: [\"x\"]: values set must be empty for "
            "exists and does not exist, [3].matchFields[0].operator: Unsupported value: "
            "\"Exists\": supported values: \"In\", \"NotIn\"]");
}

TEST(PreferredNodeAffinity, TermsOfWeightZeroAreNotLookedAt) {
  const auto compiled = PreferredNodeAffinity::compile(
      {{.weight = 0, .preference = {.match_expressions = {{"zone", "Foo", {}}}}}});
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->score("n0", kLabels), 0);
}

// What it says where it does not match; empty where it does.
std::string refusal(const Box<VolumeNodeAffinity>& affinity) {
  const auto compiled = CompiledVolumeNodeAffinity::compile(affinity);
  const NodeMatch match = compiled.match(kLabels);
  EXPECT_EQ(match.is_match, match.error == nullptr);
  return match.error == nullptr ? "" : match.error->text();
}

TEST(VolumeNodeAffinity, VolumeWithoutAffinityIsReachableEverywhere) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal(VolumeNodeAffinity()), "");
}

TEST(VolumeNodeAffinity, WhereItDoesNotMatchItSaysWhy) {
  EXPECT_EQ(refusal(VolumeNodeAffinity{.required = in_zone("b")}), "");
  EXPECT_EQ(refusal(VolumeNodeAffinity{.required = in_zone("a")}), "no matching NodeSelectorTerms");
  NodeSelector faulty = in_zone("b");
  faulty.node_selector_terms[0].match_expressions[0].values.clear();
  EXPECT_EQ(refusal(VolumeNodeAffinity{.required = faulty}),
            "nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: null: for 'in', "
            "'notin' operators, values set can't be empty");
}

TEST(VolumeNodeAffinity, TermOfFieldsAloneMatchesEveryNode) {
  const VolumeNodeAffinity by_name{
      .required = NodeSelector{
          .node_selector_terms = {{.match_fields = {{"metadata.name", "In", {"other"}}}}}}};
  EXPECT_EQ(refusal(by_name), "");
  NodeLabelIndex index(2);
  index.set(1, "n1", {});
  NodeSet nodes = NodeSet::full(2);
  NodeScratch scratch;
  CompiledVolumeNodeAffinity::compile(by_name).narrow(index, nodes, scratch);
  EXPECT_TRUE(nodes.test(1));
  EXPECT_FALSE(nodes.test(0));
}

}  // namespace
}  // namespace berth::api
