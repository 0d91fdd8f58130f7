// Promises in memory: what Reserve assumed for pods whose writes the API server has not shown yet.
// One for each process, whatever the number of profiles.
#pragma once

#include <string>
#include <string_view>

#include "api/objects/pod.h"
#include "base/hash_map.h"
#include "base/result.h"
#include "volumes/catalog.h"
#include "volumes/plan.h"
#include "volumes/switches.h"

namespace berth::volumes {

class Ledger {
 public:
  Ledger(Catalog& catalog, const Switches& switches);

  // Reserve: volumes point at their claims and claims ask for the node, for everyone who looks at
  // the catalog from now on. All of it or none of it: kConflict or kNotFound when an object has
  // changed since it was planned. `is_all_bound` when every claim of the pod is bound meanwhile.
  Result<AssumedPlan> assume(const api::Pod& pod, std::string_view node, const NodePlan& plan);

  // Unreserve: gives back what `assumed` promised, unless another pod was promised the same. Never
  // fails, and a second time does nothing. Promises on versions that are gone are gone already.
  void revert(const AssumedPlan& assumed);

  // The binding wrote the volume or claim, which now has this version: the promise stays until the
  // new version is seen, also when the plan is reverted.
  void note_written(AssumedPlan& assumed, const VolumePtr& written);
};

}  // namespace berth::volumes
