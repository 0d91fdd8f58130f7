#include "api/rules/node_label_index.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "api/rules/field_errors.h"
#include "api/rules/requirement.h"
#include "base/node_set.h"

namespace berth::api {
namespace {

using Operator = Requirement::Operator;

Requirement requirement(const std::string& key,
                        Operator op,
                        const std::vector<std::string>& values = {}) {
  FieldErrors errors;
  auto compiled = compile_requirement(key, op, values, "", errors);
  EXPECT_TRUE(compiled) << errors.text();
  return compiled.value_or(Requirement{});
}

std::vector<std::size_t> selected(const NodeLabelIndex& index, const Requirement& requirement) {
  NodeSet nodes = index.nodes();
  NodeSet scratch(index.size());
  index.narrow(requirement, nodes, scratch);
  std::vector<std::size_t> numbers;
  nodes.for_each([&numbers](std::size_t node) { numbers.push_back(node); });
  return numbers;
}

using Numbers = std::vector<std::size_t>;

TEST(NodeLabelIndex, AnswersEachOperator) {
  NodeLabelIndex index(5);
  index.set(0, "a", {{"zone", "x"}, {"generation", "9"}});
  index.set(1, "b", {{"zone", "y"}, {"generation", "10"}});
  index.set(2, "c", {{"zone", "z"}, {"generation", "new"}});
  index.set(4, "d", {});
  EXPECT_EQ(selected(index, requirement("zone", Operator::kIn, {"x", "z", "w"})), (Numbers{0, 2}));
  EXPECT_EQ(selected(index, requirement("zone", Operator::kNotIn, {"x", "z"})), (Numbers{1, 4}));
  EXPECT_EQ(selected(index, requirement("zone", Operator::kExists)), (Numbers{0, 1, 2}));
  EXPECT_EQ(selected(index, requirement("zone", Operator::kDoesNotExist)), (Numbers{4}));
  EXPECT_EQ(selected(index, requirement("generation", Operator::kGt, {"9"})), (Numbers{1}));
  EXPECT_EQ(selected(index, requirement("generation", Operator::kLt, {"10"})), (Numbers{0}));
}

TEST(NodeLabelIndex, KeyThatNoNodeHasIsAbsentEverywhere) {
  NodeLabelIndex index(2);
  index.set(0, "a", {{"zone", "x"}});
  index.set(1, "b", {});
  EXPECT_EQ(selected(index, requirement("rack", Operator::kExists)), Numbers{});
  EXPECT_EQ(selected(index, requirement("rack", Operator::kIn, {"1"})), Numbers{});
  EXPECT_EQ(selected(index, requirement("rack", Operator::kGt, {"1"})), Numbers{});
  EXPECT_EQ(selected(index, requirement("rack", Operator::kNotIn, {"1"})), (Numbers{0, 1}));
  EXPECT_EQ(selected(index, requirement("rack", Operator::kDoesNotExist)), (Numbers{0, 1}));
}

TEST(NodeLabelIndex, RequirementCompiledEarlierFindsAValueThatAppearsLater) {
  const Requirement wants_new_zone = requirement("zone", Operator::kIn, {"new"});
  const Requirement wants_greater = requirement("generation", Operator::kGt, {"5"});
  NodeLabelIndex index(1);
  EXPECT_EQ(selected(index, wants_new_zone), Numbers{});
  index.resize(2);
  index.set(1, "late", {{"zone", "new"}, {"generation", "6"}});
  EXPECT_EQ(selected(index, wants_new_zone), (Numbers{1}));
  EXPECT_EQ(selected(index, wants_greater), (Numbers{1}));
}

TEST(NodeLabelIndex, NumberThatIsGivenToAnotherNodeForgetsTheFirst) {
  NodeLabelIndex index(1);
  index.set(0, "a", {{"zone", "x"}, {"only-a", "1"}});
  index.set(0, "b", {{"zone", "x"}});
  EXPECT_EQ(index.find_node("a"), std::nullopt);
  EXPECT_EQ(index.find_node("b"), 0U);
  EXPECT_EQ(selected(index, requirement("only-a", Operator::kExists)), Numbers{});
  index.remove(0);
  index.remove(0);
  EXPECT_EQ(index.find_node("b"), std::nullopt);
  EXPECT_TRUE(index.nodes().none());
}

TEST(NodeLabelIndexDeathTest, OneNameUnderTwoNumbersAborts) {
  NodeLabelIndex index(2);
  index.set(0, "a", {});
  EXPECT_DEATH(index.set(1, "a", {}), "two numbers do not stand for one node");
  EXPECT_DEATH(index.set(1, "", {}), "has a name");
}

// What the index answers is what looking at each node's labels gives, at any time of a random
// history of nodes that come, change and go.
class RandomHistory : public testing::Test {
 protected:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::string pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  void grow() {
    size_ += below(60);
    index_.resize(size_);
  }

  void change_a_node() {
    const std::size_t number = below(size_);
    if (below(4) == 0) {
      index_.remove(number);
      nodes_.erase(number);
      return;
    }
    StringMap labels;
    for (const std::string& key : keys_) {
      if (below(3) != 0) {
        labels[key] = pick(values_);
      }
    }
    index_.set(number, "node-" + std::to_string(number), labels);
    nodes_[number] = labels;
  }

  Requirement random_requirement() {
    const auto op = static_cast<Operator>(below(6));
    std::vector<std::string> operands;
    if (op == Operator::kIn || op == Operator::kNotIn) {
      const std::size_t count = 1 + below(9);
      for (std::size_t i = 0; i < count; ++i) {
        const std::string value = pick(values_);
        operands.push_back(value == "-5" ? "unseen" : value);
      }
    } else if (op == Operator::kGt || op == Operator::kLt) {
      operands.push_back(std::to_string(below(4)));
    }
    return requirement(pick(keys_), op, operands);
  }

  Numbers looked_up(const Requirement& wanted) const {
    Numbers numbers;
    for (const auto& [node, labels] : nodes_) {
      if (wanted.matches(labels)) {
        numbers.push_back(node);
      }
    }
    return numbers;
  }

  const NodeLabelIndex& index() const { return index_; }

 private:
  const std::vector<std::string> keys_{"a", "b", "c", "d"};
  const std::vector<std::string> values_{"", "1", "2", "007", "-5", "x", "9223372036854775808"};
  std::mt19937_64 random_{7};
  std::size_t size_ = 3;
  NodeLabelIndex index_{size_};
  std::map<std::size_t, StringMap> nodes_;
};

TEST_F(RandomHistory, AnswersAreThoseOfLookingAtEachNode) {
  for (int round = 0; round < 4000; ++round) {
    if (round % 100 == 0) {
      grow();
    }
    change_a_node();
    const Requirement wanted = random_requirement();
    ASSERT_EQ(selected(index(), wanted), looked_up(wanted))
        << "round " << round << " key " << wanted.key << " operator "
        << static_cast<int>(wanted.op);
  }
}

}  // namespace
}  // namespace berth::api
