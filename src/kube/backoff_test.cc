#include "kube/backoff.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "rt/random.h"
#include "rt/time.h"

namespace berth::kube {
namespace {

using std::chrono::seconds;

TEST(Backoff, DoublesUpToItsMaximum) {
  const Backoff backoff{.min = seconds(1), .max = seconds(10)};
  EXPECT_EQ(backoff.after(1), seconds(1));
  EXPECT_EQ(backoff.after(2), seconds(2));
  EXPECT_EQ(backoff.after(4), seconds(8));
  EXPECT_EQ(backoff.after(5), seconds(10));
  EXPECT_EQ(backoff.after(4'000'000'000), seconds(10));
}

TEST(Backoff, IsStretchedByUpToItsOwnLength) {
  const Backoff backoff{.min = seconds(1), .max = seconds(10)};
  rt::Random random(1);
  for (std::uint32_t i = 0; i < 100; ++i) {
    const rt::Duration delay = backoff.after(2, random);
    EXPECT_GE(delay, seconds(2));
    EXPECT_LE(delay, seconds(4));
  }
}

TEST(Backoff, AWaitMayBeLongerThanTime) {
  EXPECT_EQ(end_of(rt::Time(seconds(1)), rt::Duration::max()), rt::kNever);
  EXPECT_EQ(end_of(rt::Time(seconds(1)), seconds(1)), rt::Time(seconds(2)));
}

}  // namespace
}  // namespace berth::kube
