#include "base/checked.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace berth {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::int64_t, 15> kEdges = {kMin,
                                                 kMin + 1,
                                                 kMin / 2,
                                                 -3'037'000'500,
                                                 -2,
                                                 -1,
                                                 0,
                                                 1,
                                                 2,
                                                 3'037'000'499,
                                                 3'037'000'500,
                                                 kMax / 2,
                                                 kMax / 2 + 1,
                                                 kMax - 1,
                                                 kMax};

static_assert(checked_add(1, 2) == 3, "usable in constant expressions");

// The oracle computes in 128 bits, where nothing here overflows.
using Wide = __int128;

std::optional<std::int64_t> narrowed(Wide value) {
  if (value < kMin || value > kMax) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

std::int64_t clamped(Wide value) {
  return static_cast<std::int64_t>(std::clamp(value, Wide{kMin}, Wide{kMax}));
}

TEST(Checked, AgreesWithWideArithmeticAtEveryEdge) {
  for (const std::int64_t a : kEdges) {
    for (const std::int64_t b : kEdges) {
      SCOPED_TRACE(testing::Message() << a << " and " << b);
      EXPECT_EQ(checked_add(a, b), narrowed(Wide{a} + b));
      EXPECT_EQ(checked_sub(a, b), narrowed(Wide{a} - b));
      EXPECT_EQ(checked_mul(a, b), narrowed(Wide{a} * b));
    }
  }
}

TEST(Saturating, StopsAtTheEndOfTheRangeTheResultLiesBeyond) {
  for (const std::int64_t a : kEdges) {
    for (const std::int64_t b : kEdges) {
      SCOPED_TRACE(testing::Message() << a << " and " << b);
      EXPECT_EQ(saturating_add(a, b), clamped(Wide{a} + b));
      EXPECT_EQ(saturating_sub(a, b), clamped(Wide{a} - b));
      EXPECT_EQ(saturating_mul(a, b), clamped(Wide{a} * b));
    }
  }
}

}  // namespace
}  // namespace berth
