// How long to leave something alone that has failed several times in a row.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/error.h"
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

// The longest that a server can keep us away by a Retry-After. One that asks for a day is wrong, or
// not ours: nothing stands still for that long because of one answer.
inline constexpr rt::Duration kRetryAfterMax = std::chrono::minutes(5);

// How long to stay away after this error: what the server asked for, within that limit.
rt::Duration retry_after(const Error& error);

}  // namespace berth::kube
