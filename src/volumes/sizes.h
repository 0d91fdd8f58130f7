// Sizes in bytes, as integers of 64 bits.
#pragma once

#include <cstdint>

#include "api/quantity.h"
#include "base/checked.h"
#include "volumes/switches.h"

namespace berth::volumes {

// What is larger than 64 bits is the largest there is. As upstream: it wraps around, in
// conversions, sums and products alike, and so counts for little or nothing.
inline std::int64_t bytes_of(const api::Quantity& size, const Switches& switches) {
  return switches.exact_sizes ? size.value() : size.wrapped_value();
}

inline std::int64_t sum_of_bytes(std::int64_t a, std::int64_t b, const Switches& switches) {
  if (switches.exact_sizes) {
    return saturating_add(a, b);
  }
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// How many hundredths of `whole`, which is not zero, `part` is.
inline std::int64_t percent_of_bytes(std::int64_t part,
                                     std::int64_t whole,
                                     const Switches& switches) {
  if (switches.exact_sizes) {
    return saturating_mul(part, 100) / whole;
  }
  const std::uint64_t product = static_cast<std::uint64_t>(part) * 100;
  // The one quotient that does not fit wraps as well.
  return whole == -1 ? static_cast<std::int64_t>(-product)
                     : static_cast<std::int64_t>(product) / whole;
}

}  // namespace berth::volumes
