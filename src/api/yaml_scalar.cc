#include "api/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "api/text.h"

namespace berth::api {
namespace {

using ScalarType = YamlScalar::Type;

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::array<std::string_view, kCount>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 11> kTrue = {
    "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
constexpr std::array<std::string_view, 11> kFalse = {
    "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kNotFinite = {".nan",
                                                         ".NaN",
                                                         ".NAN",
                                                         ".inf",
                                                         ".Inf",
                                                         ".INF",
                                                         "+.inf",
                                                         "+.Inf",
                                                         "+.INF",
                                                         "-.inf",
                                                         "-.Inf",
                                                         "-.INF"};

// Takes the prefix that says the base: 0x, 0o, 0b, or a leading 0 for octal.
int take_base(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') {
    return 10;
  }
  const char letter = digits[1];
  int base = 8;
  std::size_t prefix = 1;
  if (letter == 'x' || letter == 'X') {
    base = 16;
    prefix = 2;
  } else if (letter == 'b' || letter == 'B') {
    base = 2;
    prefix = 2;
  } else if (letter == 'o' || letter == 'O') {
    prefix = 2;
  }
  digits.remove_prefix(prefix);
  return base;
}

std::optional<std::string> as_integer(std::string_view word) {
  const bool is_negative = word.starts_with('-');
  const bool is_signed = is_negative || word.starts_with('+');
  std::string_view digits = word.substr(is_signed ? 1 : 0);
  const int base = take_base(digits);
  std::uint64_t magnitude = 0;
  const char* end = digits.data() + digits.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [stop, error] = std::from_chars(digits.data(), end, magnitude, base);
  if (error != std::errc{} || stop != end || digits.empty()) {
    return std::nullopt;
  }
  constexpr std::uint64_t kMinMagnitude = std::uint64_t{1} << 63U;
  // Signed numbers have 63 bits, unsigned ones 64.
  if (is_negative ? magnitude > kMinMagnitude : is_signed && magnitude >= kMinMagnitude) {
    return std::nullopt;
  }
  return (is_negative && magnitude != 0 ? "-" : "") + std::to_string(magnitude);
}

// [-+]? ( .digits | digits [ . digits* ] ) [ e [-+]? digits ]
bool looks_like_float(std::string_view word) {
  std::size_t at = word.starts_with('-') || word.starts_with('+') ? 1 : 0;
  const auto skip_digits = [&] {
    const std::size_t start = at;
    while (at < word.size() && is_digit(word[at])) {
      ++at;
    }
    return at - start;
  };
  const std::size_t whole = skip_digits();
  if (at < word.size() && word[at] == '.') {
    ++at;
    if (skip_digits() == 0 && whole == 0) {
      return false;
    }
  } else if (whole == 0) {
    return false;
  }
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    ++at;
    at += at < word.size() && (word[at] == '-' || word[at] == '+') ? 1 : 0;
    if (skip_digits() == 0) {
      return false;
    }
  }
  return at == word.size();
}

std::optional<double> as_float(const std::string& word) {
  if (!looks_like_float(word)) {
    return std::nullopt;
  }
  // What is too large is a string upstream; what is too small is zero.
  const double number = std::strtod(word.c_str(), nullptr);
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string without_underscores(std::string_view word) {
  std::string plain;
  std::copy_if(
      word.begin(), word.end(), std::back_inserter(plain), [](char c) { return c != '_'; });
  return plain;
}

}  // namespace

std::string json_float(double number) {
  std::array<char, 400> buffer{};
  const double magnitude = std::abs(number);
  const bool is_plain = magnitude == 0 || (magnitude >= 1e-6 && magnitude < 1e21);
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format);
  std::string text(buffer.data(), result.ptr);
  // Go writes 1e-9 where C++ writes 1e-09.
  const auto exponent = text.find("e-0");
  if (exponent != std::string::npos) {
    text.erase(exponent + 2, 1);
  }
  return text;
}

YamlScalar resolve_yaml_scalar(std::string_view word) {
  if (is_one_of(word, kNull)) {
    return {ScalarType::kNull, "null"};
  }
  if (is_one_of(word, kTrue)) {
    return {ScalarType::kBool, "true"};
  }
  if (is_one_of(word, kFalse)) {
    return {ScalarType::kBool, "false"};
  }
  if (is_one_of(word, kNotFinite)) {
    return {ScalarType::kNotFinite, std::string(word)};
  }
  const char first = word.front();
  if (is_digit(first) || first == '-' || first == '+') {
    const std::string plain = without_underscores(word);
    if (auto integer = as_integer(plain)) {
      return {ScalarType::kInteger, *std::move(integer)};
    }
    if (const auto number = as_float(plain)) {
      return {ScalarType::kFloat, json_float(*number)};
    }
  } else if (first == '.') {
    if (const auto number = as_float(std::string(word))) {
      return {ScalarType::kFloat, json_float(*number)};
    }
  }
  return {ScalarType::kString, std::string(word)};
}

}  // namespace berth::api
