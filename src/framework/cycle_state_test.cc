#include "framework/cycle_state.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace berth::framework {
namespace {

TEST(CycleState, SF_005_ACloneHasValuesOfItsOwn) {
  StateLayout layout;
  const Slot<std::vector<int>> slot(layout);
  CycleState state(layout);
  state.put(slot, {1, 2});
  CycleState clone = state.clone();
  clone.find(slot)->push_back(3);
  EXPECT_EQ(*state.find(slot), (std::vector{1, 2}));
  EXPECT_EQ(*clone.find(slot), (std::vector{1, 2, 3}));
}

TEST(CycleState, SF_006_CloneOfNothingIsNothing) {
  StateLayout layout;
  const Slot<int> slot(layout);
  const CycleState clone = CycleState(layout).clone();
  EXPECT_EQ(clone.find(slot), nullptr);
  EXPECT_TRUE(clone.skips_filter.none());
}

TEST(CycleState, SF_007_ACloneKnowsWhoSkips) {
  CycleState state{StateLayout()};
  state.skips_filter.set(3);
  state.skips_score.set(5);
  const CycleState clone = state.clone();
  EXPECT_TRUE(clone.skips_filter.test(3));
  EXPECT_TRUE(clone.skips_score.test(5));
}

TEST(CycleState, SF_008_WhatWasNeverPutIsNotFound) {
  StateLayout layout;
  const Slot<int> first(layout);
  const Slot<std::string> second(layout);
  CycleState state(layout);
  state.put(first, 1);
  EXPECT_EQ(state.find(second), nullptr);
  EXPECT_EQ(*state.find(first), 1);
  state.erase(first);
  EXPECT_EQ(state.find(first), nullptr);
}

TEST(CycleState, PuttingAgainReplaces) {
  StateLayout layout;
  const Slot<std::string> slot(layout);
  CycleState state(layout);
  state.put(slot, "a");
  state.put(slot, "b");
  EXPECT_EQ(*state.find(slot), "b");
}

TEST(CycleState, MovesAlongWithItsValues) {
  StateLayout layout;
  const Slot<std::shared_ptr<const int>> slot(layout);
  CycleState state(layout);
  state.put(slot, std::make_shared<const int>(7));
  const CycleState moved = std::move(state);
  EXPECT_EQ(**moved.find(slot), 7);
}

TEST(CycleStateDeathTest, ASlotOfALaterLayoutIsAMistake) {
  StateLayout layout;
  CycleState state(layout);
  const Slot<int> late(layout);
  EXPECT_EQ(state.find(late), nullptr);
  EXPECT_DEATH(state.put(late, 1), "own layout");
}

}  // namespace
}  // namespace berth::framework
