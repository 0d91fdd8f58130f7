// What may be taken back of one object, judged by how the server has it right now.
//
// The PV controller marks a volume Bound before it writes the claim, so an unbound claim proves
// nothing: a reference is taken back while its volume is not Bound, and only the one we wrote. A
// claim's wish for a node is taken back while nothing was made for it. All of it under the version
// that was looked at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "volumes/bind_reason.h"
#include "volumes/recorded_plan.h"
#include "volumes/writes.h"

namespace berth::volumes {

struct UndoDecision {
  enum class What : std::uint8_t {
    kNothing,  // nothing of ours is there
    kWrite,    // `write` takes it back
    kHeld,     // it is there and has to stay: `held` says for whom
  };

  What what = What::kNothing;
  Write write;
  BindReason held;
};

UndoDecision undo_of(const RecordedBinding& binding, const api::PersistentVolume& volume);

// `made`: a volume that may have been made for the claim, as the server has it; null for none.
UndoDecision undo_of(const RecordedProvision& provision,
                     std::string_view node,
                     const api::PersistentVolumeClaim& claim,
                     const api::PersistentVolume* made);

// What provisioners call the volume of a claim, if they are not told otherwise.
std::string made_volume_name(const RecordedObject& claim);

}  // namespace berth::volumes
