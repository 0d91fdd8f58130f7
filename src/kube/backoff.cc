#include "kube/backoff.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/assert.h"
#include "base/error.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::kube {

rt::Duration Backoff::after(std::uint32_t failures) const {
  BERTH_ASSERT(failures > 0, "who has not failed does not back off");
  rt::Duration delay = min;
  for (std::uint32_t i = 1; i < failures && delay < max; ++i) {
    delay = delay > max / 2 ? max : delay * 2;
  }
  return std::min(delay, max);
}

rt::Duration Backoff::after(std::uint32_t failures, rt::Random& random) const {
  const rt::Duration delay = after(failures);
  return delay + random.between(rt::Duration{}, delay);
}

rt::Duration retry_after(const Error& error) {
  // Compared in milliseconds: what a server asks for may be longer than nanoseconds can count.
  return std::min(error.retry_after(),
                  std::chrono::floor<std::chrono::milliseconds>(kRetryAfterMax));
}

}  // namespace berth::kube
