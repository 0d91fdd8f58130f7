// Which volume the PV controller gives to a claim, whatever the node. Pure.
//
// It differs from the scheduler's search (volumes/search.h) in the order in which it looks: volumes
// with the same set of access modes belong together, sets with fewer modes go first, and within the
// first set that has a match a volume that points at the claim wins, else the smallest, the first
// by name of equally small ones. A volume that points at the claim but sits in a larger set can
// lose.
#pragma once

#include <span>
#include <string>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "base/result.h"
#include "volumes/rules.h"

namespace berth::actors {

struct Candidates {
  std::span<const volumes::VolumePtr> pointing;  // their claimRef names the claim
  std::span<const volumes::VolumePtr> free;      // of the claim's class, without a claimRef
};

// nullptr when none fits. A claim that waits for its consumer gets only what points at it. kInvalid
// for a selector that cannot be read.
Result<volumes::VolumePtr> find_match(const api::PersistentVolumeClaim& claim,
                                      bool is_delayed,
                                      const Candidates& candidates);

// Why the volume that a claim asks for by name cannot be its; empty when it can. Neither the
// selector nor where the volume can be reached is asked.
std::string mismatch(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);

}  // namespace berth::actors
