#include "api/rules/node_group.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <set>
#include <vector>

#include "base/node_set.h"

namespace berth::api {
namespace {

std::vector<std::size_t> members(const NodeGroup& group, std::size_t size) {
  NodeSet set(size);
  group.add_to(set);
  std::vector<std::size_t> numbers;
  set.for_each([&numbers](std::size_t node) { numbers.push_back(node); });
  return numbers;
}

TEST(NodeGroup, AddsItsMembersToWhatIsInTheSetAlready) {
  NodeGroup group(100);
  group.insert(99);
  NodeSet set(100);
  set.set(3);
  group.add_to(set);
  EXPECT_TRUE(set.test(3));
  EXPECT_TRUE(set.test(99));
  EXPECT_EQ(set.count(), 2U);
}

TEST(NodeGroup, HoldsTheSameMembersInBothFormsAndOnTheWayBetweenThem) {
  for (const std::size_t size : {1U, 5U, 64U, 640U}) {
    NodeGroup group(size);
    std::set<std::size_t> expected;
    std::mt19937_64 random(size);
    // Fills up, then empties: crosses the border between the forms both ways.
    for (int round = 0; round < 8000; ++round) {
      const bool is_filling = round / 2000 % 2 == 0;
      const std::size_t node = random() % size;
      const bool is_member = expected.contains(node);
      ASSERT_EQ(group.contains(node), is_member);
      if (!is_member && (is_filling || random() % 8 == 0)) {
        group.insert(node);
        expected.insert(node);
      } else if (is_member && (!is_filling || random() % 8 == 0)) {
        group.erase(node);
        expected.erase(node);
      }
      ASSERT_EQ(group.count(), expected.size());
      ASSERT_EQ(group.empty(), expected.empty());
      if (round % 64 == 0) {
        ASSERT_EQ(members(group, size), std::vector<std::size_t>(expected.begin(), expected.end()));
      }
    }
  }
}

TEST(NodeGroup, KeepsItsMembersWhenTheNumberingGrows) {
  for (const std::size_t count : {1U, 40U}) {
    NodeGroup group(40);
    for (std::size_t node = 0; node < count; ++node) {
      group.insert(node);
    }
    group.resize(1000);
    group.insert(999);
    const std::vector<std::size_t> result = members(group, 1000);
    ASSERT_EQ(result.size(), count + 1);
    EXPECT_EQ(result.back(), 999U);
  }
}

TEST(NodeGroupDeathTest, JoiningTwiceOrLeavingWithoutHavingJoinedAborts) {
  NodeGroup group(10);
  group.insert(1);
  EXPECT_DEATH(group.insert(1), "joins a group once");
  EXPECT_DEATH(group.erase(2), "leaves a group it is in");
  EXPECT_DEATH(group.insert(10), "below the size");
}

}  // namespace
}  // namespace berth::api
