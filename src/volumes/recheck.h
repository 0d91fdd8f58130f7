// Whether what was decided for one object still stands, now that the object is as it is: before the
// first write, and again whenever a write was refused because the object had changed.
#pragma once

#include <optional>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "volumes/bind_reason.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/view.h"
#include "volumes/writes.h"

namespace berth::volumes {

// What is known besides the object: the node and who else is there.
struct RecheckPlace {
  const RecordedPlan& plan;
  const View& view;
  const Switches& switches;
  // Only whether it is the planned object and there to stay.
  bool is_identity_only = false;
};

// The volume of a binding: still free for the claim or naming it already, fitting, in reach of the
// node. Nothing is said of fitting while `claim` is not known (null).
std::optional<BindProblem> recheck_volume(const RecordedBinding& binding,
                                          const api::PersistentVolume& volume,
                                          const api::PersistentVolumeClaim* claim,
                                          const RecheckPlace& place);

// The claim of a binding: still the same, unbound or bound to this volume, and not asking for a
// volume somewhere.
std::optional<BindProblem> recheck_claim(const RecordedBinding& binding,
                                         const api::PersistentVolumeClaim& claim,
                                         const RecheckPlace& place);

// The claim of a provision: still the same, unbound, and not asking for another node that exists.
std::optional<BindProblem> recheck_claim(const RecordedProvision& provision,
                                         const api::PersistentVolumeClaim& claim,
                                         const RecheckPlace& place);

// What is left to be written, under the object's own version; nothing to change when the object is
// as the plan wants it.
Write write_of(const RecordedBinding& binding, const VolumePtr& volume);
Write write_of(const RecordedProvision& provision,
               const api::PersistentVolumeClaim& claim,
               const RecordedPlan& plan);

}  // namespace berth::volumes
