// A budget that fills up with time.
#pragma once

#include <cstdint>

#include "rt/time.h"

namespace berth::kube {

struct Budget {
  std::uint32_t burst = 1;  // what can be spent at once
  rt::Duration refill{};    // how long until one more can
};

// Full at first.
class TokenBucket {
 public:
  TokenBucket(Budget budget, rt::Time now);

  // Spends one if there is one.
  bool take(rt::Time now);
  // When there will be one; not after `now` if there is.
  rt::Time next(rt::Time now) const;
  bool is_full(rt::Time now) const { return full_at_ <= now; }

 private:
  Budget budget_;
  rt::Time full_at_;  // spending one moves it by one refill
};

}  // namespace berth::kube
