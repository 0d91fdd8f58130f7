#include "framework/call_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "framework/points.h"
#include "rt/time.h"

namespace berth::framework {
namespace {

using std::chrono::seconds;

rt::Time at(int second) {
  return rt::Time(seconds(second));
}

TEST(CallWatch, ShowsTheInnermostCall) {
  const CallName outer{.plugin = "Outer", .point = Point::kPostFilter};
  const CallName inner{.plugin = "Inner", .point = Point::kExplain};
  CallWatch watch;
  EXPECT_FALSE(watch.look().has_value());
  {
    const CallWatch::Call first(watch, outer);
    {
      const CallWatch::Call second(watch, inner);
      EXPECT_EQ(watch.look()->name->plugin, "Inner");
    }
    EXPECT_EQ(watch.look()->name->plugin, "Outer");
  }
  EXPECT_FALSE(watch.look().has_value());
}

TEST(HangDetector, TellsOfACallThatDoesNotMoveOnce) {
  const CallName name{.plugin = "Slow", .point = Point::kFilter};
  CallWatch watch;
  HangDetector detector(seconds(10));
  const CallWatch::Call call(watch, name);
  EXPECT_FALSE(detector.step(watch.look(), at(5)).has_value());
  EXPECT_FALSE(detector.step(watch.look(), at(14)).has_value());
  const std::optional<Hang> hang = detector.step(watch.look(), at(15));
  ASSERT_TRUE(hang.has_value());
  EXPECT_EQ(hang->call.plugin, "Slow");
  EXPECT_EQ(hang->call.point, Point::kFilter);
  EXPECT_EQ(hang->seen_for, seconds(10));
  EXPECT_FALSE(detector.step(watch.look(), at(60)).has_value());
}

TEST(HangDetector, ManyShortCallsOfOnePluginAreNoHang) {
  const CallName name{.plugin = "Busy", .point = Point::kFilter};
  CallWatch watch;
  HangDetector detector(seconds(10));
  for (int second = 0; second < 60; ++second) {
    const CallWatch::Call call(watch, name);
    EXPECT_FALSE(detector.step(watch.look(), at(second)).has_value());
  }
}

TEST(HangDetector, NothingToSeeIsNoHang) {
  HangDetector detector(seconds(1));
  EXPECT_FALSE(detector.step(std::nullopt, at(0)).has_value());
  EXPECT_FALSE(detector.step(std::nullopt, at(100)).has_value());
}

}  // namespace
}  // namespace berth::framework
