// Where an in-tree volume can be reached from once its CSI driver serves it.
#pragma once

#include <string_view>

#include "api/box.h"
#include "api/members.h"
#include "api/objects/persistent_volume.h"

namespace berth::volumes {

// Changes a volume's node affinity to the driver's topology key: zones of the affinity itself if it
// names any, otherwise those of the volume's zone label. Of the general and the beta keys one pair
// counts: the one the affinity uses, else the one of the labels, the general one first.
void translate_topology(const api::StringMap& labels,
                        std::string_view csi_key,
                        api::Box<api::VolumeNodeAffinity>& affinity);

}  // namespace berth::volumes
