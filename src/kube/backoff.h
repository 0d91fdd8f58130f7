// How long to leave something alone that has failed several times in a row.
#pragma once

#include <cstdint>

#include "rt/random.h"
#include "rt/time.h"

namespace berth::kube {

struct Backoff {
  rt::Duration min{};
  rt::Duration max{};

  // min, twice that, and so on up to max; `failures` is at least 1.
  rt::Duration after(std::uint32_t failures) const;
  // The same, stretched by up to its own length, so that those who failed together do not come
  // back together.
  rt::Duration after(std::uint32_t failures, rt::Random& random) const;
};

// The end of a wait of `duration` from `now`, which may be longer than time is.
rt::Time end_of(rt::Time now, rt::Duration duration);

}  // namespace berth::kube
