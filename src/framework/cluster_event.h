// Changes of the cluster that can make a rejected pod schedulable, and how a plugin says which of
// them may help a pod that it rejected.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"

namespace berth::framework {

// What changed. The order is that of ChangedObject.
enum class Resource : std::uint8_t {
  kAny,  // nobody knows what: every rejected pod is looked at again
  kPod,
  kNode,
  kPersistentVolume,
  kPersistentVolumeClaim,
  kStorageClass,
  kCsiNode,
  kCsiDriver,
  kCsiStorageCapacity,
  kVolumeAttachment,
};

// How it changed; several at once for one update.
enum class Action : std::uint32_t {
  kAdd = 1U << 0U,
  kDelete = 1U << 1U,
  kUpdateNodeAllocatable = 1U << 2U,
  kUpdateNodeLabel = 1U << 3U,
  kUpdateNodeTaint = 1U << 4U,
  kUpdateNodeCondition = 1U << 5U,
  kUpdateNodeAnnotation = 1U << 6U,
  kUpdatePodLabel = 1U << 7U,
  kUpdatePodScaleDown = 1U << 8U,
  kUpdatePodToleration = 1U << 9U,
  kUpdatePodSchedulingGate = 1U << 10U,
  kUpdateOther = 1U << 11U,
};

class Actions {
 public:
  constexpr Actions() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one action is a set of actions
  constexpr Actions(Action action) : bits_(static_cast<std::uint32_t>(action)) {}

  // Every sort of update.
  static constexpr Actions updates() {
    Actions all;
    all.bits_ = ~(Actions(Action::kAdd) | Action::kDelete).bits_ & kAllBits;
    return all;
  }
  static constexpr Actions all() {
    Actions all;
    all.bits_ = kAllBits;
    return all;
  }

  constexpr bool meets(Actions other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool operator==(const Actions&) const = default;
  friend constexpr Actions operator|(Actions a, Actions b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  static constexpr std::uint32_t kAllBits = (1U << 12U) - 1;
  std::uint32_t bits_ = 0;
};

constexpr Actions operator|(Action a, Action b) {
  return Actions(a) | Actions(b);
}

// `before` is null for what was added, `after` for what was deleted.
template <typename Object>
struct Changed {
  std::shared_ptr<const Object> before;
  std::shared_ptr<const Object> after;

  // As it is now or, when it is gone, as it was last.
  const Object& newest() const { return after ? *after : *before; }
};

using ChangedObject = std::variant<std::monostate,
                                   Changed<api::Pod>,
                                   Changed<api::Node>,
                                   Changed<api::PersistentVolume>,
                                   Changed<api::PersistentVolumeClaim>,
                                   Changed<api::StorageClass>,
                                   Changed<api::CSINode>,
                                   Changed<api::CSIDriver>,
                                   Changed<api::CSIStorageCapacity>,
                                   Changed<api::VolumeAttachment>>;

struct ClusterEvent {
  Actions actions;
  ChangedObject object;  // none: nobody knows what changed

  Resource resource() const { return static_cast<Resource>(object.index()); }
};

// What a plugin wants to hear of.
struct EventInterest {
  Resource resource = Resource::kAny;
  Actions actions = Actions::all();

  bool covers(const ClusterEvent& event) const {
    return resource == Resource::kAny ||
           (resource == event.resource() && actions.meets(event.actions));
  }
};

enum class Hint : std::uint8_t { kSkip, kQueue };

}  // namespace berth::framework
