#include "api/time.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/rules/quoted.h"
#include "api/text.h"
#include "base/error.h"
#include "base/result.h"

namespace berth::api {
namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::seconds;

// Takes exactly `digits` digits from the front of `text`.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) {
    return std::nullopt;
  }
  int number = 0;
  for (const char c : text.substr(0, digits)) {
    if (!is_digit(c)) {
      return std::nullopt;
    }
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take_char(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

// "2006-01-02"
std::optional<std::chrono::sys_days> take_date(std::string_view& text) {
  const auto year = take_number(text, 4);
  if (!year || !take_char(text, '-')) {
    return std::nullopt;
  }
  const auto month = take_number(text, 2);
  if (!month || !take_char(text, '-')) {
    return std::nullopt;
  }
  const auto day = take_number(text, 2);
  if (!day) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) {
    return std::nullopt;
  }
  return std::chrono::sys_days{date};
}

// "15:04"
std::optional<std::chrono::minutes> take_hours_and_minutes(std::string_view& text) {
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take_char(text, ':')) {
    return std::nullopt;
  }
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59) {
    return std::nullopt;
  }
  return std::chrono::hours{*hour} + std::chrono::minutes{*minute};
}

// ":05" and, if there, ".123456789"
std::optional<microseconds> take_seconds(std::string_view& text) {
  if (!take_char(text, ':')) {
    return std::nullopt;
  }
  const auto second = take_number(text, 2);
  if (!second || *second > 59) {
    return std::nullopt;
  }
  microseconds result = seconds{*second};
  if (take_char(text, '.')) {
    std::int64_t unit = 100'000;
    std::size_t digits = 0;
    for (; !text.empty() && is_digit(text.front()); ++digits) {
      result += microseconds{(text.front() - '0') * unit};
      unit /= 10;
      text.remove_prefix(1);
    }
    if (digits == 0) {
      return std::nullopt;
    }
  }
  return result;
}

// "Z" or "+02:00"
std::optional<std::chrono::minutes> take_offset(std::string_view& text) {
  if (take_char(text, 'Z')) {
    return std::chrono::minutes{0};
  }
  const bool is_east = take_char(text, '+');
  if (!is_east && !take_char(text, '-')) {
    return std::nullopt;
  }
  const auto offset = take_hours_and_minutes(text);
  if (!offset) {
    return std::nullopt;
  }
  return is_east ? *offset : -*offset;
}

std::optional<MicroTime> read_time(std::string_view text) {
  const auto date = take_date(text);
  if (!date || !take_char(text, 'T')) {
    return std::nullopt;
  }
  const auto minutes = take_hours_and_minutes(text);
  if (!minutes) {
    return std::nullopt;
  }
  const auto rest = take_seconds(text);
  if (!rest) {
    return std::nullopt;
  }
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) {
    return std::nullopt;
  }
  const MicroTime time = *date + *minutes + *rest - *offset;
  if (time < kTimeMin || time >= kTimeMax + seconds{1}) {
    return std::nullopt;
  }
  return time;
}

std::string date_and_time(Time time) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
                     static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()),
                     clock.hours().count(),
                     clock.minutes().count(),
                     clock.seconds().count());
}

}  // namespace

std::string to_text(Time time) {
  return date_and_time(time) + "Z";
}

std::string to_text(MicroTime time) {
  const auto whole = std::chrono::floor<seconds>(time);
  return fmt::format("{}.{:06}Z", date_and_time(whole), (time - whole).count());
}

Result<MicroTime> parse_time(std::string_view text) {
  const auto time = read_time(text);
  if (!time) {
    return Error(ErrorCode::kInvalid,
                 fmt::format("'{}' is not a time like 2006-01-02T15:04:05Z", shown(text)));
  }
  return *time;
}

}  // namespace berth::api
