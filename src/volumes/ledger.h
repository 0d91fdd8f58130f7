// Promises in memory: what was assumed for pods whose writes the API server has not shown yet. One
// for each process, whatever the number of profiles.
//
// The promises themselves stand in the catalog, with their owners, on the version of the object
// they were made on: a newer version ends them. What a plan takes of a pool of capacity is kept
// here, and which plans rely on which writes, until they are reverted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "base/hash_map.h"
#include "base/result.h"
#include "volumes/catalog.h"
#include "volumes/plan.h"
#include "volumes/recorded_plan.h"
#include "volumes/reliance.h"
#include "volumes/switches.h"
#include "volumes/wait.h"

namespace berth::volumes {

class Ledger {
 public:
  // `catalog` outlives it.
  Ledger(Catalog& catalog, const Switches& switches) : catalog_(catalog), switches_(switches) {}

  // Reserve: volumes point at their claims and claims ask for the node, for everyone who looks at
  // the catalog from now on. All of it or none of it: kConflict or kNotFound when an object has
  // changed since it was planned. `is_all_bound` when every claim of the pod is bound meanwhile.
  Result<AssumedPlan> assume(const api::Pod& pod, std::string_view node, const NodePlan& plan);

  // What was just assumed, in the form that survives: see record_plan(). What other plans of this
  // process wrote for the same is told as theirs and this one's.
  Result<RecordedPlan> record(const AssumedPlan& assumed,
                              const api::Pod& pod,
                              const std::string& planner);

  // What a recorded plan promised, after a crash, as if this process had assumed it: nothing on
  // objects that have another version by now, since that ended the promise. kNotFound when the pod
  // is gone, so that nothing is promised to it; kConflict when another plan has been promised the
  // same. Then the plan is to be undone.
  Result<AssumedPlan> restore(const RecordedPlan& plan, const PodFacts& pod);

  // Unreserve: gives back what `assumed` promised, unless another pod was promised the same. Never
  // fails, and a second time does nothing. After a binding that is done too: room that a volume was
  // made in stays taken until its pool says so itself. A plan that was recorded and comes to
  // nothing is given up and undone first: what other pods left for it is its own to take back.
  void revert(const AssumedPlan& assumed);

  // The same for one object that was not written after all. One that was written, and has a newer
  // version now, stays promised until that version is seen.
  void release(const AssumedPlan& assumed, const api::PersistentVolume& volume);
  void release(const AssumedPlan& assumed, const api::PersistentVolumeClaim& claim);

  // Who relies on what was assumed here: to be asked by an undo, and told of it.
  Reliance& reliance() { return reliance_; }

 private:
  Result<void> promise_volume(const StaticBinding& binding, AssumedPlan& assumed);
  Result<void> promise_claim(const Provision& provision, AssumedPlan& assumed);
  Result<void> restore_volume(const RecordedBinding& binding, AssumedPlan& assumed);
  Result<void> restore_claim(const RecordedProvision& provision, AssumedPlan& assumed);
  CapacityPtr find_pool(const RecordedRoom& room) const;
  std::string next_owner(const std::string& pod_uid);

  // Room in one version of a pool, promised to a claim for all pods that use it.
  struct Space {
    CapacityPtr pool;
    std::int64_t bytes = 0;
    std::string claim_uid;
    std::vector<std::string> owners;
  };
  // Where the room is: null when there is none.
  CapacityPtr take_space(const std::string& key, Space wanted);
  void leave_space(const std::string& key, const std::string& owner);
  void return_space(const Space& space);

  Catalog& catalog_;
  Switches switches_;
  Reliance reliance_;
  HashMap<std::string, std::vector<Space>> taken_;  // by claim
  std::uint64_t assumed_ = 0;                       // so many times
};

}  // namespace berth::volumes
