// Two quantities, a line each: printing reads back, comparing is antisymmetric, sums undo.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "api/quantity.h"
#include "input.h"

using berth::api::Quantity;
using berth::fuzz::require;

namespace {

void check_one(const Quantity& quantity) {
  const auto printed = Quantity::parse(quantity.to_string());
  require(printed.has_value(), "what is printed can be parsed");
  // Upstream has no suffix for what is beyond 64 bits and leaves it out: 5000E prints as 5.
  const std::int64_t value = quantity.value();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (value > -kMax && value < kMax) {
    require(printed->compare(quantity) == 0, "what is printed has the same value");
  }
  // Not what was printed first: bytes that no power of 1024 divides lose their format.
  const auto settled = Quantity::parse(printed->to_string());
  require(settled && settled->to_string() == printed->to_string(), "printing settles");
  require(quantity.compare(quantity) == 0, "a quantity equals itself");
  require((quantity.sign() == 0) == quantity.is_zero(), "zero has no sign");
}

void check_two(const Quantity& a, const Quantity& b) {
  require(a.compare(b) == -b.compare(a), "comparing is antisymmetric");
  Quantity sum = a;
  sum.add(b);
  sum.subtract(b);
  require(sum.compare(a) == 0, "subtracting undoes adding");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Thousands of digits are covered by a unit test; here they would only be slow.
  constexpr std::size_t kInputMax = 256;
  const std::string_view text(reinterpret_cast<const char*>(data), std::min(size, kInputMax));
  const auto line = text.find('\n');
  const auto a = Quantity::parse(text.substr(0, line));
  if (!a) {
    return 0;
  }
  check_one(*a);
  if (line != std::string_view::npos) {
    if (const auto b = Quantity::parse(text.substr(line + 1))) {
      check_two(*a, *b);
    }
  }
  return 0;
}
