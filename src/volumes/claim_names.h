// Which claims a pod uses, for the plugins beside VolumeBinding.
#pragma once

#include <string>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"

namespace berth::volumes {

// Names of the claims of the pod's volumes, one for each volume in their order; those of ephemeral
// volumes only if asked for. Whether the claims exist or belong to the pod is not looked at.
std::vector<std::string> claim_names_of(const api::Pod& pod, bool with_ephemeral);

// Whether a volume of the pod names this very claim.
bool uses_claim(const api::Pod& pod, const api::PersistentVolumeClaim& claim, bool with_ephemeral);

}  // namespace berth::volumes
