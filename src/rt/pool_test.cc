#include "rt/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace berth::rt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::pair<std::size_t, std::size_t>> pieces(std::size_t count, std::size_t chunk) {
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  SerialPool pool;
  pool.for_each(
      count, chunk, [&](std::size_t begin, std::size_t end) { seen.emplace_back(begin, end); });
  return seen;
}

TEST(SerialPool, CutsTheRangeIntoPieces) {
  EXPECT_THAT(pieces(7, 3), ElementsAre(Pair(0, 3), Pair(3, 6), Pair(6, 7)));
  EXPECT_THAT(pieces(6, 3), ElementsAre(Pair(0, 3), Pair(3, 6)));
  EXPECT_THAT(pieces(2, ~std::size_t{0}), ElementsAre(Pair(0, 2)));
}

TEST(SerialPool, AnEmptyRangeHasNoPieces) {
  EXPECT_THAT(pieces(0, 3), IsEmpty());
}

TEST(SerialPoolDeathTest, APieceIsNotEmpty) {
  EXPECT_DEATH(pieces(1, 0), "a piece is not empty");
}

}  // namespace
}  // namespace berth::rt
