// The suffixes of quantities, both ways.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "api/quantity.h"

namespace berth::api {

struct QuantitySuffix {
  Quantity::Format format = Quantity::Format::kDecimalSI;
  std::int32_t exponent = 0;  // of two for kBinarySI, of ten otherwise
};

// What a suffix means; nothing if it is none. An exponent is cut to 32 bits.
std::optional<QuantitySuffix> find_suffix(std::string_view text);

// Letters, a sign, digits: what the regular expression of the error text lets through, so that the
// suffix and not the whole text is to blame.
bool has_suffix_shape(std::string_view text);

// Empty where there is none: beyond n and E, beyond Ei. `exponent` is a multiple of three.
std::string_view decimal_suffix(std::int64_t exponent);
std::string_view binary_suffix(std::size_t power_of_1024);

}  // namespace berth::api
