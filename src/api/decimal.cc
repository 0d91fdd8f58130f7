#include "api/decimal.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/assert.h"

namespace berth::api {

namespace {

constexpr std::uint64_t kFactorMax = std::uint64_t{1} << 60;

// The number of digits before the decimal point; orders magnitudes before any digit is looked at.
std::int64_t order(const Decimal& a) {
  return static_cast<std::int64_t>(a.digits.size()) + a.exponent;
}

int compare_magnitude(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty()) {
    return static_cast<int>(b.digits.empty()) - static_cast<int>(a.digits.empty());
  }
  if (order(a) != order(b)) {
    return order(a) < order(b) ? -1 : 1;
  }
  // Both begin with the same power of ten and neither ends in zero, so the order of the digits is
  // that of the text.
  const int result = a.digits.compare(b.digits);
  return static_cast<int>(result > 0) - static_cast<int>(result < 0);
}

unsigned digit_at(std::string_view digits, std::size_t from_right) {
  return from_right < digits.size()
             ? static_cast<unsigned>(digits[digits.size() - 1 - from_right] - '0')
             : 0;
}

std::string add_digits(std::string_view a, std::string_view b) {
  std::string result(std::max(a.size(), b.size()) + 1, '0');
  unsigned carry = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const unsigned column = digit_at(a, i) + digit_at(b, i) + carry;
    result[result.size() - 1 - i] = static_cast<char>('0' + column % 10);
    carry = column / 10;
  }
  return result;
}

// Needs a >= b.
std::string subtract_digits(std::string_view a, std::string_view b) {
  std::string result(a.size(), '0');
  unsigned borrow = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const unsigned column = 10 + digit_at(a, i) - digit_at(b, i) - borrow;
    result[result.size() - 1 - i] = static_cast<char>('0' + column % 10);
    borrow = column < 10 ? 1 : 0;
  }
  BERTH_ASSERT(borrow == 0, "the larger magnitude is the minuend");
  return result;
}

// The digits of `a` as a multiple of 10^exponent, which is not above its own.
std::string digits_down_to(const Decimal& a, std::int64_t exponent) {
  std::string digits = a.digits;
  if (!digits.empty()) {
    digits.append(static_cast<std::size_t>(a.exponent - exponent), '0');
  }
  return digits;
}

}  // namespace

Decimal make_decimal(bool negative, std::string digits, std::int64_t exponent) {
  const std::size_t last = digits.find_last_not_of('0');
  if (last == std::string::npos) {
    return {};
  }
  exponent += static_cast<std::int64_t>(digits.size() - 1 - last);
  digits.resize(last + 1);
  digits.erase(0, digits.find_first_not_of('0'));
  return {.negative = negative, .digits = std::move(digits), .exponent = exponent};
}

Decimal make_decimal(std::int64_t mantissa, std::int64_t exponent) {
  const bool negative = mantissa < 0;
  const auto bits = static_cast<std::uint64_t>(mantissa);
  return make_decimal(negative, std::to_string(negative ? 0 - bits : bits), exponent);
}

int compare(const Decimal& a, const Decimal& b) {
  if (a.negative != b.negative) {
    return a.negative ? -1 : 1;
  }
  return a.negative ? compare_magnitude(b, a) : compare_magnitude(a, b);
}

Decimal sum(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty()) {
    return a.digits.empty() ? b : a;
  }
  const std::int64_t exponent = std::min(a.exponent, b.exponent);
  const std::string left = digits_down_to(a, exponent);
  const std::string right = digits_down_to(b, exponent);
  if (a.negative == b.negative) {
    return make_decimal(a.negative, add_digits(left, right), exponent);
  }
  if (compare_magnitude(a, b) >= 0) {
    return make_decimal(a.negative, subtract_digits(left, right), exponent);
  }
  return make_decimal(b.negative, subtract_digits(right, left), exponent);
}

Decimal product(const Decimal& a, std::uint64_t factor) {
  BERTH_ASSERT(factor <= kFactorMax, "a column is 9 * factor plus a carry below factor: 64 bits");
  std::string digits(a.digits.size() + 19, '0');
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::uint64_t column = digit_at(a.digits, i) * factor + carry;
    digits[digits.size() - 1 - i] = static_cast<char>('0' + column % 10);
    carry = column / 10;
  }
  BERTH_ASSERT(carry == 0, "a factor up to 2^60 adds at most 19 digits");
  return make_decimal(a.negative, std::move(digits), a.exponent);
}

Decimal round_away(const Decimal& a, std::int64_t exponent) {
  if (a.digits.empty() || a.exponent >= exponent) {
    return a;
  }
  // What is cut off is not zero, because the digits do not end in zero.
  const std::int64_t kept = order(a) - exponent;
  const std::string_view digits = a.digits;
  const std::string_view head =
      kept > 0 ? digits.substr(0, static_cast<std::size_t>(kept)) : std::string_view{};
  return make_decimal(a.negative, add_digits(head, "1"), exponent);
}

std::string integer_digits(const Decimal& a) {
  BERTH_ASSERT(a.exponent >= 0, "only an integer can be written without a fraction");
  return a.digits.empty() ? "0" : digits_down_to(a, 0);
}

std::optional<std::string> divide_exactly(const std::string& digits, std::uint64_t divisor) {
  BERTH_ASSERT(!digits.empty(), "zero is written as one digit");
  BERTH_ASSERT(divisor > 0 && divisor <= kFactorMax, "ten times a remainder stays below 2^64");
  std::string quotient(digits.size(), '0');
  std::uint64_t remainder = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::uint64_t column = remainder * 10 + static_cast<std::uint64_t>(digits[i] - '0');
    quotient[i] = static_cast<char>('0' + column / divisor);
    remainder = column % divisor;
  }
  if (remainder != 0) {
    return std::nullopt;
  }
  quotient.erase(0, std::min(quotient.find_first_not_of('0'), quotient.size() - 1));
  return quotient;
}

std::optional<std::int64_t> to_int64(const Decimal& a) {
  if (a.exponent < 0 || order(a) > 19) {
    return std::nullopt;
  }
  const std::string text = (a.negative ? "-" : "") + integer_digits(a);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

}  // namespace berth::api
