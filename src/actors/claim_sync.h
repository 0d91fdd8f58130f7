// What the PV controller does about a claim, given what it knows. Pure.
//
// A claim without the mark of a finished binding is bound, provisioned for, or waits; one that has
// it is confirmed, repaired, or lost for good. Each decision is one step: whoever is interrupted,
// or has made the write that was asked for, asks again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/class_rules.h"
#include "actors/pv_writes.h"
#include "actors/volume_match.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "base/error.h"
#include "kube/client.h"
#include "kube/event_recorder_state.h"
#include "volumes/rules.h"

namespace berth::actors {

// An object that another one names, as far as we see. A cache may be late, the server is not.
template <typename Object>
struct Sight {
  std::shared_ptr<const Object> object;  // nullptr: it is not there
  bool is_live = false;                  // the server said so, just now
};

struct ClaimPicture {
  const api::PersistentVolumeClaim& claim;
  Candidates candidates;                             // where it names no volume
  Sight<api::PersistentVolume> named;                // where it names one
  const api::StorageClass* storage_class = nullptr;  // its own, if that is there
  const api::StorageClass* default_class = nullptr;  // of the cluster, if there is one
  std::vector<std::string> waiting_pods;             // that use the claim and are on no node yet
};

struct ClaimDecision {
  // The server is to be asked for the named volume, and then this question is to be put again.
  bool must_look = false;
  // The claim gets this volume: next_bind_write() until there is none.
  volumes::VolumePtr bind;
  // Otherwise: a write, if any, and then what is told to people.
  PatchWish write;
  std::vector<kube::RecordedEvent> events;
  // Something is wrong that may be right next time.
  std::optional<Error> trouble;
};

ClaimDecision decide(const ClaimPicture& picture);

}  // namespace berth::actors
