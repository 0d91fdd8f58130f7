// Pseudo-random numbers that are the same on every machine: the standard distributions are not.
#pragma once

#include <cstdint>

#include "rt/time.h"

namespace berth::rt {

// A stream that is a function of its seed.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t next();
  // Uniform in [0, bound); bound is not 0.
  std::uint64_t below(std::uint64_t bound);
  // Uniform in [first, last].
  std::int64_t between(std::int64_t first, std::int64_t last);
  Duration between(Duration first, Duration last);
  // True once in `one_in` on average; never for 0.
  bool one_in(std::uint64_t one_in);
  // Uniform in [0, 1).
  double unit();

  // A stream of its own, so that what one component draws does not shift what another one gets.
  Random fork();

 private:
  std::uint64_t state_;
};

}  // namespace berth::rt
