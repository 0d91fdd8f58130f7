// The writes of the PV controller: patches that say only what changes, each under uid and version
// of the object it was decided on. Nothing where there is nothing to change. Pure.
//
// A binding is four of them in this order, and whoever is interrupted goes on where the objects
// show it: the volume points at the claim, the volume says Bound, the claim names the volume, the
// claim says Bound.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "actors/class_rules.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "base/result.h"
#include "kube/client.h"
#include "volumes/rules.h"
#include "volumes/writes.h"

namespace berth::actors {

using PatchWish = std::optional<kube::PatchRequest>;

// The next write of the binding; nothing when it is complete. kInvalid for a volume that does not
// say its size.
Result<PatchWish> next_bind_write(const volumes::VolumePtr& volume,
                                  const api::PersistentVolumeClaim& claim);

// The volume no longer points at the claim. Where the user made it point there, it still names the
// claim and means no particular one.
kube::PatchRequest unbind_write(const api::PersistentVolume& volume);

PatchWish volume_phase_write(const api::PersistentVolume& volume,
                             std::string_view phase,
                             std::string_view message = "");
// Of a claim that has no volume (any more): `phase`, and nothing of a volume's.
PatchWish claim_phase_write(const api::PersistentVolumeClaim& claim, std::string_view phase);

kube::PatchRequest class_write(const api::PersistentVolumeClaim& claim, std::string_view name);

PatchWish annotations_write(const api::PersistentVolume& volume,
                            std::vector<volumes::AnnotationChange> changes);
PatchWish annotations_write(const api::PersistentVolumeClaim& claim,
                            std::vector<volumes::AnnotationChange> changes);

// The volume no longer waits for who put the finalizer there.
kube::PatchRequest finalizer_write(const api::PersistentVolume& volume, std::string_view finalizer);

}  // namespace berth::actors
