#include <algorithm>
#include <cstdint>
#include <string>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/storage.h"
#include "base/hash_map.h"
#include "volumes/attached_volumes.h"
#include "volumes/claim_names.h"
#include "volumes/hint.h"
#include "volumes/limits.h"
#include "volumes/migration.h"

namespace berth::volumes {
namespace {

std::int32_t limit_of(const api::CSINodeDriver& driver) {
  return driver.allocatable ? driver.allocatable->count.value_or(0) : 0;
}

}  // namespace

Hint limit_hint_for_csi_node_change(const api::CSINode& before, const api::CSINode& after) {
  HashMap<std::string, std::int32_t> limits;
  for (const api::CSINodeDriver& driver : before.spec.drivers) {
    limits[driver.name] = limit_of(driver);
  }
  return queue_if(std::ranges::any_of(after.spec.drivers, [&](const api::CSINodeDriver& driver) {
    const auto old = limits.find(driver.name);
    return limit_of(driver) > (old == limits.end() ? 0 : old->second);
  }));
}

Hint limit_hint_for_deleted_pod(const api::Pod& deleted) {
  const bool had_node =
      !deleted.spec.node_name.empty() || !deleted.status.nominated_node_name.empty();
  return queue_if(had_node && has_attachable_volumes(deleted));
}

Hint limit_hint_for_new_claim(const api::Pod& pod, const api::PersistentVolumeClaim& added) {
  return queue_if(uses_claim(pod, added, /*with_ephemeral=*/true));
}

Hint limit_hint_for_deleted_attachment(const api::Pod& pod, const api::VolumeAttachment& deleted) {
  return queue_if(std::ranges::any_of(pod.spec.volumes, [&](const api::Volume& volume) {
    return volume.source.persistent_volume_claim ||
           find_inline_driver(volume) == deleted.spec.attacher;
  }));
}

}  // namespace berth::volumes
