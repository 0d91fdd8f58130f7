#include "kube/backoff.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "base/error.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::kube {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
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

TEST(Backoff, AServerKeepsNobodyAwayForLongerThanItMay) {
  const auto asked = [](milliseconds delay) {
    return retry_after(Error(ErrorCode::kTooManyRequests, "busy").with_retry_after(delay));
  };
  EXPECT_EQ(retry_after(Error(ErrorCode::kTooManyRequests, "busy")), rt::Duration{});
  EXPECT_EQ(asked(seconds(7)), seconds(7));
  EXPECT_EQ(asked(minutes(5)), minutes(5));
  EXPECT_EQ(asked(hours(24)), minutes(5));
  EXPECT_EQ(asked(milliseconds::max()), minutes(5));
}

}  // namespace
}  // namespace berth::kube
