// The newest state of every object of a kind that an actor has seen, in whatever way it came: an
// event, the answer to a write of its own, a read.
//
// Events may tell of states that our own writes have left behind. So nothing goes back: what is
// older than what stands here is not taken. What is gone comes back by an event only, however late
// the answer to a write arrives.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "api/codec.h"
#include "kube/cache.h"
#include "kube/object_key.h"
#include "kube/resource_version.h"
#include "kube/typed.h"

namespace berth::actors {

enum class Taken : std::uint8_t {
  kNew,      // it stands here now
  kSame,     // this very state stood here already
  kStale,    // a newer one stands here
  kUnknown,  // an answer about an object that is not here, or versions that cannot be compared
};

template <api::TopLevel Object>
class Shelf {
 public:
  using Pointer = std::shared_ptr<const Object>;

  // Before the first object.
  void add_index(std::string name, typename kube::Cache<Object>::IndexFunction function) {
    cache_.add_index(std::move(name), std::move(function));
  }

  const kube::Cache<Object>& objects() const { return cache_; }

  // What an event tells: another object of the same name takes the place of the one before.
  Taken put_seen(Pointer object) {
    const Pointer known = cache_.find(kube::key_of(*object));
    if (known && known->metadata.uid == object->metadata.uid) {
      return put_newer(*known, std::move(object));
    }
    cache_.put(std::move(object));
    return Taken::kNew;
  }

  // What a write or a read of ours was answered with.
  Taken put_answer(Pointer object) {
    const Pointer known = cache_.find(kube::key_of(*object));
    if (!known || known->metadata.uid != object->metadata.uid) {
      return Taken::kUnknown;
    }
    return put_newer(*known, std::move(object));
  }

  void erase(const kube::ObjectKey& key) { cache_.erase(key); }

 private:
  Taken put_newer(const Object& known, Pointer object) {
    const std::partial_ordering order =
        kube::compare_versions(object->metadata.resource_version, known.metadata.resource_version);
    if (order == std::partial_ordering::equivalent) {
      return Taken::kSame;
    }
    if (order == std::partial_ordering::less) {
      return Taken::kStale;
    }
    if (order == std::partial_ordering::unordered) {
      return Taken::kUnknown;
    }
    cache_.put(std::move(object));
    return Taken::kNew;
  }

  kube::Cache<Object> cache_;
};

}  // namespace berth::actors
