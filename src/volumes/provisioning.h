// Whether a volume for a claim could be made: the class's provisioner, where it may put volumes,
// and where it said it has room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"
#include "base/node_set.h"
#include "base/result.h"
#include "volumes/plan.h"
#include "volumes/pools_by_node.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::volumes {

enum class Provisionable : std::uint8_t {
  kYes,
  kNo,       // nobody makes volumes of this class, or not for this node
  kNoSpace,  // somebody would, but said that there is no room
};

// What one plan has already taken of each pool.
using TakenSpace = std::vector<std::pair<const api::CSIStorageCapacity*, std::int64_t>>;

// What is promised of a pool to claims other than this one.
std::int64_t promised_to_others(const CapacityEntry& pool, const ClaimEntry& entry);
// Whether the claim has room in the pool, beside others that take so much.
bool fits(const CapacityEntry& pool,
          const ClaimEntry& entry,
          std::int64_t taken,
          const Switches& switches);
// What the plan takes of the pool for the claim: nothing where it was promised to it before.
std::int64_t taken_for(const CapacityEntry& pool, const ClaimEntry& entry);

class Provisioning {
 public:
  // `view` outlives it.
  Provisioning(const View& view, const Switches& switches) : view_(view), switches_(switches) {}

  // The nodes on which a volume for this claim alone could be made. The error is that the class is
  // gone.
  Result<NodeSet> nodes_for(const ClaimEntry& entry) const;

  // The same for one node, beside what is taken already; what it takes is added, and the pool put
  // into `pool` where one was asked.
  Result<Provisionable> check(const ClaimEntry& entry,
                              std::size_t node,
                              TakenSpace& taken,
                              CapacityPtr& pool) const;

  // The pools of all these claims together, null for those that need none, wherever that is
  // possible on the node (see RoomSearch); nothing when it is not.
  std::optional<std::vector<CapacityPtr>> find_room(const std::vector<const ClaimEntry*>& claims,
                                                    std::size_t node) const;

  // Those of the class that reach the node, in the order of their names.
  std::span<const CapacityEntry* const> pools_on(std::string_view class_name,
                                                 std::size_t node) const;

 private:
  Result<const ClassEntry*> find_class(const api::PersistentVolumeClaim& claim) const;
  bool needs_space(const api::PersistentVolumeClaim& claim, const api::StorageClass& of) const;
  bool is_started(const api::PersistentVolumeClaim& claim, std::size_t node) const;
  // All but room: nothing when that is left to ask for.
  Result<std::optional<Provisionable>> check_class(const api::PersistentVolumeClaim& claim,
                                                   std::size_t node) const;

  const View& view_;
  const Switches& switches_;
  mutable std::map<std::string, PoolsByNode, std::less<>>
      pools_;  // by class, as they are asked for
};

}  // namespace berth::volumes
