#include "api/kinds.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "api/objects/access_review.h"
#include "api/objects/bind_request.h"
#include "api/objects/binding.h"
#include "api/objects/config_map.h"
#include "api/objects/core_event.h"
#include "api/objects/events_event.h"
#include "api/objects/lease.h"
#include "api/objects/list.h"
#include "api/objects/meta.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_group.h"
#include "api/objects/resource_claim.h"
#include "api/objects/resource_slice.h"
#include "api/objects/storage.h"
#include "api/objects/workload.h"

namespace berth::api {
namespace {

template <typename Struct>
std::shared_ptr<void> make() {
  return std::make_shared<Struct>();
}

template <typename Struct>
bool equal(const void* a, const void* b) {
  return *static_cast<const Struct*>(a) == *static_cast<const Struct*>(b);
}

template <typename Object>
KindEntry entry() {
  return {.kind = &Object::kKind,
          .table = &Object::table,
          .make = &make<Object>,
          .equal = &equal<Object>,
          .list_table = &List<Object>::table,
          .make_list = &make<List<Object>>,
          .lists_equal = &equal<List<Object>>};
}

}  // namespace

std::span<const KindEntry> all_kinds() {
  static const std::array kinds = {
      entry<Binding>(),
      entry<ConfigMap>(),
      entry<DeleteOptions>(),
      entry<Event>(),
      entry<Namespace>(),
      entry<Node>(),
      entry<PersistentVolume>(),
      entry<PersistentVolumeClaim>(),
      entry<Pod>(),
      entry<Service>(),
      entry<Status>(),
      entry<ReplicaSet>(),
      entry<SelfSubjectAccessReview>(),
      entry<Lease>(),
      entry<events::Event>(),
      entry<Eviction>(),
      entry<PodDisruptionBudget>(),
      entry<DeviceClass>(),
      entry<ResourceClaim>(),
      entry<ResourceClaimTemplate>(),
      entry<ResourceSlice>(),
      entry<PriorityClass>(),
      entry<BindRequest>(),
      entry<PodGroup>(),
      entry<CSIDriver>(),
      entry<CSINode>(),
      entry<CSIStorageCapacity>(),
      entry<StorageClass>(),
      entry<VolumeAttachment>(),
      entry<VolumeAttributesClass>(),
  };
  return kinds;
}

const KindEntry* find_kind(std::string_view api_version, std::string_view kind) {
  const auto kinds = all_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const KindEntry& candidate) {
    return candidate.kind->name == kind && candidate.kind->api_version() == api_version;
  });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace berth::api
