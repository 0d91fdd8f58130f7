// What the PV controller does about a volume, given what it knows. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "actors/claim_sync.h"
#include "actors/pv_writes.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "kube/event_recorder_state.h"

namespace berth::actors {

struct VolumePicture {
  const api::PersistentVolume& volume;
  Sight<api::PersistentVolumeClaim> claim;  // which its reference names, whatever its uid
};

struct VolumeDecision {
  // The server is to be asked for the claim, and then this question is to be put again.
  bool must_look = false;
  // The claim is to be looked at: what remains of the binding is its part.
  bool wakes_claim = false;
  // A write, if any, and then what is told to people.
  PatchWish write;
  std::vector<kube::RecordedEvent> events;
};

VolumeDecision decide(const VolumePicture& picture);

// Nobody needs the volume any more, and it is up to its policy what becomes of it.
bool is_done_with(std::string_view phase);

}  // namespace berth::actors
