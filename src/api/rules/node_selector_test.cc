#include "api/rules/node_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/rules/node_label_index.h"
#include "base/error.h"
#include "base/node_set.h"

namespace berth::api {
namespace {

const StringMap kLabels{{"zone", "b"}, {"generation", "10"}};

NodeMatch match(const CompiledNodeSelector& selector, std::string_view name = "node-1") {
  return selector.match(name, kLabels);
}

CompiledNodeSelector compile(std::vector<NodeSelectorTerm> terms) {
  return CompiledNodeSelector::compile({.node_selector_terms = std::move(terms)});
}

std::string fault_of(std::vector<NodeSelectorTerm> terms) {
  const CompiledNodeSelector selector = compile(std::move(terms));
  const std::optional<Error>& fault = selector.fault();
  return fault ? fault->text() : "";
}

NodeSelectorTerm labels(std::vector<NodeSelectorRequirement> requirements) {
  return {.match_expressions = std::move(requirements)};
}

NodeSelectorTerm fields(std::vector<NodeSelectorRequirement> requirements) {
  return {.match_fields = std::move(requirements)};
}

TEST(NodeSelector, OneTermMustMatchAndAllOfItsRequirements) {
  EXPECT_TRUE(match(compile({labels({{"zone", "In", {"a"}}}),
                             labels({{"zone", "In", {"b"}}, {"generation", "Gt", {"9"}}})}))
                  .is_match);
  EXPECT_FALSE(
      match(compile({labels({{"zone", "In", {"b"}}, {"generation", "Gt", {"10"}}})})).is_match);
}

TEST(NodeSelector, NoTermsAndEmptyTermsMatchNothing) {
  EXPECT_FALSE(match(compile({})).is_match);
  const CompiledNodeSelector empty_term = compile({{}});
  EXPECT_FALSE(match(empty_term).is_match);
  EXPECT_FALSE(empty_term.fault().has_value());
}

TEST(NodeSelector, FieldsKnowTheNameAndNothingElse) {
  EXPECT_TRUE(match(compile({fields({{"metadata.name", "In", {"node-1"}}})})).is_match);
  EXPECT_FALSE(match(compile({fields({{"metadata.name", "In", {"node-2"}}})})).is_match);
  EXPECT_FALSE(match(compile({fields({{"metadata.name", "NotIn", {"node-1"}}})})).is_match);
  EXPECT_FALSE(match(compile({fields({{"spec.unschedulable", "In", {"true"}}})})).is_match);
  EXPECT_TRUE(match(compile({fields({{"spec.unschedulable", "In", {""}}})})).is_match);
  EXPECT_TRUE(match(compile({fields({{"spec.unschedulable", "NotIn", {"true"}}})})).is_match);
}

TEST(NodeSelector, FieldsOfANodeWithoutNameAreNotLookedAt) {
  EXPECT_TRUE(match(compile({fields({{"metadata.name", "In", {"node-2"}}})}), "").is_match);
}

TEST(NodeSelector, FaultIsToldOnlyWhereNothingMatches) {
  const std::vector<NodeSelectorTerm> terms{labels({{"zone", "Foo", {}}}),
                                            labels({{"zone", "In", {"b"}}})};
  const CompiledNodeSelector selector = compile(terms);
  const std::string expected =
      "nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: \"Foo\": supported "
      "values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"";
  EXPECT_EQ(fault_of(terms), expected);
  EXPECT_TRUE(match(selector).is_match);
  EXPECT_EQ(match(selector).error, nullptr);
  const NodeMatch other = selector.match("node-1", {{"zone", "a"}});
  EXPECT_FALSE(other.is_match);
  ASSERT_NE(other.error, nullptr);
  EXPECT_EQ(other.error->text(), expected);
}

TEST(NodeSelector, ATermWithOneFaultNeverMatches) {
  EXPECT_FALSE(
      match(compile({labels({{"zone", "In", {"b"}}, {"a b", "DoesNotExist", {}}})})).is_match);
  EXPECT_FALSE(match(compile({{.match_expressions = {{"zone", "In", {"b"}}},
                               .match_fields = {{"metadata.name", "Exists", {}}}}}))
                   .is_match);
}

TEST(NodeSelector, FieldsTakeInAndNotInWithOneValue) {
  EXPECT_EQ(fault_of({fields({{"metadata.name", "Gt", {"1"}}})}),
            "nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: \"Gt\": supported "
            "values: \"In\", \"NotIn\"");
  EXPECT_EQ(fault_of({{}, fields({{"metadata.name", "NotIn", {"a", "b"}}})}),
            "nodeSelectorTerms[1].matchFields[0].values: Invalid value: [\"a\",\"b\"]: must have "
            "one element");
}

TEST(NodeSelector, IgnoredFieldsAreCheckedAllTheSame) {
  const auto ignoring = [](const NodeSelectorTerm& term) {
    return CompiledNodeSelector::compile({.node_selector_terms = {term}},
                                         CompiledNodeSelector::Fields::kIgnore);
  };
  EXPECT_TRUE(match(ignoring(fields({{"metadata.name", "In", {"node-2"}}}))).is_match);
  EXPECT_FALSE(match(ignoring(fields({{"metadata.name", "In", {}}}))).is_match);
}

// Both forms are one set of rules: on random selectors, valid and not, over random nodes they
// agree.
class TwoForms : public testing::Test {
 protected:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::string pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  NodeSelectorRequirement random_requirement(const std::vector<std::string>& keys) {
    NodeSelectorRequirement requirement{
        .key = pick(keys),
        .op = pick({"In", "In", "NotIn", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Foo"})};
    const bool is_unary = requirement.op == "Exists" || requirement.op == "DoesNotExist";
    const std::size_t count = below(20) == 0 ? below(4) : is_unary ? 0 : 1 + below(2);
    for (std::size_t i = 0; i < count; ++i) {
      requirement.values.push_back(pick({"1", "2", "3", "x", "", "node-1", "node-2", "node-70"}));
    }
    return requirement;
  }

  NodeSelector random_selector() {
    NodeSelector selector;
    const std::size_t terms = below(4);
    for (std::size_t t = 0; t < terms; ++t) {
      NodeSelectorTerm term;
      const std::size_t expressions = below(4);
      for (std::size_t i = 0; i < expressions; ++i) {
        term.match_expressions.push_back(random_requirement({"a", "b", "c", "absent"}));
      }
      if (below(4) == 0) {
        term.match_fields.push_back(
            random_requirement({"metadata.name", "metadata.name", "other"}));
      }
      selector.node_selector_terms.push_back(term);
    }
    return selector;
  }

  StringMap random_labels() {
    StringMap labels;
    for (const char* key : {"a", "b", "c"}) {
      if (below(3) != 0) {
        labels[key] = pick({"1", "2", "3", "4", "x", ""});
      }
    }
    return labels;
  }

 private:
  std::mt19937_64 random_{11};
};

TEST_F(TwoForms, Agree) {
  constexpr std::size_t kNodes = 100;
  NodeLabelIndex index(kNodes);
  std::vector<StringMap> nodes(kNodes);
  for (std::size_t node = 0; node < kNodes; node += 1 + below(2)) {
    nodes[node] = random_labels();
    index.set(node, "node-" + std::to_string(node), nodes[node]);
  }
  NodeScratch scratch;
  std::size_t matches = 0;
  for (int round = 0; round < 3000; ++round) {
    const CompiledNodeSelector selector = CompiledNodeSelector::compile(random_selector());
    NodeSet candidates = NodeSet::full(kNodes);
    candidates.reset(below(kNodes));
    NodeSet narrowed = candidates;
    selector.narrow(index, narrowed, scratch);
    for (std::size_t node = 0; node < kNodes; ++node) {
      const bool expected = candidates.test(node) && index.nodes().test(node) &&
                            selector.match("node-" + std::to_string(node), nodes[node]).is_match;
      ASSERT_EQ(narrowed.test(node), expected) << "round " << round << " node " << node;
      matches += expected ? 1 : 0;
    }
  }
  EXPECT_GT(matches, 10'000U) << "the selectors are too strict to tell anything";
}

}  // namespace
}  // namespace berth::api
