#include "base/snapshot_map.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace berth {
namespace {

using Numbers = SnapshotMap<int, std::string>;

template <typename Map>
std::map<int, std::string> contents(const Map& map) {
  std::map<int, std::string> all;
  for (const auto& [key, value] : map) {
    all.emplace_hint(all.end(), key, value);
  }
  return all;
}

TEST(SnapshotMap, IsEmptyAtFirst) {
  const Numbers map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.find(1), nullptr);
  EXPECT_TRUE(map.begin() == map.end());
  EXPECT_TRUE(map.lower_bound(1) == map.end());
}

TEST(SnapshotMap, FindsWhatWasSet) {
  Numbers map;
  map.set(2, "two");
  map.set(1, "one");
  map.set(2, "zwei");
  ASSERT_NE(map.find(2), nullptr);
  EXPECT_EQ(*map.find(2), "zwei");
  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(map.back().key, 2);
}

TEST(SnapshotMap, IsFoundByTextThatIsNoString) {
  SnapshotMap<std::string, int> map;
  map.set("a", 1);
  EXPECT_EQ(*map.find(std::string_view("a")), 1);
}

TEST(SnapshotMap, CopiesStayAsTheyWere) {
  Numbers map;
  for (int i = 0; i < 1000; ++i) {
    map.set(i, std::to_string(i));
  }
  const Numbers copy = map;
  map.set(500, "changed");
  map.erase(1);
  map.set(2000, "new");
  EXPECT_EQ(*copy.find(500), "500");
  EXPECT_NE(copy.find(1), nullptr);
  EXPECT_EQ(copy.find(2000), nullptr);
  EXPECT_EQ(copy.size(), 1000U);
}

TEST(SnapshotMap, IsEmptyAfterItWasMovedAway) {
  Numbers map;
  map.set(1, "one");
  const Numbers other = std::move(map);
  EXPECT_EQ(*other.find(1), "one");
  // NOLINTNEXTLINE(bugprone-use-after-move): that is the question
  EXPECT_EQ(map.find(1), nullptr);
  map.set(2, "two");
  EXPECT_EQ(map.size(), 1U);
}

TEST(SnapshotMap, LowerBoundBeginsAtTheFirstThatIsNotLess) {
  Numbers map;
  for (int i = 0; i < 1000; i += 10) {
    map.set(i, "");
  }
  EXPECT_EQ(map.lower_bound(15)->key, 20);
  EXPECT_EQ(map.lower_bound(20)->key, 20);
  EXPECT_EQ(map.lower_bound(-5)->key, 0);
  EXPECT_TRUE(map.lower_bound(991) == map.end());
}

// Changes, copies and their ends in any order: each copy is what a std::map was at its moment.
TEST(SnapshotMap, AgreesWithAMapCopiedWhole) {
  std::mt19937 dice(7);
  Numbers map;
  std::map<int, std::string> truth;
  std::vector<std::pair<Numbers, std::map<int, std::string>>> copies;
  for (int step = 0; step < 20'000; ++step) {
    const int key = static_cast<int>(dice() % 700);
    // Phases in which it grows and in which it shrinks: chunks split and join.
    if (dice() % 10 < (step / 2000 % 2 == 0 ? 7U : 3U)) {
      map.set(key, std::to_string(step));
      truth[key] = std::to_string(step);
    } else {
      EXPECT_EQ(map.erase(key), truth.erase(key) == 1);
    }
    if (dice() % 200 == 0) {
      copies.emplace_back(map, truth);
    }
    if (copies.size() > 8) {
      copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(dice() % copies.size()));
    }
    ASSERT_EQ(map.size(), truth.size());
    if (step % 100 == 0) {
      ASSERT_EQ(contents(map), truth);
      const auto bound = truth.lower_bound(key);
      ASSERT_EQ(map.lower_bound(key) == map.end(), bound == truth.end());
      if (bound != truth.end()) {
        ASSERT_EQ(map.lower_bound(key)->key, bound->first);
      }
    }
  }
  for (const auto& [copy, was] : copies) {
    EXPECT_EQ(contents(copy), was);
  }
}

}  // namespace
}  // namespace berth
