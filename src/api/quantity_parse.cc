// Reading quantities.
//
//   quantity = [+-] digits* [. digits*] suffix
//   suffix   = nothing | n u m k M G T P E | Ki Mi Gi Ti Pi Ei | (e|E) [+-] digits
//
// The number may have no digit at all ("Gi" is zero). Exponents are cut to 32 bits ("1e4294967299"
// is 1e3), and so is the exponent less the digits of the fraction. Up to 18 digits not finer than
// 10^-9 are an ordinary, narrow quantity; a binary one must be an integer and stay below about 15
// digits. Everything else is wide: it is rounded away from zero to 10^-9, capped at the largest
// int64 if binary, and must have a digit. See the vectors q-000000 to q-000297.
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
#include "api/quantity.h"
#include "api/quantity_suffix.h"
#include "api/text.h"
#include "base/error.h"
#include "base/result.h"

namespace berth::api {

namespace {

constexpr std::int64_t kNarrowDigitsMax = 18;
constexpr std::int32_t kNano = -9;
// Upstream's estimate of what still fits: one more than the digits of number and suffix.
constexpr std::int64_t kNarrowBinaryDigitsMax = 14;

std::int64_t digits_of(std::int64_t number) {
  std::int64_t digits = 0;
  for (; number != 0; number /= 10) {
    ++digits;
  }
  return digits;
}

// What Go's strings.TrimSpace cuts off, that is Unicode's white space.
std::string_view trim_space(std::string_view text) {
  static constexpr std::array<std::string_view, 25> kSpaces{" ",
                                                            "\t",
                                                            "\n",
                                                            "\v",
                                                            "\f",
                                                            "\r",
                                                            "\xC2\x85",
                                                            "\xC2\xA0",
                                                            "\xE1\x9A\x80",
                                                            "\xE2\x80\x80",
                                                            "\xE2\x80\x81",
                                                            "\xE2\x80\x82",
                                                            "\xE2\x80\x83",
                                                            "\xE2\x80\x84",
                                                            "\xE2\x80\x85",
                                                            "\xE2\x80\x86",
                                                            "\xE2\x80\x87",
                                                            "\xE2\x80\x88",
                                                            "\xE2\x80\x89",
                                                            "\xE2\x80\x8A",
                                                            "\xE2\x80\xA8",
                                                            "\xE2\x80\xA9",
                                                            "\xE2\x80\xAF",
                                                            "\xE2\x81\x9F",
                                                            "\xE3\x80\x80"};
  // Nearly always there is none, and a look at both ends tells.
  const auto may_be_space = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte >= 0x80;
  };
  const auto cut_one = [&] {
    if (text.empty() || (!may_be_space(text.front()) && !may_be_space(text.back()))) {
      return false;
    }
    for (const std::string_view space : kSpaces) {
      if (text.starts_with(space)) {
        text.remove_prefix(space.size());
        return true;
      }
      if (text.ends_with(space)) {
        text.remove_suffix(space.size());
        return true;
      }
    }
    return false;
  };
  while (cut_one()) {
  }
  return text;
}

}  // namespace

// A quantity's text taken apart.
struct Quantity::Parts {
  bool negative = false;
  std::string_view whole;       // digits before the point, without leading zeros
  std::string_view fraction;    // digits after it
  std::uint64_t number = 0;     // both as one integer; right up to 18 digits
  std::int64_t digits_len = 0;  // of both; as upstream counts, no whole part is one digit
  bool has_digit = false;
  bool is_unusual = false;  // a plus, leading zeros or a point: not the canonical form
  QuantitySuffix suffix;

  std::int32_t scale() const {
    return static_cast<std::int32_t>(suffix.exponent - static_cast<std::int64_t>(fraction.size()));
  }
};

namespace {

// Takes the digits at `at` off, and appends them to `number`.
std::string_view take_digits(const char*& at, const char* end, std::uint64_t& number) {
  const char* const start = at;
  for (; at != end && is_digit(*at); ++at) {
    number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  return {start, static_cast<std::size_t>(at - start)};
}

}  // namespace

Quantity::Refusal Quantity::take_apart(std::string_view text, Parts& parts) {
  if (text.empty()) {
    return Refusal::kFormat;
  }
  const char* at = text.data();
  const char* const end = at + text.size();
  if (*at == '-' || *at == '+') {
    parts.negative = *at == '-';
    parts.is_unusual = *at == '+';
    ++at;
  }
  const char* const first_digit = at;
  while (at != end && *at == '0') {
    ++at;
  }
  parts.is_unusual |= at != first_digit;
  parts.has_digit = at != first_digit;
  parts.whole = take_digits(at, end, parts.number);
  if (at != end && *at == '.') {
    parts.is_unusual = true;
    parts.fraction = take_digits(++at, end, parts.number);
  }
  parts.has_digit |= !parts.whole.empty() || !parts.fraction.empty();
  parts.digits_len = static_cast<std::int64_t>(std::max<std::size_t>(parts.whole.size(), 1) +
                                               parts.fraction.size());

  const std::string_view suffix_text(at, static_cast<std::size_t>(end - at));
  const std::optional<QuantitySuffix> suffix = find_suffix(suffix_text);
  if (!suffix) {
    return has_suffix_shape(suffix_text) ? Refusal::kSuffix : Refusal::kFormat;
  }
  parts.suffix = *suffix;
  return Refusal::kNone;
}

Quantity::Refusal Quantity::read(std::string_view text, Quantity& out) {
  Parts parts;
  if (const Refusal refusal = take_apart(text, parts); refusal != Refusal::kNone) {
    return refusal;
  }
  auto mantissa = static_cast<std::int64_t>(parts.number);
  std::int32_t scale = 0;
  bool reuses_text = false;
  if (parts.suffix.format == Format::kBinarySI) {
    const std::int64_t suffix_digits = parts.suffix.exponent * 3 / 10;
    if (!parts.fraction.empty() || parts.digits_len + suffix_digits > kNarrowBinaryDigitsMax) {
      return read_wide(parts, out);
    }
    reuses_text = mantissa % 8 != 0;
    mantissa <<= parts.suffix.exponent;
  } else {
    scale = parts.scale();
    if (parts.digits_len > kNarrowDigitsMax || scale < kNano) {
      return read_wide(parts, out);
    }
    if (scale > kNarrowDigitsMax && mantissa != 0 && digits_of(mantissa) + scale > kDigitsMax) {
      return Refusal::kTooLarge;
    }
    reuses_text = scale % 3 == 0 && mantissa % 1000 != 0 && !parts.whole.empty();
  }

  out.format_ = parts.suffix.format;
  out.set_narrow(parts.negative ? -mantissa : mantissa, scale);
  const bool may_differ = parts.is_unusual || out.format_ == Format::kDecimalExponent;
  if (reuses_text && may_differ && out.canonical() != text) {
    out.kind_ = Kind::kWritten;
    out.text_ = std::make_shared<const std::string>(text);
  }
  return Refusal::kNone;
}

Quantity::Refusal Quantity::read_wide(const Parts& parts, Quantity& out) {
  if (!parts.has_digit) {
    return Refusal::kNumber;
  }
  Format format = parts.suffix.format;
  std::string digits(parts.whole);
  digits += parts.fraction;
  Decimal amount;
  if (format == Format::kBinarySI) {
    amount =
        make_decimal(false, std::move(digits), -static_cast<std::int64_t>(parts.fraction.size()));
    amount = round_away(product(amount, std::uint64_t{1} << parts.suffix.exponent), kNano);
    const Decimal most = make_decimal(std::numeric_limits<std::int64_t>::max(), 0);
    if (berth::api::compare(amount, most) > 0) {
      amount = most;
    }
    if (!amount.digits.empty() && berth::api::compare(amount, make_decimal(1, 0)) < 0) {
      format = Format::kDecimalSI;
    }
  } else {
    amount = round_away(make_decimal(false, std::move(digits), parts.scale()), kNano);
    if (static_cast<std::int64_t>(amount.digits.size()) + amount.exponent > kDigitsMax) {
      return Refusal::kTooLarge;
    }
  }
  amount.negative = parts.negative && !amount.digits.empty();
  out.format_ = format;
  out.set_wide(amount);
  return Refusal::kNone;
}

Quantity::Refusal Quantity::read_json(std::string_view token, Quantity& out) {
  token = trim_space(token);
  if (token == "null") {
    out = Quantity();
    return Refusal::kNone;
  }
  if (token.size() >= 2 && token.front() == '"' && token.back() == '"') {
    token = trim_space(token.substr(1, token.size() - 2));
  }
  return read(token, out);
}

Result<Quantity> Quantity::result_of(Refusal refusal, Quantity quantity) {
  switch (refusal) {
    case Refusal::kNone:
      return quantity;
    case Refusal::kFormat:
      return Error(ErrorCode::kInvalid,
                   "quantities must match the regular expression "
                   "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    case Refusal::kNumber:
      return Error(ErrorCode::kInvalid, "unable to parse numeric part of quantity");
    case Refusal::kSuffix:
      return Error(ErrorCode::kInvalid, "unable to parse quantity's suffix");
    case Refusal::kTooLarge:
      return Error(ErrorCode::kLimit,
                   "quantity has more than " + std::to_string(kDigitsMax) + " digits");
  }
  return Error(ErrorCode::kInternal, "unknown refusal of a quantity");
}

Result<Quantity> Quantity::parse(std::string_view text) {
  Quantity quantity;
  const Refusal refusal = read(text, quantity);
  return result_of(refusal, std::move(quantity));
}

Result<Quantity> Quantity::parse_json(std::string_view token) {
  Quantity quantity;
  const Refusal refusal = read_json(token, quantity);
  return result_of(refusal, std::move(quantity));
}

bool Quantity::parse_into(std::string_view text, Quantity& out) {
  return read(text, out) == Refusal::kNone;
}

bool Quantity::parse_json_into(std::string_view token, Quantity& out) {
  return read_json(token, out) == Refusal::kNone;
}

}  // namespace berth::api
