#include "rt/time.h"

#include <gtest/gtest.h>

#include <chrono>

namespace berth::rt {
namespace {

using std::chrono::seconds;

TEST(Time, AWaitMayBeLongerThanTimeIs) {
  EXPECT_EQ(after(Time(seconds(1)), Duration::max()), kNever);
  EXPECT_EQ(after(Time(seconds(-1)), Duration::max()), kNever - seconds(1));
  EXPECT_EQ(after(Time(seconds(1)), seconds(1)), Time(seconds(2)));
}

}  // namespace
}  // namespace berth::rt
