// The checker must notice a wrong rule: each rule is replaced in turn by a wrong one.
#include "selectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/box.h"
#include "api/objects/affinity.h"
#include "api/objects/meta.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/pod.h"
#include "api/rules/node_selector.h"
#include "api/rules/toleration.h"
#include "base/result.h"
#include "difference.h"

namespace berth::vector_check {

namespace {

using api::Node;
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

const boost::json::object kNotIn = row(R"({"id": "1", "tags": [], "kind": "nodeSelector",
    "node": {"name": "n", "labels": {"zone": "a"}},
    "nodeSelector": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "rack", "operator": "NotIn", "values": ["r1"]}]}]},
    "match": true})");
const boost::json::object kFaulty = row(R"({"id": "2", "tags": [], "kind": "nodeSelector",
    "node": {"name": "n", "labels": {"zone": "a"}},
    "nodeSelector": {"nodeSelectorTerms": [
        {"matchFields": [{"key": "metadata.name", "operator": "In"}]}]},
    "match": false,
    "errors": ["nodeSelectorTerms[0].matchFields[0].values: Invalid value: null: must have one element"],
    "parseErrors": ["nodeSelectorTerms[0].matchFields[0].values: Invalid value: null: must have one element"]})");
const boost::json::object kRequired = row(R"({"id": "3", "tags": [], "kind": "podRequired",
    "node": {"name": "n", "labels": {"zone": "a", "disk": "ssd"}},
    "nodeSelector": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]},
    "podNodeSelector": {"disk": "hdd"}, "match": false})");
const boost::json::object kPreferred = row(R"({"id": "4", "tags": [], "kind": "podPreferred",
    "node": {"name": "n", "labels": {"generation": "7"}},
    "preferred": [
        {"weight": 5, "preference": {"matchExpressions": [
            {"key": "generation", "operator": "Gt", "values": ["6"]}]}},
        {"weight": 3, "preference": {"matchExpressions": [
            {"key": "generation", "operator": "Lt", "values": ["7"]}]}}],
    "score": 5})");
const boost::json::object kVolume = row(R"({"id": "5", "tags": [], "kind": "volumeNodeAffinity",
    "node": {"name": "n", "labels": {"zone": "a"}},
    "volumeNodeAffinity": {"required": {"nodeSelectorTerms": [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["other"]}]}]}},
    "match": true})");
const boost::json::object kLabels = row(R"({"id": "6", "tags": [], "kind": "labelSelector",
    "labels": {"zone": "a"}, "labelSelector": null, "match": false})");
const boost::json::object kLabelFault = row(R"({"id": "7", "tags": [], "kind": "labelSelector",
    "labels": {}, "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Gt"}]},
    "errors": ["\"Lt\" is not a valid label selector operator",
               "\"Gt\" is not a valid label selector operator"]})");
const boost::json::object kTopologies = row(R"({"id": "8", "tags": [],
    "kind": "allowedTopologies", "labels": {"zone": "a"}, "allowedTopologies": [{}],
    "match": false})");
const boost::json::object kTaints = row(R"({"id": "9", "tags": [], "kind": "tolerations",
    "taints": [{"key": "soft", "effect": "PreferNoSchedule"},
               {"key": "sla", "value": "10", "effect": "NoSchedule"}],
    "tolerations": [{"key": "sla", "operator": "Gt", "value": "9"}],
    "match": false, "tolerated": [false, false],
    "toleratedWithComparisonOperators": [false, true],
    "firstUntolerated": {"key": "sla", "value": "10", "effect": "NoSchedule"}})");

TEST(SelectorRows, AgreeWithTheProductsRules) {
  for (const auto& good : {kNotIn,
                           kFaulty,
                           kRequired,
                           kPreferred,
                           kVolume,
                           kLabels,
                           kLabelFault,
                           kTopologies,
                           kTaints}) {
    EXPECT_TRUE(is_selector_row(good));
    EXPECT_THAT(paths(check_selector_row(good)), IsEmpty()) << good;
  }
  EXPECT_FALSE(is_selector_row(row(R"({"kind": "parse"})")));
}

TEST(SelectorRows, AlteredExpectationIsTheOneDifference) {
  auto altered = kFaulty;
  altered["errors"].as_array()[0] = "no";
  EXPECT_THAT(paths(check_selector_row(altered)), ElementsAre("errors.0"));
  altered = kPreferred;
  altered["score"] = 8;
  EXPECT_THAT(paths(check_selector_row(altered)), ElementsAre("score"));
  altered = kTaints;
  altered["tolerated"].as_array()[1] = true;
  EXPECT_THAT(paths(check_selector_row(altered)), ElementsAre("tolerated.1"));
}

TEST(SelectorRows, ErrorThatIsNotRecordedIsADifference) {
  auto altered = kFaulty;
  altered.erase("errors");
  EXPECT_THAT(paths(check_selector_row(altered)), ElementsAre("errors"));
}

TEST(SelectorRows, RuleByWhichNotInWantsTheLabelIsNoticed) {
  SelectorRules wrong;
  wrong.node.node_selector = [](const api::NodeSelector& selector, const Node& node) {
    const std::string& key = selector.node_selector_terms[0].match_expressions[0].key;
    return Outcome{.is_match = node.metadata.labels.contains(key)};
  };
  EXPECT_THAT(paths(check_selector_row(kNotIn, wrong)), Contains("match"));
  wrong = {};
  wrong.node_set.node_selector = [](const api::NodeSelector&, const Node&) { return false; };
  EXPECT_THAT(paths(check_selector_row(kNotIn, wrong)), ElementsAre("onSet"));
}

TEST(SelectorRows, RuleThatSwallowsFaultsIsNoticed) {
  SelectorRules wrong;
  wrong.node.fault = [](const api::NodeSelector&) { return std::optional<std::string>(); };
  EXPECT_THAT(paths(check_selector_row(kFaulty, wrong)), ElementsAre("parseErrors"));
  wrong = {};
  wrong.node.node_selector = [](const api::NodeSelector&, const Node&) { return Outcome(); };
  EXPECT_THAT(paths(check_selector_row(kFaulty, wrong)), ElementsAre("errors"));
}

TEST(SelectorRows, RuleThatForgetsTheNodeSelectorOfThePodIsNoticed) {
  SelectorRules wrong;
  wrong.node.required = [](const api::PodSpec&, const Node&) { return Outcome{.is_match = true}; };
  EXPECT_THAT(paths(check_selector_row(kRequired, wrong)), Contains("match"));
  wrong = {};
  wrong.node_set.required = [](const api::PodSpec&, const Node&) { return true; };
  EXPECT_THAT(paths(check_selector_row(kRequired, wrong)), ElementsAre("onSet"));
}

TEST(SelectorRows, RuleThatCountsEveryPreferenceIsNoticed) {
  SelectorRules wrong;
  wrong.node.preferred = [](const std::vector<api::PreferredSchedulingTerm>& terms,
                            const Node&) -> Result<std::int64_t> {
    std::int64_t sum = 0;
    for (const auto& term : terms) {
      sum += term.weight;
    }
    return sum;
  };
  EXPECT_THAT(paths(check_selector_row(kPreferred, wrong)), Contains("score"));
  wrong = {};
  wrong.node_set.preferred = [](const std::vector<api::PreferredSchedulingTerm>&, const Node&) {
    return std::int64_t{8};
  };
  EXPECT_THAT(paths(check_selector_row(kPreferred, wrong)), ElementsAre("onSet"));
}

TEST(SelectorRows, RuleThatLooksAtTheNodesNameForAVolumeIsNoticed) {
  SelectorRules wrong;
  wrong.node.volume = [](const api::Box<api::VolumeNodeAffinity>& affinity, const Node& node) {
    const auto compiled = api::CompiledNodeSelector::compile(*affinity->required);
    return Outcome{.is_match = compiled.match(node.metadata.name, node.metadata.labels).is_match};
  };
  EXPECT_THAT(paths(check_selector_row(kVolume, wrong)), Contains("match"));
}

TEST(SelectorRows, RuleByWhichAnAbsentSelectorSelectsEverythingIsNoticed) {
  SelectorRules wrong;
  wrong.label_selector = [](const api::Box<api::LabelSelector>&,
                            const api::StringMap&) -> Result<bool> { return true; };
  EXPECT_THAT(paths(check_selector_row(kLabels, wrong)), ElementsAre("match"));
  EXPECT_THAT(paths(check_selector_row(kLabelFault, wrong)), ElementsAre("errors", "match"));
}

TEST(SelectorRows, RuleByWhichAnEmptyTopologyAllowsEverythingIsNoticed) {
  SelectorRules wrong;
  wrong.node.topologies = [](const std::vector<api::TopologySelectorTerm>&, const Node&) {
    return true;
  };
  EXPECT_THAT(paths(check_selector_row(kTopologies, wrong)), Contains("match"));
}

TEST(SelectorRows, RuleThatComparesWhereItMustNotIsNoticed) {
  SelectorRules wrong;
  wrong.tolerates = [](const std::vector<api::Toleration>& tolerations,
                       const api::Taint& taint,
                       SelectorRules::Comparison) {
    return api::tolerates(tolerations, taint, SelectorRules::Comparison::kOn);
  };
  EXPECT_THAT(paths(check_selector_row(kTaints, wrong)), ElementsAre("tolerated.1"));
}

TEST(SelectorRows, RuleThatTakesPreferencesForRefusalsIsNoticed) {
  SelectorRules wrong;
  wrong.untolerated = [](const std::vector<api::Taint>& taints,
                         const std::vector<api::Toleration>&,
                         SelectorRules::Comparison) { return &taints.front(); };
  EXPECT_THAT(paths(check_selector_row(kTaints, wrong)), Contains("firstUntolerated.key"));
}

}  // namespace

}  // namespace berth::vector_check
