#include "volumes/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
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
                      .owner = fmt::format("{}#{}", pod.metadata.uid, ++assumed_),
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
  auto promised = catalog_.promise(selected, assumed.owner, provision.capacity);
  if (!promised) {
    return promised;
  }
  take_space(provision, assumed.owner);
  assumed.claims.push_back({.claim = std::move(selected), .capacity = provision.capacity});
  return {};
}

void Ledger::take_space(const Provision& provision, const std::string& owner) {
  if (!switches_.subtract_capacity) {
    return;
  }
  std::string key = claim_key(*provision.claim);
  const std::string& uid = provision.claim->metadata.uid;
  const auto found = taken_.find(key);
  if (found != taken_.end() && found->second.claim_uid == uid) {
    found->second.owners.push_back(owner);
    return;
  }
  if (found != taken_.end()) {
    return_space(key);  // of an earlier claim of this name
  }
  if (provision.capacity == nullptr) {
    return;
  }
  const std::int64_t bytes = request_of(*provision.claim).value();
  catalog_.promise_capacity(*provision.capacity, bytes);
  taken_.emplace(
      std::move(key),
      Space{.pool = provision.capacity, .bytes = bytes, .claim_uid = uid, .owners = {owner}});
}

void Ledger::leave_space(const std::string& key, const std::string& owner) {
  const auto found = taken_.find(key);
  if (found == taken_.end() || std::erase(found->second.owners, owner) == 0 ||
      !found->second.owners.empty()) {
    return;
  }
  const ClaimEntry* claim = catalog_.now().find_claim(key);
  const bool is_used = claim != nullptr && claim->stored->metadata.uid == found->second.claim_uid &&
                       !claim->stored->spec.volume_name.empty();
  if (is_used) {
    taken_.erase(found);
  } else {
    return_space(key);
  }
}

void Ledger::return_space(const std::string& key) {
  const auto found = taken_.find(key);
  catalog_.promise_capacity(*found->second.pool, -found->second.bytes);
  taken_.erase(found);
}

}  // namespace berth::volumes
