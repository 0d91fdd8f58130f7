#include "api/time.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace berth::api {
namespace {

std::string seconds_of(std::string_view text) {
  const auto time = parse_time(text);
  return time ? to_text(std::chrono::floor<std::chrono::seconds>(*time)) : "refused";
}

TEST(Time, ReadsOffsetsAndFractions) {
  EXPECT_EQ(seconds_of("2024-02-29T12:00:00Z"), "2024-02-29T12:00:00Z");
  EXPECT_EQ(seconds_of("2024-02-29T00:30:00+01:00"), "2024-02-28T23:30:00Z");
  EXPECT_EQ(seconds_of("2024-12-31T23:30:00-01:00"), "2025-01-01T00:30:00Z");
  EXPECT_EQ(seconds_of("2024-01-01T00:00:00.999999999Z"), "2024-01-01T00:00:00Z");
  EXPECT_EQ(seconds_of("1969-12-31T23:59:59.5Z"), "1969-12-31T23:59:59Z");
  EXPECT_EQ(seconds_of("0000-01-01T00:00:00Z"), "0000-01-01T00:00:00Z");
  EXPECT_EQ(seconds_of("9999-12-31T23:59:59Z"), "9999-12-31T23:59:59Z");
}

TEST(Time, KeepsMicroseconds) {
  EXPECT_EQ(to_text(*parse_time("2024-01-02T03:04:05.1234567Z")), "2024-01-02T03:04:05.123456Z");
  EXPECT_EQ(to_text(*parse_time("2024-01-02T03:04:05Z")), "2024-01-02T03:04:05.000000Z");
  EXPECT_EQ(to_text(*parse_time("1969-12-31T23:59:59.25Z")), "1969-12-31T23:59:59.250000Z");
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* text : {"",
                           "2024",
                           "2024-01-02",
                           "2024-01-02T03:04Z",
                           "2024-01-02T03:04:05",
                           "2024-01-02 03:04:05Z",
                           "2024-1-2T03:04:05Z",
                           "2023-02-29T00:00:00Z",
                           "2024-13-01T00:00:00Z",
                           "2024-01-32T00:00:00Z",
                           "2024-01-01T24:00:00Z",
                           "2024-01-01T00:60:00Z",
                           "2024-01-01T00:00:60Z",
                           "2024-01-01T00:00:00.Z",
                           "2024-01-01T00:00:00+1:00",
                           "2024-01-01T00:00:00Zx",
                           "0000-01-01T00:00:00+01:00",
                           "9999-12-31T23:59:59-01:00"}) {
    EXPECT_EQ(seconds_of(text), "refused") << text;
  }
}

TEST(Time, ErrorShowsTheTextWithoutObeyingIt) {
  EXPECT_EQ(parse_time("\x1b[31mnow\n").error().text(),
            "'\\x1b[31mnow\\n' is not a time like 2006-01-02T15:04:05Z");
}

}  // namespace
}  // namespace berth::api
