// Disks that pods name directly, and when two pods cannot use one on the same node.
#pragma once

#include <string>
#include <vector>

#include "api/objects/pod.h"

namespace berth::volumes {

struct Disk {
  // Equal for disks that may be the same: kind and name.
  std::string identity;
  bool is_read_only = false;
  // Of RBD images only: two that share none are in different clusters.
  std::vector<std::string> monitors;

  bool operator==(const Disk&) const = default;
};

// Of all volumes of the pod with a GCE, AWS, iSCSI or RBD source, in their order.
std::vector<Disk> disks_of(const api::Pod& pod);

// Both are the same disk, and it cannot be shared: it can if both only read, but AWS disks never.
bool conflicts(const Disk& a, const Disk& b);

}  // namespace berth::volumes
