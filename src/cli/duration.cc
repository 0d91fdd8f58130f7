#include "cli/duration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include "api/rules/quoted.h"
#include "base/error.h"
#include "base/result.h"

namespace berth::cli {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kMax = std::chrono::hours(24);

// "ms" stands before "m": the longer one is meant.
constexpr std::array<std::pair<std::string_view, nanoseconds>, 4> kUnits = {{
    {"ms", std::chrono::milliseconds(1)},
    {"h", std::chrono::hours(1)},
    {"m", std::chrono::minutes(1)},
    {"s", std::chrono::seconds(1)},
}};

// Takes a number and its unit from the front; negative when there is none.
nanoseconds take_part(std::string_view& text) {
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) {
    return nanoseconds(-1);
  }
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  for (const auto& [name, unit] : kUnits) {
    if (text.starts_with(name)) {
      text.remove_prefix(name.size());
      return number <= kMax / unit ? unit * number : nanoseconds(-1);
    }
  }
  return nanoseconds(-1);
}

}  // namespace

Result<nanoseconds> parse_duration(std::string_view text) {
  std::string_view rest = text;
  nanoseconds sum{};
  do {
    const nanoseconds part = take_part(rest);
    sum += part;
    if (part < nanoseconds{} || sum > kMax) {
      return Error(ErrorCode::kInvalid,
                   fmt::format("'{}': expected a time up to 24h, such as 15s, 1m30s or 500ms",
                               api::shown(text)));
    }
  } while (!rest.empty());
  return sum;
}

}  // namespace berth::cli
