// Exact decimal numbers of any size: what Quantity falls back on when 64 bits are not enough.
//
// A number is kept as its decimal digits, so reading, printing, scaling by ten, comparing and
// adding take time linear in the digits. Quantities come from outside, and a binary big integer
// would need quadratic time to read or print a hostile one of a million digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace berth::api {

// digits * 10^exponent, negated if `negative`. There is one form per number: no zero at either end
// of `digits`; zero is no digits, exponent 0, not negative.
struct Decimal {
  bool negative = false;
  std::string digits;  // most significant first
  std::int64_t exponent = 0;
};

// Brings any digits (zeros at either end allowed) into the one form.
Decimal make_decimal(bool negative, std::string digits, std::int64_t exponent);
Decimal make_decimal(std::int64_t mantissa, std::int64_t exponent);

// -1, 0 or 1. Never slower than reading both, however far apart the exponents are.
int compare(const Decimal& a, const Decimal& b);

// Writes out every digit between the two exponents: the caller bounds them.
Decimal sum(const Decimal& a, const Decimal& b);

// `factor` at most 2^60.
Decimal product(const Decimal& a, std::uint64_t factor);

// `a` as a multiple of 10^exponent; if it is none, the next one away from zero.
Decimal round_away(const Decimal& a, std::int64_t exponent);

// The digits of an integer (exponent >= 0) written out, without sign.
std::string integer_digits(const Decimal& a);

// Divides the integer written as `digits` by `divisor` (1 to 2^60) if that leaves no remainder; if
// it does, returns nothing.
std::optional<std::string> divide_exactly(const std::string& digits, std::uint64_t divisor);

// Nothing unless `a` is an integer in the range of int64.
std::optional<std::int64_t> to_int64(const Decimal& a);

}  // namespace berth::api
