#include "kube/token_bucket.h"

#include <gtest/gtest.h>

#include <chrono>

#include "rt/time.h"

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TokenBucket, GivesItsBurstAndThenOneARefill) {
  rt::Time now(seconds(100));
  TokenBucket bucket({.burst = 3, .refill = seconds(10)}, now);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(bucket.take(now));
  }
  EXPECT_FALSE(bucket.take(now));
  EXPECT_EQ(bucket.next(now), now + seconds(10));
  now += milliseconds(9'999);
  EXPECT_FALSE(bucket.take(now));
  now += milliseconds(1);
  EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
}

TEST(TokenBucket, FillsUpToItsBurstAndNoFurther) {
  rt::Time now(seconds(100));
  TokenBucket bucket({.burst = 2, .refill = seconds(10)}, now);
  EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.is_full(now));
  now += seconds(1000);
  EXPECT_TRUE(bucket.is_full(now));
  EXPECT_TRUE(bucket.take(now));
  EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
}

}  // namespace
}  // namespace berth::kube
