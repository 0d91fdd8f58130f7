#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/log_value.h"
#include "base/secret.h"

namespace berth {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

// A fixed instant: 2026-01-02 03:04:05.678901 UTC.
std::chrono::system_clock::time_point fixed_time() {
  return std::chrono::sys_days(std::chrono::year(2026) / 1 / 2) + std::chrono::hours(3) +
         std::chrono::minutes(4) + std::chrono::seconds(5) + std::chrono::microseconds(678901);
}

struct Capture {
  explicit Capture(LogFormat format = LogFormat::kText, LogLevel level = LogLevel::kInfo)
      : output{.sink = [this](std::string_view line) { lines.emplace_back(line); },
               .clock = fixed_time,
               .format = format,
               .level = level} {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() = default;

  // The one record so far, without what every record begins with.
  std::string rest() const {
    constexpr std::string_view kStart = "time=2026-01-02T03:04:05.678901Z level=info msg=m";
    EXPECT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines.at(0).starts_with(kStart)) << lines.at(0);
    return lines.at(0).substr(kStart.size());
  }

  std::vector<std::string> lines;
  LogOutput output;
  Logger log{output};
};

std::string text_of(const LogValue& value) {
  const Capture capture;
  capture.log.info("m", {{"v", value}});
  return capture.rest();
}

// The value as an independent JSON reader sees it.
json json_of(const LogValue& value) {
  const Capture capture(LogFormat::kJson);
  capture.log.info("m", {{"v", value}});
  return json::parse(capture.lines.at(0)).at("v");
}

TEST(Log, PrintsOneTextLineARecord) {
  const Capture capture;
  const int attempt = 3;
  capture.log.info("bound pod", {{"pod", "default/a"}, {"node", "n1"}, {"attempt", attempt}});
  EXPECT_THAT(capture.lines,
              ElementsAre("time=2026-01-02T03:04:05.678901Z level=info msg=\"bound pod\" "
                          "pod=default/a node=n1 attempt=3\n"));
}

TEST(Log, PrintsOneJsonObjectARecord) {
  const Capture capture(LogFormat::kJson);
  capture.log.warn("bound pod", {{"pod", "default/a"}, {"attempt", 3}});
  EXPECT_THAT(capture.lines,
              ElementsAre(R"({"time":"2026-01-02T03:04:05.678901Z","level":"warn",)"
                          R"("msg":"bound pod","pod":"default/a","attempt":3})"
                          "\n"));
}

TEST(Log, NamesEachLevel) {
  const Capture capture(LogFormat::kText, LogLevel::kDebug);
  capture.log.debug("m");
  capture.log.info("m");
  capture.log.warn("m");
  capture.log.error("m");
  EXPECT_THAT(capture.lines,
              ElementsAre(HasSubstr("level=debug"),
                          HasSubstr("level=info"),
                          HasSubstr("level=warn"),
                          HasSubstr("level=error")));
}

TEST(Log, PrintsNothingBelowItsLevel) {
  const Capture capture(LogFormat::kText, LogLevel::kWarn);
  capture.log.debug("m");
  capture.log.info("m");
  EXPECT_TRUE(capture.lines.empty());
  EXPECT_FALSE(capture.log.is_enabled(LogLevel::kInfo));
  EXPECT_TRUE(capture.log.is_enabled(LogLevel::kWarn));
}

TEST(Log, PutsBoundFieldsOnEveryRecordOfTheLoggerThatHasThem) {
  const Capture capture;
  const Logger pod_log = capture.log.with({"pod", "default/a"});
  const Logger claim_log = pod_log.with({"claim", std::string("c 1")});
  claim_log.info("m", {{"attempt", 1}});
  pod_log.info("m");
  capture.log.info("m");
  EXPECT_THAT(capture.lines,
              ElementsAre(EndsWith("msg=m pod=default/a claim=\"c 1\" attempt=1\n"),
                          EndsWith("msg=m pod=default/a\n"),
                          EndsWith("msg=m\n")));
}

TEST(Log, BindsFieldsInJsonToo) {
  const Capture capture(LogFormat::kJson);
  capture.log.with({"pod", "default/a"}).info("m", {{"attempt", 1}});
  const json record = json::parse(capture.lines.at(0));
  EXPECT_EQ(record.at("pod"), "default/a");
  EXPECT_EQ(record.at("attempt"), 1);
}

TEST(Log, PrintsEachKindOfValueAsText) {
  EXPECT_EQ(text_of(std::string("s")), " v=s\n");
  EXPECT_EQ(text_of(std::string_view("s")), " v=s\n");
  EXPECT_EQ(text_of(true), " v=true\n");
  EXPECT_EQ(text_of(false), " v=false\n");
  EXPECT_EQ(text_of(std::int8_t{-5}), " v=-5\n");
  EXPECT_EQ(text_of(std::uint8_t{65}), " v=65\n");
  EXPECT_EQ(text_of(std::numeric_limits<std::int64_t>::min()), " v=-9223372036854775808\n");
  EXPECT_EQ(text_of(std::numeric_limits<std::uint64_t>::max()), " v=18446744073709551615\n");
  EXPECT_EQ(text_of(0.25), " v=0.25\n");
  EXPECT_EQ(text_of(std::numeric_limits<double>::infinity()), " v=inf\n");
  EXPECT_EQ(text_of(std::chrono::milliseconds(1500)), " v=1.5s\n");
  EXPECT_EQ(text_of(std::chrono::microseconds(-250)), " v=-0.00025s\n");
  EXPECT_EQ(text_of(std::chrono::hours(1'000'000'000'000)), " v=3600000000000000s\n");
  EXPECT_EQ(text_of(Secret("hunter2")), " v=***\n");
}

TEST(Log, PrintsEachKindOfValueAsJson) {
  EXPECT_EQ(json_of("s"), "s");
  EXPECT_EQ(json_of(true), true);
  EXPECT_EQ(json_of(std::numeric_limits<std::int64_t>::min()),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(json_of(std::numeric_limits<std::uint64_t>::max()),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(json_of(0.1), 0.1);
  EXPECT_EQ(json_of(1e300), 1e300);
  EXPECT_EQ(json_of(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(json_of(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(json_of(std::chrono::milliseconds(1500)), 1.5);
  EXPECT_EQ(json_of(Secret("hunter2")), "***");
}

TEST(Log, QuotesTextOnlyWhereAReaderNeedsIt) {
  EXPECT_EQ(text_of("a/b-c.d_e:f,{}"), " v=a/b-c.d_e:f,{}\n");
  EXPECT_EQ(text_of(""), " v=\"\"\n");
  EXPECT_EQ(text_of("a b"), " v=\"a b\"\n");
  EXPECT_EQ(text_of("a=b"), " v=\"a=b\"\n");
  EXPECT_EQ(text_of("a\"b"), " v=\"a\\\"b\"\n");
  EXPECT_EQ(text_of("a\\b"), " v=\"a\\\\b\"\n");
  EXPECT_EQ(text_of("gr\xC3\xBC\xC3\x9F"), " v=\"gr\xC3\xBC\xC3\x9F\"\n");
}

TEST(Log, EscapesWhatWouldBreakTheLineOrTheTerminal) {
  EXPECT_EQ(text_of("a\nlevel=error"), " v=\"a\\nlevel=error\"\n");
  EXPECT_EQ(text_of("\t\r"), " v=\"\\t\\r\"\n");
  EXPECT_EQ(text_of(std::string_view("\0\x1B[31m\x7F", 7)), " v=\"\\u0000\\u001b[31m\\u007f\"\n");
  EXPECT_EQ(text_of("\xC2\x9B"), " v=\"\\u009b\"\n");
  EXPECT_EQ(text_of("\xE2\x80\xA8\xE2\x80\xA9"), " v=\"\\u2028\\u2029\"\n");
}

TEST(Log, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(text_of("\xFF"), " v=\"\xEF\xBF\xBD\"\n");
  EXPECT_EQ(json_of("a\xC3(\xE2\x82"), "a\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Log, PrintsValidJsonWhateverTheBytes) {
  constexpr std::uint64_t kSeed = 7;
  std::mt19937_64 random(kSeed);
  std::uniform_int_distribution<int> byte(0, 255);
  std::uniform_int_distribution<std::size_t> length(0, 1200);
  for (int round = 0; round < 500; ++round) {
    std::string value(length(random), ' ');
    for (char& c : value) {
      c = static_cast<char>(byte(random));
    }
    const Capture capture(LogFormat::kJson);
    capture.log.with({"bound", value}).info("m", {{"v", value}, {"w", value}});
    const std::string& line = capture.lines.at(0);
    ASSERT_TRUE(json::accept(line)) << "seed " << kSeed << " round " << round;
    ASSERT_EQ(line.find('\n'), line.size() - 1) << "seed " << kSeed << " round " << round;
    ASSERT_LE(line.size(), kLogRecordBytesMax) << "seed " << kSeed << " round " << round;
  }
}

TEST(Log, KeepsAValueOfTheLongestLengthAndCutsALongerOne) {
  const std::string longest(kLogValueBytesMax, 'a');
  EXPECT_EQ(json_of(longest), longest);
  EXPECT_EQ(json_of(longest + "a"), std::string(kLogValueBytesMax - 3, 'a') + "...");
  EXPECT_EQ(text_of(longest + "a"), " v=" + std::string(kLogValueBytesMax - 3, 'a') + "...\n");
}

TEST(Log, CutsBetweenCharacters) {
  std::string value;
  while (value.size() <= kLogValueBytesMax) {
    value += "\xF0\x9F\x98\x80";
  }
  std::string expected;
  while (expected.size() + 4 <= kLogValueBytesMax - 3) {
    expected += "\xF0\x9F\x98\x80";
  }
  EXPECT_EQ(json_of(value), expected + "...");
}

TEST(Log, CutsBetweenEscapesAndCountsThemAsPrinted) {
  const std::string value(kLogValueBytesMax, '\x01');
  const std::string printed = text_of(value);
  EXPECT_LE(printed.size(), kLogValueBytesMax + std::string_view(" v=\"\"\n").size());
  EXPECT_EQ(json_of(value), std::string((kLogValueBytesMax - 3) / 6, '\x01') + "...");
}

TEST(Log, LeavesOutFieldsThatDoNotFitTheRecordAndSaysSo) {
  const Capture capture(LogFormat::kJson);
  const std::string large(kLogValueBytesMax, 'a');
  capture.log.info("m", {{"a", large}, {"b", large}, {"c", large}, {"d", large}, {"last", "kept"}});
  const std::string& line = capture.lines.at(0);
  EXPECT_LE(line.size(), kLogRecordBytesMax);
  const json record = json::parse(line);
  EXPECT_TRUE(record.contains("c"));
  EXPECT_FALSE(record.contains("d"));
  EXPECT_EQ(record.at("last"), "kept");
  EXPECT_EQ(record.at("truncated"), true);
}

TEST(Log, StaysWithinARecordHoweverTheFieldsFillIt) {
  const std::string large(kLogValueBytesMax, 'a');
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    std::size_t longest = 0;
    for (std::size_t length = 0; length <= kLogValueBytesMax; ++length) {
      const Capture capture(format);
      const std::string last(length, 'a');
      capture.log.info("m", {{"a", large}, {"b", large}, {"c", large}, {"d", last}, {"e", last}});
      longest = std::max(longest, capture.lines.at(0).size());
      ASSERT_LE(longest, kLogRecordBytesMax) << length;
    }
    EXPECT_GT(longest, kLogRecordBytesMax - 16) << "room is left unused";
  }
}

TEST(Log, LeavesOutBoundFieldsBeyondTheirShareAndSaysSo) {
  const Capture capture(LogFormat::kJson);
  const std::string large(kLogValueBytesMax, 'a');
  const Logger log = capture.log.with({"a", large}).with({"b", large}).with({"c", "kept"});
  log.info("m", {{"attempt", 1}});
  const json record = json::parse(capture.lines.at(0));
  EXPECT_TRUE(record.contains("a"));
  EXPECT_FALSE(record.contains("b"));
  EXPECT_EQ(record.at("c"), "kept");
  EXPECT_EQ(record.at("attempt"), 1);
  EXPECT_EQ(record.at("truncated"), true);
}

TEST(Log, PrintsTimesBeforeTheEpoch) {
  std::string line;
  const LogOutput output{
      .sink = [&line](std::string_view text) { line = text; },
      .clock = [] { return std::chrono::system_clock::time_point(std::chrono::microseconds(-1)); }};
  Logger(output).info("m");
  EXPECT_EQ(line, "time=1969-12-31T23:59:59.999999Z level=info msg=m\n");
}

TEST(Log, WritesToAFileDescriptor) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const LogOutput output{.sink = fd_sink(ends[1]), .clock = fixed_time};
  Logger(output).info("m");
  ::close(ends[1]);
  std::array<char, 100> buffer{};
  const auto got = ::read(ends[0], buffer.data(), buffer.size());
  ::close(ends[0]);
  ASSERT_GT(got, 0);
  EXPECT_EQ(std::string_view(buffer.data(), static_cast<std::size_t>(got)),
            "time=2026-01-02T03:04:05.678901Z level=info msg=m\n");
}

TEST(Log, SurvivesASinkThatCannotBeWritten) {
  const LogOutput output{.sink = fd_sink(-1), .clock = fixed_time};
  Logger(output).info("m");
}

TEST(Log, AcceptsOnlyLowerCaseWordsAsKeys) {
  EXPECT_TRUE(is_log_key("pod"));
  EXPECT_TRUE(is_log_key("queue_len2"));
  for (const std::string_view key : {"",
                                     "Pod",
                                     "2pods",
                                     "_pod",
                                     "pod name",
                                     "pod=",
                                     "p\"",
                                     "time",
                                     "level",
                                     "msg",
                                     "truncated"}) {
    EXPECT_FALSE(is_log_key(key)) << key;
  }
  EXPECT_TRUE(is_log_key(std::string(kLogKeyBytesMax, 'k')));
  EXPECT_FALSE(is_log_key(std::string(kLogKeyBytesMax + 1, 'k')));
}

TEST(Log, AcceptsOnlyPhrasesAsMessages) {
  EXPECT_TRUE(is_log_message("bound pod"));
  EXPECT_FALSE(is_log_message(""));
  EXPECT_FALSE(is_log_message("bound pod."));
  EXPECT_FALSE(is_log_message("bound\npod"));
}

TEST(LogDeathTest, RefusesAnOutputWithoutSinkOrClock) {
  const LogOutput output;
  EXPECT_DEATH(Logger{output}, "goes somewhere");
}

}  // namespace
}  // namespace berth
