#include "volumes/provisioning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/node_set.h"
#include "base/result.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/pools_by_node.h"
#include "volumes/room_search.h"
#include "volumes/rules.h"
#include "volumes/sizes.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

bool has_provisioner(const api::StorageClass& storage_class) {
  return !storage_class.provisioner.empty() && storage_class.provisioner != kNoProvisioner;
}

std::int64_t taken_of(const TakenSpace& taken, const api::CSIStorageCapacity* pool) {
  const auto found = std::ranges::find(taken, pool, &TakenSpace::value_type::first);
  return found == taken.end() ? 0 : found->second;
}

void take(TakenSpace& taken, const api::CSIStorageCapacity* pool, std::int64_t bytes) {
  const auto found = std::ranges::find(taken, pool, &TakenSpace::value_type::first);
  if (found == taken.end()) {
    taken.emplace_back(pool, bytes);
  } else {
    found->second = saturating_add(found->second, bytes);
  }
}

bool is_pool_of(const CapacityEntry& pool, const ClaimEntry& entry) {
  return entry.pool != nullptr && entry.pool == pool.object;
}

std::optional<std::int64_t> wrapped_limit_of(const api::CSIStorageCapacity& pool) {
  if (pool.maximum_volume_size) {
    return pool.maximum_volume_size->wrapped_value();
  }
  return pool.capacity ? std::optional(pool.capacity->wrapped_value()) : std::nullopt;
}

}  // namespace

std::int64_t promised_to_others(const CapacityEntry& pool, const ClaimEntry& entry) {
  const std::int64_t own =
      is_pool_of(pool, entry) ? request_of(*entry.current()).value() : std::int64_t{0};
  return std::max<std::int64_t>(0, saturating_sub(pool.promised, own));
}

std::int64_t taken_for(const CapacityEntry& pool, const ClaimEntry& entry) {
  return is_pool_of(pool, entry) ? 0 : request_of(*entry.current()).value();
}

bool fits(const CapacityEntry& pool,
          const ClaimEntry& entry,
          std::int64_t taken,
          const Switches& switches) {
  const std::int64_t bytes = bytes_of(request_of(*entry.current()), switches);
  const auto limit = switches.exact_sizes ? pool.limit : wrapped_limit_of(*pool.object);
  if (!limit || *limit < bytes) {
    return false;
  }
  const std::int64_t used = saturating_add(taken, promised_to_others(pool, entry));
  if (!switches.subtract_capacity || used == 0) {
    return true;
  }
  // The limit may be that of a single volume; what is used counts against the whole.
  const std::int64_t whole = pool.object->capacity ? pool.object->capacity->value() : *pool.limit;
  return used <= whole && bytes <= whole - used;
}

Result<NodeSet> Provisioning::nodes_for(const ClaimEntry& entry) const {
  const api::PersistentVolumeClaim& claim = *entry.current();
  BERTH_TRY(const ClassEntry* storage_class, find_class(claim));
  NodeSet nodes(view_.node_limit());
  if (!has_provisioner(*storage_class->object)) {
    return nodes;
  }
  if (!needs_space(claim, *storage_class->object)) {
    view_.reached(storage_class->reach).add_to(nodes);
    return nodes;
  }
  if (const auto* pools = view_.find_capacities(class_of(claim))) {
    for (const auto& [key, pool] : *pools) {
      if (fits(pool, entry, 0, switches_)) {
        view_.reached(pool.reach).add_to(nodes);
      }
    }
  }
  // A claim that is being provisioned already needs no room on its node any more.
  const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
  const auto number = selected == nullptr ? std::nullopt : view_.find_node_number(*selected);
  if (number && is_started(claim, *number)) {
    nodes.set(*number);
  }
  view_.reached(storage_class->reach).narrow(nodes);
  return nodes;
}

Result<Provisionable> Provisioning::check(const ClaimEntry& entry,
                                          std::size_t node,
                                          TakenSpace& taken,
                                          CapacityPtr& pool) const {
  const api::PersistentVolumeClaim& claim = *entry.current();
  BERTH_TRY(const std::optional<Provisionable> known, check_class(claim, node));
  if (known) {
    return *known;
  }
  for (const CapacityEntry* candidate : pools_on(class_of(claim), node)) {
    if (fits(*candidate, entry, taken_of(taken, candidate->object.get()), switches_)) {
      take(taken, candidate->object.get(), taken_for(*candidate, entry));
      pool = candidate->object;
      return Provisionable::kYes;
    }
  }
  return Provisionable::kNoSpace;
}

Result<std::optional<Provisionable>> Provisioning::check_class(
    const api::PersistentVolumeClaim& claim, std::size_t node) const {
  BERTH_TRY(const ClassEntry* storage_class, find_class(claim));
  if (!has_provisioner(*storage_class->object) ||
      !view_.reached(storage_class->reach).contains(node)) {
    return std::optional(Provisionable::kNo);
  }
  if (!needs_space(claim, *storage_class->object) || is_started(claim, node)) {
    return std::optional(Provisionable::kYes);
  }
  return std::optional<Provisionable>();
}

std::optional<std::vector<CapacityPtr>> Provisioning::find_room(
    const std::vector<const ClaimEntry*>& claims, std::size_t node) const {
  std::vector<CapacityPtr> found(claims.size());
  std::map<std::string_view, std::vector<std::size_t>> by_class;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const api::PersistentVolumeClaim& claim = *claims[i]->current();
    const auto known = check_class(claim, node);
    if (!known || *known == Provisionable::kNo) {
      return std::nullopt;
    }
    if (!*known) {
      by_class[class_of(claim)].push_back(i);
    }
  }
  // A pool is of one class, so that classes are not in each other's way.
  for (const auto& [class_name, of_class] : by_class) {
    std::vector<const ClaimEntry*> together;
    for (const std::size_t i : of_class) {
      together.push_back(claims[i]);
    }
    RoomSearch search(std::move(together), pools_on(class_name, node), switches_);
    if (!search.find()) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < of_class.size(); ++i) {
      found[of_class[i]] = search.found()[i]->object;
    }
  }
  return found;
}

std::span<const CapacityEntry* const> Provisioning::pools_on(std::string_view class_name,
                                                             std::size_t node) const {
  auto found = pools_.find(class_name);
  if (found == pools_.end()) {
    found = pools_.emplace(class_name, PoolsByNode(view_, class_name)).first;
  }
  return found->second.on(node);
}

Result<const ClassEntry*> Provisioning::find_class(const api::PersistentVolumeClaim& claim) const {
  const std::string_view name = class_of(claim);
  if (name.empty()) {
    return Error(ErrorCode::kInvalid, fmt::format("no class for claim \"{}\"", claim_key(claim)));
  }
  const ClassEntry* found = view_.find_class(name);
  if (found == nullptr) {
    return Error(ErrorCode::kNotFound, fmt::format("failed to find storage class \"{}\"", name));
  }
  return found;
}

bool Provisioning::needs_space(const api::PersistentVolumeClaim& claim,
                               const api::StorageClass& of) const {
  if (!has_request(claim)) {
    return false;
  }
  const DriverPtr driver = view_.find_driver(of.provisioner);
  return driver != nullptr && driver->spec.storage_capacity.value_or(false);
}

// Its own volume may have used up the room it would ask for.
bool Provisioning::is_started(const api::PersistentVolumeClaim& claim, std::size_t node) const {
  if (!switches_.trust_started_provisioning || view_.node(node) == nullptr) {
    return false;
  }
  const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
  return selected != nullptr && *selected == view_.node(node)->metadata.name &&
         (find_annotation(claim.metadata, kStorageProvisioner) != nullptr ||
          find_annotation(claim.metadata, kBetaStorageProvisioner) != nullptr);
}

}  // namespace berth::volumes
