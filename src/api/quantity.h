// A Kubernetes resource quantity such as "500m", "1.5Gi" or "12e6": an exact number that remembers
// the kind of suffix it came with.
//
// What a text means, which texts are refused and with what words, and what printing gives follow
// k8s.io/apimachinery's resource.Quantity; tests/vectors/quantity.jsonl.gz records it. Two
// differences, both on purpose:
//
//  1. value() and milli_value() are right or saturate. Upstream wraps around where int64 is too
//     small and is off by one or worse for many negative quantities.
//  2. A quantity of more than kDigitsMax digits ("1e2000") is refused (ErrorCode::kLimit). Upstream
//     takes it, and then needs up to minutes and gigabytes to compare it with anything.
//
// A Quantity is a small value: parsing, copying, comparing and adding the ordinary ones (up to 18
// digits) allocates nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::api {

struct Decimal;

class Quantity {
 public:
  enum class Format : std::uint8_t {
    kNone,  // the JSON null, or nothing at all; prints like kDecimalExponent
    kDecimalSI,
    kBinarySI,
    kDecimalExponent,
  };

  // Of the integer part, written out. A sum may have to write out every digit down to 10^-9, so
  // this bounds what a few bytes of a pod can cost: microseconds for each sum. A sum has as many
  // digits more as the number of its terms has.
  static constexpr std::int64_t kDigitsMax = 2'000;

  // Zero without a format.
  Quantity() = default;
  static Quantity of_int(std::int64_t value, Format format);
  static Quantity of_milli(std::int64_t thousandths, Format format);

  // kInvalid with upstream's text, or kLimit.
  static Result<Quantity> parse(std::string_view text);
  // The same for a JSON token in its raw form: quoted or a bare number, white space around or
  // inside the quotes, or null. Escapes inside the quotes are not interpreted, as upstream does
  // not.
  static Result<Quantity> parse_json(std::string_view token);

  // The same without the error: false, and `out` is untouched, if the text is refused. Allocates
  // only for more than 18 digits or for a text that is kept (see to_string).
  [[nodiscard]] static bool parse_into(std::string_view text, Quantity& out);
  [[nodiscard]] static bool parse_json_into(std::string_view token, Quantity& out);

  Format format() const { return format_; }
  int sign() const { return static_cast<int>(mantissa_ > 0) - static_cast<int>(mantissa_ < 0); }
  bool is_zero() const { return mantissa_ == 0; }

  // Rounded away from zero; saturating at the ends of int64.
  std::int64_t value() const { return rounded(0); }
  std::int64_t milli_value() const { return rounded(-3); }
  // What upstream's arithmetic makes of it where it does not fit into int64: the lowest 64 bits, or
  // zero. Else value(), and that for negative quantities too. For strict comparisons with upstream.
  std::int64_t wrapped_value() const;
  // The same as decimal digits, whatever the size.
  std::string exact_value() const;
  std::string exact_milli_value() const;
  // The value where upstream's fast conversion gives one. That depends on how the quantity came
  // about, not on the number alone: "1" has one, "1000m" and "1Pi" have none. Use value().
  std::optional<std::int64_t> as_int64() const;

  // By number: -1, 0 or 1, whatever the formats.
  int compare(const Quantity& other) const;
  // The same number, format and printed text: what reading again what was printed preserves. (It
  // does not for a few: a zero or a fraction prints without its binary suffix, and see
  // canonical().)
  friend bool operator==(const Quantity& a, const Quantity& b);

  // The result has this quantity's format, or the other's if this one is zero.
  void add(const Quantity& other);
  void subtract(const Quantity& other);
  void negate();

  // What printing and encoding give: the text it was parsed from where upstream reuses that ("+1",
  // "1E3", "04Mi"), otherwise the canonical form.
  std::string to_string() const;
  // An integer with the largest suffix of the format. As upstream, a decimal beyond the suffix E or
  // a binary sum beyond Ei loses its exponent ("5200000E" gives "5200").
  std::string canonical() const;

 private:
  // Whether upstream keeps the amount in 64 bits decides what as_int64() says, also after adding.
  enum class Kind : std::uint8_t {
    kNarrow,   // mantissa_ * 10^scale_, in 64 bits upstream too
    kWritten,  // the same, and it prints as *text_, which is not its canonical form
    kWide,     // mantissa_ * 10^scale_, but upstream has gone over to big numbers
    kBig,      // mantissa_ is the sign and *text_ the digits, times 10^scale_
  };
  enum class Refusal : std::uint8_t { kNone, kFormat, kNumber, kSuffix, kTooLarge };
  struct Parts;

  static Refusal take_apart(std::string_view text, Parts& parts);
  static Refusal read(std::string_view text, Quantity& out);
  static Refusal read_json(std::string_view token, Quantity& out);
  static Refusal read_wide(const Parts& parts, Quantity& out);
  static Result<Quantity> result_of(Refusal refusal, Quantity quantity);

  bool is_narrow() const { return kind_ == Kind::kNarrow || kind_ == Kind::kWritten; }
  void set_narrow(std::int64_t mantissa, std::int32_t scale);
  void set_wide(const Decimal& amount);
  Decimal decimal() const;
  std::int64_t rounded(std::int32_t scale) const;
  std::string exact(std::int32_t scale) const;

  std::int64_t mantissa_ = 0;
  std::int32_t scale_ = 0;
  Format format_ = Format::kNone;
  Kind kind_ = Kind::kNarrow;
  std::shared_ptr<const std::string> text_;  // set for kWritten and kBig only
};

// "DecimalSI", "BinarySI", "DecimalExponent"; empty for kNone.
std::string_view name_of(Quantity::Format format);

}  // namespace berth::api
