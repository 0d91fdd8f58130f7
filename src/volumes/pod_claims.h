// PreFilter: whether a pod's claims allow it to be placed at all, and how each of them would be.
#pragma once

#include <vector>

#include "api/objects/pod.h"
#include "base/result.h"
#include "volumes/answer.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::volumes {

// The claims of a pod, in the order of its volumes.
struct PodClaims {
  View view;                             // of the moment they were sorted
  std::vector<ClaimEntryPtr> bound;      // have their volumes
  std::vector<ClaimEntryPtr> delayed;    // get one together with the pod's node
  std::vector<ClaimEntryPtr> immediate;  // the PV controller has yet to bind them

  bool empty() const { return bound.empty() && delayed.empty() && immediate.empty(); }
};

// Claims are seen with promises applied: what another pod was promised for a shared claim counts.
// The error is one of the whole attempt, in upstream's words.
Result<PodClaims> sort_claims(View view, const api::Pod& pod, const Switches& switches);

// Skip when the pod has no claims; success when they are sorted and none of them has to be waited
// for.
struct PodCheck {
  Answer answer;
  PodClaims claims;
};
PodCheck check_pod(View view, const api::Pod& pod, const Switches& switches);

}  // namespace berth::volumes
