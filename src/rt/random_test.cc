#include "rt/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "rt/time.h"

namespace berth::rt {
namespace {

TEST(Random, IsTheSameOnEveryMachine) {
  // The published values of SplitMix64 for this seed.
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(Random, DrawsEveryNumberBelowItsBoundAboutEquallyOften) {
  Random random(1);
  std::array<int, 10> counts{};
  for (int i = 0; i < 100'000; ++i) {
    ++counts.at(random.below(10));
  }
  // A fair one strays this far (5 standard deviations) once in a million.
  EXPECT_GT(*std::ranges::min_element(counts), 10'000 - 475);
  EXPECT_LT(*std::ranges::max_element(counts), 10'000 + 475);
}

TEST(Random, ARangeHasBothItsEnds) {
  Random random(1);
  std::array<bool, 5> is_seen{};
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t number = random.between(-2, 2);
    ASSERT_GE(number, -2);
    ASSERT_LE(number, 2);
    is_seen.at(static_cast<std::size_t>(number + 2)) = true;
  }
  EXPECT_TRUE(std::ranges::all_of(is_seen, [](bool seen) { return seen; }));
  EXPECT_EQ(random.between(Duration(7), Duration(7)), Duration(7));
}

TEST(Random, ARangeMayBeAllThereIs) {
  Random random(1);
  bool has_negative = false;
  bool has_positive = false;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t number = random.between(std::numeric_limits<std::int64_t>::min(),
                                               std::numeric_limits<std::int64_t>::max());
    (number < 0 ? has_negative : has_positive) = true;
  }
  EXPECT_TRUE(has_negative && has_positive);
}

TEST(Random, OneInNoneNeverAndOneInOneAlways) {
  Random random(1);
  int hits = 0;
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_FALSE(random.one_in(0));
    ASSERT_TRUE(random.one_in(1));
    hits += random.one_in(10) ? 1 : 0;
  }
  EXPECT_NEAR(hits, 1000, 150);
}

TEST(Random, AUnitIsBelowOne) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double unit = random.unit();
    ASSERT_GE(unit, 0.0);
    ASSERT_LT(unit, 1.0);
    sum += unit;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

TEST(Random, AForkIsNotShiftedByWhatItsParentDraws) {
  Random one(1);
  Random other(1);
  Random fork_of_one = one.fork();
  Random fork_of_other = other.fork();
  other.next();
  EXPECT_EQ(fork_of_one.next(), fork_of_other.next());
  EXPECT_NE(one.next(), other.next());
}

TEST(RandomDeathTest, RefusesEmptyRanges) {
  Random random(1);
  EXPECT_DEATH(random.below(0), "no number below zero");
  EXPECT_DEATH(random.between(1, 0), "a first and a last");
}

}  // namespace
}  // namespace berth::rt
