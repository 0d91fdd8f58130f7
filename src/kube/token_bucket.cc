#include "kube/token_bucket.h"

#include <algorithm>

#include "base/assert.h"
#include "rt/time.h"

namespace berth::kube {

TokenBucket::TokenBucket(Budget budget, rt::Time now) : budget_(budget), full_at_(now) {
  BERTH_ASSERT(budget.burst > 0 && budget.refill > rt::Duration{}, "a budget can be spent");
}

bool TokenBucket::take(rt::Time now) {
  if (next(now) > now) {
    return false;
  }
  full_at_ = std::max(full_at_, now) + budget_.refill;
  return true;
}

rt::Time TokenBucket::next(rt::Time now) const {
  // One short of full takes one refill, an empty one `burst` of them.
  return std::max(full_at_, now) - budget_.refill * (budget_.burst - 1);
}

}  // namespace berth::kube
