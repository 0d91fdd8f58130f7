#include "rt/random.h"

#include <cstdint>

#include "base/assert.h"
#include "rt/time.h"

namespace berth::rt {

Random::Random(std::uint64_t seed) : state_(seed) {}

// SplitMix64: one addition and a mixing function; passes the usual test batteries and has no state
// that a poor seed could spoil.
std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31U);
}

std::uint64_t Random::below(std::uint64_t bound) {
  BERTH_ASSERT(bound > 0, "there is no number below zero");
  // The high half of a product is uniform up to one part in 2^64 / bound, which nobody can see.
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64U);
}

std::int64_t Random::between(std::int64_t first, std::int64_t last) {
  BERTH_ASSERT(first <= last, "a range has a first and a last number");
  const std::uint64_t span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const std::uint64_t offset = span == UINT64_MAX ? next() : below(span + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + offset);
}

Duration Random::between(Duration first, Duration last) {
  return Duration(between(first.count(), last.count()));
}

bool Random::one_in(std::uint64_t one_in) {
  return one_in != 0 && below(one_in) == 0;
}

double Random::unit() {
  constexpr double kStep = 1.0 / static_cast<double>(std::uint64_t{1} << 53U);
  return static_cast<double>(next() >> 11U) * kStep;
}

Random Random::fork() {
  return Random(next());
}

}  // namespace berth::rt
