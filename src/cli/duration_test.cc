#include "cli/duration.h"

#include <gtest/gtest.h>

#include <chrono>

namespace berth::cli {
namespace {

using std::chrono::milliseconds;

TEST(Duration, IsReadWithItsUnits) {
  EXPECT_EQ(*parse_duration("15s"), milliseconds(15'000));
  EXPECT_EQ(*parse_duration("1m30s"), milliseconds(90'000));
  EXPECT_EQ(*parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(*parse_duration("0s"), milliseconds(0));
  EXPECT_EQ(*parse_duration("24h"), std::chrono::hours(24));
}

TEST(Duration, RefusesWhatIsNone) {
  for (const char* text : {"", "5", "s", "-1s", "1.5s", "25h", "24h1s", "1s ", "99999999999s"}) {
    EXPECT_FALSE(parse_duration(text).has_value()) << text;
  }
  EXPECT_EQ(parse_duration("5\n").error().text(),
            "'5\\n': expected a time up to 24h, such as 15s, 1m30s or 500ms");
}

}  // namespace
}  // namespace berth::cli
