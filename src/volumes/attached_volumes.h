// What a pod's volumes are to attach limits: which driver attaches each, and what makes it one and
// the same volume when several pods use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "volumes/answer.h"
#include "volumes/objects.h"

namespace berth::volumes {

struct AttachedVolume {
  std::string id;  // one for each volume of the cluster; starts with the driver
  std::string driver;

  bool operator==(const AttachedVolume&) const = default;
};

struct AttachedVolumes {
  std::vector<AttachedVolume> volumes;  // ascending by id, distinct
  std::optional<Answer> fault;          // of the first volume that cannot be told
  // What the result may change with, by the functions below; ascending, distinct.
  std::vector<std::string> depends_on;

  bool operator==(const AttachedVolumes&) const = default;
};

std::string claim_dependency(std::string_view key);
std::string volume_dependency(std::string_view name);
std::string class_dependency(std::string_view name);

// Whose volumes: a new pod cannot run without its claims, and its first fault ends the look. A
// running pod's missing claims are passed over, and volumes behind a fault are still told.
enum class PodStage : bool { kNew, kRunning };

// In-tree volumes count for their CSI driver on nodes with a CSINode; what its annotation lists is
// not asked here.
AttachedVolumes attached_volumes(const api::Pod& pod,
                                 PodStage stage,
                                 const Objects& objects,
                                 bool has_csi_node);

// The volume an attachment stands for, if it stands for a CSI volume that is known.
AttachedVolumes attached_volumes(const api::VolumeAttachment& attachment, const Objects& objects);

// Whether any volume of the pod is of a kind that could be attached.
bool has_attachable_volumes(const api::Pod& pod);

}  // namespace berth::volumes
