// What several threads do to an instrument is tested in metrics_test.cc.
#include "base/instruments.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace berth {
namespace {

TEST(Counter, AddsUp) {
  Counter counter;
  EXPECT_EQ(counter.value(), 0U);
  counter.add();
  counter.add(41);
  EXPECT_EQ(counter.value(), 42U);
}

TEST(Counter, KeepsThreadsOnDifferentCacheLines) {
  EXPECT_EQ(alignof(Counter), kCacheLineBytes);
  EXPECT_EQ(sizeof(Counter), kCacheLineBytes * kInstrumentShards);
}

TEST(Gauge, IsSetAndMovesBothWays) {
  Gauge gauge;
  EXPECT_EQ(gauge.value(), 0.0);
  gauge.set(2.5);
  gauge.add(1);
  gauge.add(-3);
  EXPECT_EQ(gauge.value(), 0.5);
}

TEST(Histogram, CountsAValueUnderTheFirstBoundThatIsNotBelowIt) {
  Histogram histogram({1, 2, 4});
  for (const double value : {-1.0, 1.0, 1.5, 2.0, 4.0, 4.001, 1e9}) {
    histogram.observe(value);
  }
  histogram.observe(std::numeric_limits<double>::infinity());
  EXPECT_EQ(histogram.read().counts, (std::vector<std::uint64_t>{2, 2, 1, 3}));
}

TEST(Histogram, SumsWhatItSaw) {
  Histogram histogram({1});
  histogram.observe(0.5);
  histogram.observe(2.25);
  EXPECT_EQ(histogram.read().sum, 2.75);
}

TEST(Histogram, HasRoomForTheLargestNumberOfBounds) {
  std::vector<double> bounds(kHistogramBoundsMax);
  std::iota(bounds.begin(), bounds.end(), 0.0);
  Histogram histogram(bounds);
  histogram.observe(1000);
  EXPECT_EQ(histogram.read().counts.back(), 1U);
  EXPECT_EQ(histogram.read().counts.size(), kHistogramBoundsMax + 1);
}

TEST(HistogramDeathTest, RefusesBoundsThatMakeNoRanges) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_DEATH(Histogram({}), "between one bound");
  EXPECT_DEATH(Histogram(std::vector<double>(kHistogramBoundsMax + 1, 0.0)), "between one bound");
  EXPECT_DEATH(Histogram({1, 1}), "bounds ascend");
  EXPECT_DEATH(Histogram({2, 1}), "bounds ascend");
  EXPECT_DEATH(Histogram({1, infinity}), "is implied");
}

TEST(HistogramDeathTest, TakesNaNForABug) {
  Histogram histogram({1});
  EXPECT_DEATH(histogram.observe(std::numeric_limits<double>::quiet_NaN()), "bug: .*is a number");
}

}  // namespace
}  // namespace berth
