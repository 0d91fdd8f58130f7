// Integer arithmetic for accounting, where an overflow must be seen (checked) or must stop at the
// end of the range (saturating) instead of wrapping or being undefined.
//
//   const auto used = checked_add(node_used, pod_request);
//   if (!used) {
//     return Error(ErrorCode::kLimit, "requests of the node exceed 64 bits");
//   }
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace berth {

constexpr std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    return std::nullopt;
  }
  return sum;
}

constexpr std::optional<std::int64_t> checked_sub(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) {
    return std::nullopt;
  }
  return difference;
}

constexpr std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    return std::nullopt;
  }
  return product;
}

// The end of the range an overflowing result lies beyond.
constexpr std::int64_t saturated(bool is_negative) {
  return is_negative ? std::numeric_limits<std::int64_t>::min()
                     : std::numeric_limits<std::int64_t>::max();
}

// A sum overflows only towards the sign both operands share, a difference towards the sign of its
// first operand.
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  return checked_add(a, b).value_or(saturated(a < 0));
}

constexpr std::int64_t saturating_sub(std::int64_t a, std::int64_t b) {
  return checked_sub(a, b).value_or(saturated(a < 0));
}

constexpr std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  return checked_mul(a, b).value_or(saturated((a < 0) != (b < 0)));
}

}  // namespace berth
