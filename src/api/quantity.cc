#include "api/quantity.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/decimal.h"
#include "api/quantity_suffix.h"

namespace berth::api {

namespace {

constexpr std::int32_t kPowersMax = 18;  // the largest power of ten in int64
constexpr std::array<std::int64_t, kPowersMax + 1> kPowersOfTen = [] {
  std::array<std::int64_t, kPowersMax + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) {
    powers[i] = powers[i - 1] * 10;
  }
  return powers;
}();

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

std::int64_t power_of_ten(std::int64_t exponent) {
  return kPowersOfTen[static_cast<std::size_t>(exponent)];
}

int sign_of(std::int64_t number) {
  return static_cast<int>(number > 0) - static_cast<int>(number < 0);
}

// number * 10^exponent (not negative), unless it does not fit.
std::optional<std::int64_t> scale_up(std::int64_t number, std::int64_t exponent) {
  if (number == 0) {
    return 0;
  }
  std::int64_t result = 0;
  if (exponent > kPowersMax || __builtin_mul_overflow(number, power_of_ten(exponent), &result)) {
    return std::nullopt;
  }
  return result;
}

// number / 10^exponent (positive), rounded away from zero.
std::int64_t scale_down(std::int64_t number, std::int64_t exponent) {
  if (exponent > kPowersMax) {
    return sign_of(number);
  }
  const std::int64_t power = power_of_ten(exponent);
  return number / power + sign_of(number % power);
}

int compare_scaled(std::int64_t a, std::int64_t a_scale, std::int64_t b, std::int64_t b_scale) {
  if (a_scale < b_scale) {
    return -compare_scaled(b, b_scale, a, a_scale);
  }
  if (a == 0 || a_scale - b_scale > kPowersMax) {
    // At ten to the 19th times any int64 but zero, `a` outweighs every `b`.
    return a == 0 ? -sign_of(b) : sign_of(a);
  }
  const __int128 left = static_cast<__int128>(a) * power_of_ten(a_scale - b_scale);
  return static_cast<int>(left > b) - static_cast<int>(left < b);
}

std::string print_decimal(const Decimal& amount, Quantity::Format format) {
  std::string text = (amount.negative ? "-" : "") + amount.digits;
  const std::int64_t zeros = ((amount.exponent % 3) + 3) % 3;
  const std::int64_t exponent = amount.exponent - zeros;
  text.append(static_cast<std::size_t>(zeros), '0');
  if (format == Quantity::Format::kDecimalSI) {
    text += decimal_suffix(exponent);
  } else if (exponent != 0) {
    text += 'e' + std::to_string(exponent);
  }
  return text;
}

std::string print_binary(std::int64_t integer) {
  std::size_t power = 0;
  for (; integer % 1024 == 0; integer /= 1024) {
    ++power;
  }
  return std::to_string(integer) + std::string(binary_suffix(power));
}

std::string print_binary(const Decimal& integer) {
  std::string digits = integer_digits(integer);
  std::size_t power = 0;
  while (auto quotient = divide_exactly(digits, 1024)) {
    digits = *std::move(quotient);
    ++power;
  }
  return (integer.negative ? "-" : "") + digits + std::string(binary_suffix(power));
}

bool is_below_1024(const Decimal& amount) {
  Decimal magnitude = amount;
  magnitude.negative = false;
  return compare(magnitude, make_decimal(1024, 0)) < 0;
}

}  // namespace

std::string_view name_of(Quantity::Format format) {
  switch (format) {
    case Quantity::Format::kNone:
      return "";
    case Quantity::Format::kDecimalSI:
      return "DecimalSI";
    case Quantity::Format::kBinarySI:
      return "BinarySI";
    case Quantity::Format::kDecimalExponent:
      return "DecimalExponent";
  }
  return "";
}

Quantity Quantity::of_int(std::int64_t value, Format format) {
  Quantity quantity;
  quantity.format_ = format;
  quantity.set_narrow(value, 0);
  return quantity;
}

Quantity Quantity::of_milli(std::int64_t thousandths, Format format) {
  Quantity quantity;
  quantity.format_ = format;
  quantity.set_narrow(thousandths, -3);
  return quantity;
}

void Quantity::set_narrow(std::int64_t mantissa, std::int32_t scale) {
  mantissa_ = mantissa;
  scale_ = scale;
  kind_ = Kind::kNarrow;
  text_.reset();
}

void Quantity::set_wide(const Decimal& amount) {
  scale_ = static_cast<std::int32_t>(amount.exponent);
  const auto mantissa = to_int64({.negative = amount.negative, .digits = amount.digits});
  if (mantissa) {
    mantissa_ = *mantissa;
    kind_ = Kind::kWide;
    text_.reset();
  } else {
    mantissa_ = amount.negative ? -1 : 1;
    kind_ = Kind::kBig;
    text_ = std::make_shared<const std::string>(amount.digits);
  }
}

Decimal Quantity::decimal() const {
  if (kind_ == Kind::kBig) {
    return {.negative = mantissa_ < 0, .digits = *text_, .exponent = scale_};
  }
  return make_decimal(mantissa_, scale_);
}

std::int64_t Quantity::rounded(std::int32_t scale) const {
  std::optional<std::int64_t> result;
  if (kind_ == Kind::kBig) {
    Decimal amount = round_away(decimal(), scale);
    amount.exponent -= scale;
    result = to_int64(amount);
  } else if (scale_ >= scale) {
    result = scale_up(mantissa_, std::int64_t{scale_} - scale);
  } else {
    result = scale_down(mantissa_, std::int64_t{scale} - scale_);
  }
  return result.value_or(mantissa_ < 0 ? kMin : kMax);
}

std::string Quantity::exact(std::int32_t scale) const {
  Decimal amount = round_away(decimal(), scale);
  if (amount.digits.empty()) {
    return "0";
  }
  amount.exponent -= scale;
  return (amount.negative ? "-" : "") + integer_digits(amount);
}

std::string Quantity::exact_value() const {
  return exact(0);
}

std::string Quantity::exact_milli_value() const {
  return exact(-3);
}

std::int64_t Quantity::wrapped_value() const {
  // The largest int64 itself is no multiple of ten: only big numbers upstream can have that value.
  if (value() != kMax) {
    return value();
  }
  // Powers of ten that upstream multiplies by in one step, without looking at the overflow. By
  // others it goes ten by ten, and gives up with zero.
  constexpr std::array kOneStep{1, 2, 3, 6, 9};
  if (is_narrow() && std::ranges::find(kOneStep, scale_) == kOneStep.end()) {
    return 0;
  }
  std::uint64_t wrapped = 0;
  for (const char digit : exact_value()) {
    wrapped = wrapped * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return static_cast<std::int64_t>(wrapped);
}

std::optional<std::int64_t> Quantity::as_int64() const {
  if (!is_narrow() || scale_ < 0) {
    return std::nullopt;
  }
  return scale_up(mantissa_, scale_);
}

int Quantity::compare(const Quantity& other) const {
  if (kind_ == Kind::kBig || other.kind_ == Kind::kBig) {
    return api::compare(decimal(), other.decimal());
  }
  return compare_scaled(mantissa_, scale_, other.mantissa_, other.scale_);
}

bool operator==(const Quantity& a, const Quantity& b) {
  // A kept text is never the canonical one, and the canonical one follows from number and format.
  const bool a_written = a.kind_ == Quantity::Kind::kWritten;
  const bool b_written = b.kind_ == Quantity::Kind::kWritten;
  return a.format_ == b.format_ && a_written == b_written && a.compare(b) == 0 &&
         (!a_written || *a.text_ == *b.text_);
}

void Quantity::add(const Quantity& other) {
  if (is_zero()) {
    format_ = other.format_;
  }
  if (!is_narrow() || !other.is_narrow()) {
    set_wide(sum(decimal(), other.decimal()));
    return;
  }
  if (other.mantissa_ == 0) {
    set_narrow(mantissa_, scale_);
    return;
  }
  if (mantissa_ == 0) {
    set_narrow(other.mantissa_, other.scale_);
    return;
  }
  const std::int32_t scale = std::min(scale_, other.scale_);
  const auto left = scale_up(mantissa_, std::int64_t{scale_} - scale);
  const auto right = scale_up(other.mantissa_, std::int64_t{other.scale_} - scale);
  std::int64_t total = 0;
  if (left && right && !__builtin_add_overflow(*left, *right, &total)) {
    set_narrow(total, scale);
  } else {
    set_wide(sum(decimal(), other.decimal()));
  }
}

void Quantity::subtract(const Quantity& other) {
  Quantity negated = other;
  negated.negate();
  add(negated);
}

void Quantity::negate() {
  if (kind_ == Kind::kBig) {
    mantissa_ = -mantissa_;
  } else if (mantissa_ == kMin) {
    Decimal amount = decimal();
    amount.negative = false;
    set_wide(amount);
  } else {
    mantissa_ = -mantissa_;
    if (kind_ == Kind::kWritten) {
      set_narrow(mantissa_, scale_);
    }
  }
}

std::string Quantity::to_string() const {
  return kind_ == Kind::kWritten ? *text_ : canonical();
}

std::string Quantity::canonical() const {
  if (is_zero()) {
    return "0";
  }
  if (format_ == Format::kBinarySI && kind_ != Kind::kBig && scale_ >= 0) {
    // Nearly every size of memory or disk.
    const auto integer = scale_up(mantissa_, scale_);
    if (integer && (*integer >= 1024 || *integer <= -1024)) {
      return print_binary(*integer);
    }
  }
  const Decimal amount = decimal();
  if (format_ != Format::kBinarySI) {
    return print_decimal(amount, format_);
  }
  // Small numbers and fractions have no binary form without loss.
  if (amount.exponent < 0 || is_below_1024(amount)) {
    return print_decimal(amount, Format::kDecimalSI);
  }
  return print_binary(amount);
}

}  // namespace berth::api
