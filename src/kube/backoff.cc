#include "kube/backoff.h"

#include <algorithm>
#include <cstdint>

#include "base/assert.h"
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

rt::Time end_of(rt::Time now, rt::Duration duration) {
  return duration >= rt::kNever - now ? rt::kNever : now + duration;
}

}  // namespace berth::kube
