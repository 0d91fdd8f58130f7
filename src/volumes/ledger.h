// Promises in memory: what was assumed for pods whose writes the API server has not shown yet. One
// for each process, whatever the number of profiles.
//
// The promises themselves stand in the catalog, with their owners, on the version of the object
// they were made on: a newer version ends them. Only what a plan takes of a pool of capacity is
// kept here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/pod.h"
#include "base/hash_map.h"
#include "base/result.h"
#include "volumes/catalog.h"
#include "volumes/plan.h"
#include "volumes/switches.h"

namespace berth::volumes {

class Ledger {
 public:
  // `catalog` outlives it.
  Ledger(Catalog& catalog, const Switches& switches) : catalog_(catalog), switches_(switches) {}

  // Reserve: volumes point at their claims and claims ask for the node, for everyone who looks at
  // the catalog from now on. All of it or none of it: kConflict or kNotFound when an object has
  // changed since it was planned. `is_all_bound` when every claim of the pod is bound meanwhile.
  Result<AssumedPlan> assume(const api::Pod& pod, std::string_view node, const NodePlan& plan);

  // Unreserve: gives back what `assumed` promised, unless another pod was promised the same. Never
  // fails, and a second time does nothing. After a binding that is done too: room that a volume was
  // made in stays taken until its pool says so itself.
  void revert(const AssumedPlan& assumed);

  // The same for one object that was not written after all. One that was written, and has a newer
  // version now, stays promised until that version is seen.
  void release(const AssumedPlan& assumed, const api::PersistentVolume& volume);
  void release(const AssumedPlan& assumed, const api::PersistentVolumeClaim& claim);

 private:
  Result<void> promise_volume(const StaticBinding& binding, AssumedPlan& assumed);
  Result<void> promise_claim(const Provision& provision, AssumedPlan& assumed);
  void take_space(const Provision& provision, const std::string& owner);
  void leave_space(const std::string& key, const std::string& owner);
  void return_space(const std::string& key);

  // Room in a pool, promised to a claim for all pods that use it.
  struct Space {
    CapacityPtr pool;
    std::int64_t bytes = 0;
    std::string claim_uid;
    std::vector<std::string> owners;
  };

  Catalog& catalog_;
  Switches switches_;
  HashMap<std::string, Space> taken_;  // by claim
  std::uint64_t assumed_ = 0;          // so many times
};

}  // namespace berth::volumes
