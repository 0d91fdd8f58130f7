// Bindings that were sent and whose fate nobody knows: until when each of them may be applied.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/hash_map.h"
#include "kube/object_key.h"
#include "rt/time.h"

namespace berth::binder {

// By pod, not by order: a binding outlives the order it was sent for.
class Landings {
 public:
  // One to this pod may be applied until then.
  void add(const kube::ObjectKey& pod, rt::Time until, rt::Time now) {
    if (until_.size() >= kSizeMax) {
      erase_if(until_, [now](const auto& each) { return each.second <= now; });
    }
    rt::Time& known = until_[pod];
    known = std::max(known, until);
    last_ = std::max(last_, until);
  }

  // When all to this pod have been applied, or never will be.
  rt::Time of(const kube::ObjectKey& pod) const {
    const auto found = until_.find(pod);
    return std::max(found != until_.end() ? found->second : rt::Time::min(), others_);
  }

  // Those of other processes too.
  void add_others(rt::Time until) {
    others_ = std::max(others_, until);
    last_ = std::max(last_, until);
  }

  // When all to all pods have.
  rt::Time last() const { return last_; }

 private:
  // Beyond it what has passed is forgotten.
  static constexpr std::size_t kSizeMax = 1024;

  HashMap<kube::ObjectKey, rt::Time> until_;
  rt::Time others_ = rt::Time::min();
  rt::Time last_ = rt::Time::min();
};

}  // namespace berth::binder
