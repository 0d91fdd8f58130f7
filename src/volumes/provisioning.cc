#include "volumes/provisioning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/node_set.h"
#include "base/result.h"
#include "volumes/names.h"
#include "volumes/rules.h"
#include "volumes/sizes.h"
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

std::optional<std::int64_t> wrapped_limit_of(const api::CSIStorageCapacity& pool) {
  if (pool.maximum_volume_size) {
    return pool.maximum_volume_size->wrapped_value();
  }
  return pool.capacity ? std::optional(pool.capacity->wrapped_value()) : std::nullopt;
}

}  // namespace

std::int64_t promised_to_others(const CapacityEntry& pool, const ClaimEntry& entry) {
  const bool is_its_pool = entry.pool != nullptr && entry.pool == pool.object;
  const std::int64_t own = is_its_pool ? request_of(*entry.current()).value() : 0;
  return std::max<std::int64_t>(0, saturating_sub(pool.promised, own));
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
      if (fits(pool, entry, 0)) {
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
  BERTH_TRY(const ClassEntry* storage_class, find_class(claim));
  if (!has_provisioner(*storage_class->object) ||
      !view_.reached(storage_class->reach).contains(node)) {
    return Provisionable::kNo;
  }
  if (!needs_space(claim, *storage_class->object) || is_started(claim, node)) {
    return Provisionable::kYes;
  }
  if (const auto* pools = view_.find_capacities(class_of(claim))) {
    for (const auto& [key, candidate] : *pools) {
      if (fits(candidate, entry, taken_of(taken, candidate.object.get())) &&
          view_.reached(candidate.reach).contains(node)) {
        take(taken, candidate.object.get(), request_of(claim).value());
        pool = candidate.object;
        return Provisionable::kYes;
      }
    }
  }
  return Provisionable::kNoSpace;
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

bool Provisioning::fits(const CapacityEntry& pool,
                        const ClaimEntry& entry,
                        std::int64_t taken) const {
  const std::int64_t bytes = bytes_of(request_of(*entry.current()), switches_);
  const auto limit = switches_.exact_sizes ? pool.limit : wrapped_limit_of(*pool.object);
  if (!limit || *limit < bytes) {
    return false;
  }
  const std::int64_t used = saturating_add(taken, promised_to_others(pool, entry));
  if (!switches_.subtract_capacity || used == 0) {
    return true;
  }
  // The limit may be that of a single volume; what is used counts against the whole.
  const std::int64_t whole = pool.object->capacity ? pool.object->capacity->value() : *pool.limit;
  return used <= whole && bytes <= whole - used;
}

}  // namespace berth::volumes
