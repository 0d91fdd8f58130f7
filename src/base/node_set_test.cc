#include "base/node_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <vector>

namespace berth {
namespace {

static_assert(std::forward_iterator<NodeSet::Iterator>);
static_assert(std::sentinel_for<std::default_sentinel_t, NodeSet::Iterator>);

NodeSet set_of(std::size_t size, const std::vector<std::size_t>& members) {
  NodeSet set(size);
  for (const std::size_t node : members) {
    set.set(node);
  }
  return set;
}

std::vector<std::size_t> members_by_range(const NodeSet& set) {
  std::vector<std::size_t> members;
  for (const std::size_t node : set) {
    members.push_back(node);
  }
  return members;
}

std::vector<std::size_t> members_by_visit(const NodeSet& set) {
  std::vector<std::size_t> members;
  set.for_each([&members](std::size_t node) { members.push_back(node); });
  return members;
}

// Around the borders of a 64-bit word and of a block of words, and the sizes we plan for.
class NodeSetOfSize : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Borders,
                         NodeSetOfSize,
                         testing::Values(0, 1, 63, 64, 65, 511, 512, 513, 5000, 100000));

TEST_P(NodeSetOfSize, StartsEmpty) {
  const NodeSet set(GetParam());
  EXPECT_EQ(set.size(), GetParam());
  EXPECT_EQ(set.count(), 0U);
  EXPECT_TRUE(set.none());
  EXPECT_EQ(set.find_first(), std::nullopt);
  EXPECT_EQ(set.begin(), set.end());
}

TEST_P(NodeSetOfSize, CanStartFull) {
  const NodeSet set = NodeSet::full(GetParam());
  EXPECT_EQ(set.size(), GetParam());
  EXPECT_EQ(set.count(), GetParam());
  EXPECT_EQ(set.any(), GetParam() > 0);
  EXPECT_EQ(members_by_range(set).size(), GetParam());
}

TEST_P(NodeSetOfSize, FullMinusFullIsEmpty) {
  EXPECT_EQ(NodeSet::full(GetParam()).subtract(NodeSet::full(GetParam())), NodeSet(GetParam()));
}

TEST_P(NodeSetOfSize, GrowsWithoutGainingMembers) {
  NodeSet set = NodeSet::full(GetParam());
  set.resize(GetParam() + 1);
  EXPECT_FALSE(set.test(GetParam()));
  set.resize(GetParam() + 200);
  EXPECT_EQ(set.size(), GetParam() + 200);
  EXPECT_EQ(set.count(), GetParam());
}

TEST_P(NodeSetOfSize, ForgetsMembersBeyondASmallerSize) {
  NodeSet set = NodeSet::full(GetParam() + 70);
  set.resize(GetParam());
  EXPECT_EQ(set, NodeSet::full(GetParam()));
  set.resize(GetParam() + 70);
  EXPECT_EQ(set.count(), GetParam());
}

TEST_P(NodeSetOfSize, SeesASingleMemberWhereverItIs) {
  const std::size_t size = GetParam();
  for (std::size_t node = 0; node < size; node += std::max<std::size_t>(1, size / 97)) {
    const NodeSet set = set_of(size, {node});
    ASSERT_TRUE(set.any()) << node;
    ASSERT_TRUE(set.test(node)) << node;
    ASSERT_TRUE(set.intersects(NodeSet::full(size))) << node;
    ASSERT_FALSE(set.is_subset_of(NodeSet(size))) << node;
    ASSERT_EQ(set.find_first(), node);
    ASSERT_EQ(set.find_from(node), node);
    ASSERT_EQ(set.find_next(node), std::nullopt) << node;
    ASSERT_EQ(members_by_range(set), std::vector<std::size_t>{node});
  }
}

// Every operation against a plain vector of booleans, over random sets of several densities.
struct Model {
  std::vector<bool> bits;
  NodeSet set;
};

Model random_model(std::size_t size, double density, std::mt19937_64& random) {
  Model model{std::vector<bool>(size), NodeSet(size)};
  std::bernoulli_distribution member(density);
  for (std::size_t node = 0; node < size; ++node) {
    if (member(random)) {
      model.bits[node] = true;
      model.set.set(node);
    }
  }
  return model;
}

void expect_agree(const Model& model) {
  std::vector<std::size_t> members;
  for (std::size_t node = 0; node < model.bits.size(); ++node) {
    if (model.bits[node]) {
      members.push_back(node);
    }
    ASSERT_EQ(model.set.test(node), model.bits[node]) << node;
  }
  ASSERT_EQ(model.set.count(), members.size());
  ASSERT_EQ(model.set.any(), !members.empty());
  ASSERT_EQ(model.set.none(), members.empty());
  ASSERT_EQ(members_by_range(model.set), members);
  ASSERT_EQ(members_by_visit(model.set), members);

  std::vector<std::size_t> found;
  for (auto node = model.set.find_first(); node; node = model.set.find_next(*node)) {
    found.push_back(*node);
  }
  ASSERT_EQ(found, members);
}

template <typename Combine>
std::vector<bool> combined(const Model& a, const Model& b, const Combine& combine) {
  std::vector<bool> bits(a.bits.size());
  for (std::size_t node = 0; node < bits.size(); ++node) {
    bits[node] = combine(a.bits[node], b.bits[node]);
  }
  return bits;
}

void expect_pair_agrees(const Model& a, const Model& b) {
  const auto both = combined(a, b, [](bool x, bool y) { return x && y; });
  const auto either = combined(a, b, [](bool x, bool y) { return x || y; });
  const auto only_a = combined(a, b, [](bool x, bool y) { return x && !y; });
  const auto common = static_cast<std::size_t>(std::count(both.begin(), both.end(), true));
  const bool a_has_more = std::find(only_a.begin(), only_a.end(), true) != only_a.end();

  EXPECT_EQ(a.set.count_common(b.set), common);
  EXPECT_EQ(a.set.intersects(b.set), common > 0);
  EXPECT_EQ(a.set.is_subset_of(b.set), !a_has_more);
  EXPECT_EQ(a.set == b.set, a.bits == b.bits);

  NodeSet set = a.set;
  expect_agree({both, set &= b.set});
  set = a.set;
  expect_agree({either, set |= b.set});
  set = a.set;
  expect_agree({only_a, set.subtract(b.set)});
}

TEST_P(NodeSetOfSize, AgreesWithAVectorOfBooleans) {
  constexpr std::uint64_t kSeed = 20240611;
  std::mt19937_64 random(kSeed);
  for (const double density : {0.0, 0.001, 0.5, 0.999, 1.0}) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " density " << density);
    const Model a = random_model(GetParam(), density, random);
    const Model b = random_model(GetParam(), 0.5, random);
    expect_agree(a);
    expect_pair_agrees(a, b);
    expect_pair_agrees(b, a);
    expect_pair_agrees(a, a);
  }
}

TEST(NodeSet, ResetTakesAMemberOut) {
  NodeSet set = set_of(130, {3, 64, 129});
  set.reset(64);
  set.reset(65);
  EXPECT_EQ(set, set_of(130, {3, 129}));
}

TEST(NodeSet, FindsFromAnyNumber) {
  const NodeSet set = set_of(200, {5, 64, 199});
  EXPECT_EQ(set.find_from(0), 5U);
  EXPECT_EQ(set.find_from(6), 64U);
  EXPECT_EQ(set.find_from(65), 199U);
  EXPECT_EQ(set.find_from(200), std::nullopt);
  EXPECT_EQ(set.find_next(5), 64U);
  EXPECT_EQ(set.find_next(199), std::nullopt);
  EXPECT_EQ(set.find_next(static_cast<std::size_t>(-1)), std::nullopt);
}

TEST(NodeSet, PassesSeveralTimesOverOneIterator) {
  const NodeSet set = set_of(200, {5, 64});
  auto it = set.begin();
  const auto saved = it++;
  EXPECT_EQ(*saved, 5U);
  EXPECT_EQ(*it, 64U);
  EXPECT_NE(saved, it);
  EXPECT_EQ(saved, set.begin());
}

TEST(NodeSetDeathTest, RefusesANumberBeyondItsSize) {
  NodeSet set(64);
  EXPECT_DEATH(static_cast<void>(set.test(64)), "below the size");
  EXPECT_DEATH(set.set(64), "below the size");
  EXPECT_DEATH(set.reset(64), "below the size");
}

TEST(NodeSetDeathTest, RefusesToCombineSetsOfDifferentNumberings) {
  NodeSet set(64);
  const NodeSet other(63);
  EXPECT_DEATH(set &= other, "one numbering");
  EXPECT_DEATH(set |= other, "one numbering");
  EXPECT_DEATH(set.subtract(other), "one numbering");
  EXPECT_DEATH(static_cast<void>(set == other), "one numbering");
  EXPECT_DEATH(static_cast<void>(set.intersects(other)), "one numbering");
  EXPECT_DEATH(static_cast<void>(set.is_subset_of(other)), "one numbering");
  EXPECT_DEATH(static_cast<void>(set.count_common(other)), "one numbering");
}

}  // namespace
}  // namespace berth
