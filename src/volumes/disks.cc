#include "volumes/disks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"

namespace berth::volumes {

std::vector<Disk> disks_of(const api::Pod& pod) {
  std::vector<Disk> disks;
  for (const api::Volume& volume : pod.spec.volumes) {
    const api::VolumeSource& source = volume.source;
    if (source.gce_persistent_disk) {
      disks.push_back({.identity = "gce\n" + source.gce_persistent_disk->pd_name,
                       .is_read_only = source.gce_persistent_disk->read_only,
                       .monitors = {}});
    }
    if (source.aws_elastic_block_store) {
      // Never taken as read-only: AWS attaches a disk to one instance, whatever is done with it.
      disks.push_back({.identity = "aws\n" + source.aws_elastic_block_store->volume_id,
                       .is_read_only = false,
                       .monitors = {}});
    }
    if (source.iscsi) {
      disks.push_back({.identity = "iscsi\n" + source.iscsi->iqn,
                       .is_read_only = source.iscsi->read_only,
                       .monitors = {}});
    }
    if (source.rbd) {
      disks.push_back({.identity = "rbd\n" + source.rbd->pool + "\n" + source.rbd->image,
                       .is_read_only = source.rbd->read_only,
                       .monitors = source.rbd->monitors});
    }
  }
  return disks;
}

bool conflicts(const Disk& a, const Disk& b) {
  if (a.identity != b.identity || (a.is_read_only && b.is_read_only)) {
    return false;
  }
  if (!a.identity.starts_with("rbd\n")) {
    return true;
  }
  return std::ranges::find_first_of(a.monitors, b.monitors) != a.monitors.end();
}

}  // namespace berth::volumes
