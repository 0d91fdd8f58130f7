#include "volumes/ledger.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "base/result.h"
#include "volumes/catalog.h"
#include "volumes/plan.h"
#include "volumes/rules.h"
#include "volumes/view.h"

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

}  // namespace

Result<AssumedPlan> Ledger::assume(const api::Pod& pod,
                                   std::string_view node,
                                   const NodePlan& plan) {
  AssumedPlan assumed{.pod_uid = pod.metadata.uid, .node = std::string(node)};
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
  return assumed;
}

void Ledger::revert(const AssumedPlan& assumed) {
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
    catalog_.release_volume(name, assumed.pod_uid);
    return;
  }
  for (const std::string& owner : std::vector<std::string>(known->owners)) {
    catalog_.release_volume(name, owner);
  }
}

void Ledger::release(const AssumedPlan& assumed, const api::PersistentVolumeClaim& claim) {
  const std::string key = claim_key(claim);
  const ClaimEntry* known = catalog_.now().find_claim(key);
  if (known == nullptr || known->promised == nullptr ||
      known->promised->metadata.resource_version != claim.metadata.resource_version) {
    return;
  }
  if (switches_.count_owners) {
    catalog_.release_claim(key, assumed.pod_uid);
  } else {
    for (const std::string& owner : std::vector<std::string>(known->owners)) {
      catalog_.release_claim(key, owner);
    }
  }
  const ClaimEntry* left = catalog_.now().find_claim(key);
  if (left->promised == nullptr) {
    return_space(key);
  }
}

// A volume that points at the claim as it should is not promised anew. Where it does so by another
// pod's promise, this pod becomes an owner of that too.
Result<void> Ledger::promise_volume(const StaticBinding& binding, AssumedPlan& assumed) {
  const ClaimedVolume claimed = claim_volume(binding.volume, *binding.claim);
  const VolumeEntry* known = catalog_.now().find_volume(binding.volume->metadata.name);
  const bool is_shared =
      switches_.count_owners && known != nullptr && known->promised == binding.volume;
  if (claimed.is_changed || is_shared) {
    auto promised = catalog_.promise(claimed.volume, assumed.pod_uid);
    if (!promised) {
      return promised;
    }
  }
  assumed.volumes.push_back({.volume = claimed.volume, .claim = binding.claim});
  return {};
}

Result<void> Ledger::promise_claim(const Provision& provision, AssumedPlan& assumed) {
  ClaimPtr selected = select_node(*provision.claim, assumed.node);
  auto promised = catalog_.promise(selected, assumed.pod_uid);
  if (!promised) {
    return promised;
  }
  take_space(provision);
  assumed.claims.push_back({.claim = std::move(selected), .capacity = provision.capacity});
  return {};
}

void Ledger::take_space(const Provision& provision) {
  std::string key = claim_key(*provision.claim);
  if (!switches_.subtract_capacity || provision.capacity == nullptr || taken_.contains(key)) {
    return;
  }
  const std::int64_t bytes = request_of(*provision.claim).value();
  catalog_.promise_capacity(*provision.capacity, bytes);
  taken_.emplace(std::move(key), Space{.pool = provision.capacity, .bytes = bytes});
}

void Ledger::return_space(const std::string& key) {
  const auto found = taken_.find(key);
  if (found == taken_.end()) {
    return;
  }
  catalog_.promise_capacity(*found->second.pool, -found->second.bytes);
  taken_.erase(found);
}

}  // namespace berth::volumes
