#include "base/snapshot_vector.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace berth {
namespace {

TEST(SnapshotVector, HoldsWhatWasPutIn) {
  SnapshotVector<std::string> vector;
  EXPECT_TRUE(vector.empty());
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(vector.push_back(std::to_string(i)), static_cast<std::size_t>(i));
  }
  EXPECT_EQ(vector.size(), 200U);
  EXPECT_EQ(vector[0], "0");
  EXPECT_EQ(vector[199], "199");
}

TEST(SnapshotVector, CopiesStayAsTheyWere) {
  SnapshotVector<int> vector;
  for (int i = 0; i < 200; ++i) {
    vector.push_back(i);
  }
  const SnapshotVector<int> copy = vector;
  vector.edit(100) = -1;
  vector.push_back(200);
  EXPECT_EQ(copy[100], 100);
  EXPECT_EQ(copy.size(), 200U);
  EXPECT_EQ(vector[100], -1);
  // The copy shares the chunk that was full, not the place behind its end.
  SnapshotVector<int> other = copy;
  other.push_back(7);
  EXPECT_EQ(other[200], 7);
  EXPECT_EQ(vector[200], 200);
}

TEST(SnapshotVector, ChangesInPlaceWhileNobodyElseLooks) {
  SnapshotVector<std::vector<int>> vector;
  vector.push_back({1});
  const std::vector<int>* before = &vector[0];
  vector.edit(0).push_back(2);
  EXPECT_EQ(before, &vector[0]);
}

}  // namespace
}  // namespace berth
