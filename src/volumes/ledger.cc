#include "volumes/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/storage.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/catalog.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/record_plan.h"
#include "volumes/recorded_plan.h"
#include "volumes/reliance.h"
#include "volumes/rules.h"
#include "volumes/view.h"
#include "volumes/wait.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

// A claim that cannot be found counts as not bound.
bool are_all_bound(const View& view, const api::Pod& pod) {
  return std::ranges::all_of(pod.spec.volumes, [&](const api::Volume& volume) {
    const auto wanted = claim_name_of(pod, volume);
    if (!wanted) {
      return true;
    }
    const ClaimEntry* entry = view.find_claim(claim_key(pod.metadata.ns, wanted->name));
    return entry != nullptr && is_fully_bound(*entry->current());
  });
}

bool is_same(const api::ObjectMeta& stored, const RecordedObject& recorded) {
  return stored.uid == recorded.uid && stored.resource_version == recorded.version;
}

// The same version of the same pool.
bool is_same(const api::CSIStorageCapacity& one, const api::CSIStorageCapacity& other) {
  return one.metadata.ns == other.metadata.ns && one.metadata.name == other.metadata.name &&
         one.metadata.resource_version == other.metadata.resource_version;
}

// As far as a reference to it goes.
ClaimPtr claim_of(const RecordedObject& recorded) {
  auto claim = std::make_shared<api::PersistentVolumeClaim>();
  claim->metadata = {.name = recorded.name,
                     .ns = recorded.ns,
                     .uid = recorded.uid,
                     .resource_version = recorded.version};
  return claim;
}

std::vector<Need> needs_of(const AssumedPlan& assumed) {
  std::vector<Need> needs;
  for (const StaticBinding& binding : assumed.volumes) {
    needs.push_back({.object = volume_id(binding.volume->metadata.name),
                     .uid = binding.volume->metadata.uid,
                     .value = binding.claim->metadata.uid});
  }
  for (const Provision& provision : assumed.claims) {
    const api::ObjectMeta& claim = provision.claim->metadata;
    needs.push_back({.object = claim_id({.ns = claim.ns, .name = claim.name}),
                     .uid = claim.uid,
                     .value = assumed.node});
  }
  return needs;
}

}  // namespace

Result<AssumedPlan> Ledger::assume(const api::Pod& pod,
                                   std::string_view node,
                                   const NodePlan& plan) {
  AssumedPlan assumed{.pod_uid = pod.metadata.uid,
                      .owner = next_owner(pod.metadata.uid),
                      .node = std::string(node)};
  if (are_all_bound(catalog_.now(), pod)) {
    assumed.is_all_bound = true;
    return assumed;
  }
  for (const StaticBinding& binding : plan.bindings) {
    if (auto promised = promise_volume(binding, assumed); !promised) {
      revert(assumed);
      return std::move(promised).error();
    }
  }
  for (const Provision& provision : plan.provisions) {
    if (auto promised = promise_claim(provision, assumed); !promised) {
      revert(assumed);
      return std::move(promised).error();
    }
  }
  reliance_.rely(assumed.owner, claim_key(pod.metadata.ns, pod.metadata.name), needs_of(assumed));
  return assumed;
}

Result<RecordedPlan> Ledger::record(const AssumedPlan& assumed,
                                    const api::Pod& pod,
                                    const std::string& planner) {
  BERTH_TRY(RecordedPlan plan,
            record_plan(all_of(assumed), pod, assumed.node, planner, catalog_.now()));
  reliance_.share(assumed.owner, plan);
  return plan;
}

Result<AssumedPlan> Ledger::restore(const RecordedPlan& plan, const PodFacts& pod) {
  if (!pod.exists || (!pod.uid.empty() && pod.uid != plan.pod.uid)) {
    return Error(ErrorCode::kNotFound,
                 fmt::format("pod \"{}\" is gone", claim_key(plan.pod.ns, plan.pod.name)));
  }
  AssumedPlan assumed{
      .pod_uid = plan.pod.uid, .owner = next_owner(plan.pod.uid), .node = plan.node.name};
  for (const RecordedBinding& binding : plan.bindings) {
    if (auto promised = restore_volume(binding, assumed); !promised) {
      revert(assumed);
      return std::move(promised).error();
    }
  }
  for (const RecordedProvision& provision : plan.provisions) {
    if (auto promised = restore_claim(provision, assumed); !promised) {
      revert(assumed);
      return std::move(promised).error();
    }
  }
  reliance_.rely(assumed.owner, plan);
  return assumed;
}

void Ledger::revert(const AssumedPlan& assumed) {
  reliance_.forget(assumed.owner);
  for (const StaticBinding& binding : assumed.volumes) {
    release(assumed, *binding.volume);
  }
  for (const Provision& provision : assumed.claims) {
    release(assumed, *provision.claim);
  }
}

void Ledger::release(const AssumedPlan& assumed, const api::PersistentVolume& volume) {
  const std::string& name = volume.metadata.name;
  const VolumeEntry* known = catalog_.now().find_volume(name);
  if (known == nullptr || known->promised == nullptr ||
      known->promised->metadata.resource_version != volume.metadata.resource_version) {
    return;
  }
  if (switches_.count_owners) {
    catalog_.release_volume(name, assumed.owner);
    return;
  }
  for (const std::string& owner : std::vector<std::string>(known->owners)) {
    catalog_.release_volume(name, owner);
  }
}

void Ledger::release(const AssumedPlan& assumed, const api::PersistentVolumeClaim& claim) {
  const std::string key = claim_key(claim);
  // The room outlives the promise on the claim, which ends with the claim's next version.
  leave_space(key, assumed.owner);
  const ClaimEntry* known = catalog_.now().find_claim(key);
  if (known == nullptr || known->promised == nullptr ||
      known->promised->metadata.resource_version != claim.metadata.resource_version) {
    return;
  }
  if (switches_.count_owners) {
    catalog_.release_claim(key, assumed.owner);
    return;
  }
  for (const std::string& owner : std::vector<std::string>(known->owners)) {
    catalog_.release_claim(key, owner);
  }
}

// A volume that the API server shows pointing at the claim as it should needs no promise.
Result<void> Ledger::promise_volume(const StaticBinding& binding, AssumedPlan& assumed) {
  const std::string& name = binding.volume->metadata.name;
  const ClaimedVolume claimed = claim_volume(binding.volume, *binding.claim);
  const VolumeEntry* known = catalog_.now().find_volume(name);
  bool is_needed = claimed.is_changed;
  if (switches_.count_owners && known != nullptr) {
    // The plan may be of a moment before another pod was promised the volume.
    if (known->promised != nullptr && !is_bound_to(*known->promised, *binding.claim)) {
      return Error(ErrorCode::kConflict,
                   fmt::format("\"{}\" is promised to claim {}",
                               name,
                               claim_key(known->promised->spec.claim_ref->ns,
                                         known->promised->spec.claim_ref->name)));
    }
    // Where it points at the claim by another pod's promise, this pod owns that too.
    is_needed = is_needed || claim_volume(known->stored, *binding.claim).is_changed;
  }
  if (is_needed) {
    auto promised = catalog_.promise(claimed.volume, assumed.owner);
    if (!promised) {
      return promised;
    }
  }
  assumed.volumes.push_back({.volume = claimed.volume, .claim = binding.claim});
  return {};
}

Result<void> Ledger::promise_claim(const Provision& provision, AssumedPlan& assumed) {
  const std::string key = claim_key(*provision.claim);
  const ClaimEntry* known = catalog_.now().find_claim(key);
  if (switches_.count_owners && known != nullptr && known->promised != nullptr) {
    const std::string* selected = find_annotation(known->promised->metadata, kSelectedNode);
    if (selected == nullptr || *selected != assumed.node) {
      return Error(ErrorCode::kConflict,
                   fmt::format("\"{}\" is promised to a pod on another node", key));
    }
  }
  ClaimPtr selected = select_node(*provision.claim, assumed.node);
  auto promised = catalog_.promise(selected, assumed.owner);
  if (!promised) {
    return promised;
  }
  CapacityPtr pool = take_space(key,
                                {.pool = provision.capacity,
                                 .bytes = request_of(*provision.claim).value(),
                                 .claim_uid = provision.claim->metadata.uid,
                                 .owners = {assumed.owner}});
  assumed.claims.push_back({.claim = std::move(selected), .capacity = std::move(pool)});
  return {};
}

Result<void> Ledger::restore_volume(const RecordedBinding& binding, AssumedPlan& assumed) {
  const VolumeEntry* known = catalog_.now().find_volume(binding.volume.name);
  if (known == nullptr || !is_same(known->stored->metadata, binding.volume)) {
    return {};
  }
  return promise_volume({.volume = known->stored, .claim = claim_of(binding.claim)}, assumed);
}

// The room outlives the promise on the claim here too.
Result<void> Ledger::restore_claim(const RecordedProvision& provision, AssumedPlan& assumed) {
  const std::string key = claim_key(provision.claim.ns, provision.claim.name);
  CapacityPtr pool = provision.room ? find_pool(*provision.room) : nullptr;
  const ClaimEntry* known = catalog_.now().find_claim(key);
  if (known != nullptr && is_same(known->stored->metadata, provision.claim)) {
    return promise_claim({.claim = known->stored, .capacity = std::move(pool)}, assumed);
  }
  pool = take_space(key,
                    {.pool = std::move(pool),
                     .bytes = provision.room ? provision.room->bytes : 0,
                     .claim_uid = provision.claim.uid,
                     .owners = {assumed.owner}});
  assumed.claims.push_back({.claim = claim_of(provision.claim), .capacity = std::move(pool)});
  return {};
}

// The pool of that version, or one of the same name in which nothing is taken.
CapacityPtr Ledger::find_pool(const RecordedRoom& room) const {
  const auto* pools = catalog_.now().find_capacities(room.storage_class);
  const CapacityEntry* known =
      pools == nullptr ? nullptr : pools->find(claim_key(room.ns, room.name));
  if (known != nullptr && known->object->metadata.resource_version == room.version) {
    return known->object;
  }
  auto gone = std::make_shared<api::CSIStorageCapacity>();
  gone->metadata = {.name = room.name, .ns = room.ns, .resource_version = room.version};
  gone->storage_class_name = room.storage_class;
  return gone;
}

// Pods that share a claim have its room together, as far as they found it in the same place.
CapacityPtr Ledger::take_space(const std::string& key, Space wanted) {
  if (!switches_.subtract_capacity) {
    return wanted.pool;
  }
  std::vector<Space>& spaces = taken_[key];
  std::erase_if(spaces, [this, &wanted](const Space& space) {
    if (space.claim_uid == wanted.claim_uid) {
      return false;
    }
    return_space(space);  // of an earlier claim of this name
    return true;
  });
  const auto shared = std::ranges::find_if(spaces, [&wanted](const Space& space) {
    return wanted.pool == nullptr || is_same(*space.pool, *wanted.pool);
  });
  if (shared != spaces.end()) {
    shared->owners.push_back(wanted.owners.front());
    return shared->pool;
  }
  CapacityPtr pool = wanted.pool;
  if (pool != nullptr) {
    catalog_.promise_capacity(*pool, wanted.bytes);
    catalog_.set_pool(key, pool);
    spaces.push_back(std::move(wanted));
  } else if (spaces.empty()) {
    taken_.erase(key);
  }
  return pool;
}

void Ledger::leave_space(const std::string& key, const std::string& owner) {
  const auto found = taken_.find(key);
  if (found == taken_.end()) {
    return;
  }
  std::vector<Space>& spaces = found->second;
  const ClaimEntry* claim = catalog_.now().find_claim(key);
  std::erase_if(spaces, [this, claim, &owner](Space& space) {
    if (std::erase(space.owners, owner) == 0 || !space.owners.empty()) {
      return false;
    }
    const bool is_used = claim != nullptr && claim->stored->metadata.uid == space.claim_uid &&
                         !claim->stored->spec.volume_name.empty();
    if (!is_used) {
      return_space(space);
    }
    return true;
  });
  catalog_.set_pool(key, spaces.empty() ? nullptr : spaces.back().pool);
  if (spaces.empty()) {
    taken_.erase(found);
  }
}

void Ledger::return_space(const Space& space) {
  catalog_.promise_capacity(*space.pool, -space.bytes);
}

std::string Ledger::next_owner(const std::string& pod_uid) {
  return fmt::format("{}#{}", pod_uid, ++assumed_);
}

}  // namespace berth::volumes
