// What was decided for a pod on one node, and what of it is promised.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/objects/storage.h"
#include "volumes/rules.h"

namespace berth::volumes {

using CapacityPtr = std::shared_ptr<const api::CSIStorageCapacity>;

// An existing volume for a claim. Both objects are as they were when it was decided.
struct StaticBinding {
  VolumePtr volume;
  ClaimPtr claim;
};

// A claim for which a volume is to be made on the node.
struct Provision {
  ClaimPtr claim;
  CapacityPtr capacity;  // where it was found to fit; null when nobody was asked
};

// Found for one node and one pod; immutable. Empty when all claims are bound already.
struct NodePlan {
  std::vector<StaticBinding> bindings;  // smallest claim first
  std::vector<Provision> provisions;    // claims that asked for this node already first

  bool empty() const { return bindings.empty() && provisions.empty(); }
};

// A plan that was assumed: the objects as they are to be written. The plan it came from is
// unchanged, so it can be assumed again after this was reverted.
struct AssumedPlan {
  std::string pod_uid;
  std::string owner;  // of its promises: this pod, this time
  std::string node;
  bool is_all_bound = false;           // nothing is left to do: the lists are empty
  std::vector<StaticBinding> volumes;  // volumes that point at their claims
  std::vector<Provision> claims;       // claims that ask for the node
};

}  // namespace berth::volumes
