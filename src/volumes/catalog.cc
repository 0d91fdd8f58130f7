#include "volumes/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/meta.h"
#include "api/objects/storage.h"
#include "api/rules/label_selector.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/migration.h"
#include "volumes/rules.h"

namespace berth::volumes {
namespace {

// The same version of the same object, come again. Objects from files have no version: those are
// always taken.
bool is_known(const api::ObjectMeta& known, const api::ObjectMeta& come) {
  return !come.resource_version.empty() && known.resource_version == come.resource_version &&
         known.uid == come.uid;
}

Error not_found(std::string_view resource, std::string_view key) {
  return Error(ErrorCode::kNotFound, fmt::format("{} \"{}\" not found", resource, key));
}

Error out_of_sync(std::string_view key,
                  const api::ObjectMeta& stored,
                  const api::ObjectMeta& ours) {
  return Error(ErrorCode::kConflict,
               fmt::format("\"{}\" is out of sync (stored: {}, assume: {})",
                           key,
                           stored.resource_version,
                           ours.resource_version));
}

std::optional<std::int64_t> limit_of(const api::CSIStorageCapacity& capacity) {
  if (capacity.maximum_volume_size) {
    return capacity.maximum_volume_size->value();
  }
  return capacity.capacity ? std::optional(capacity.capacity->value()) : std::nullopt;
}

std::vector<std::string> with_owner(std::vector<std::string> owners, std::string_view owner) {
  if (std::ranges::find(owners, owner) == owners.end()) {
    owners.emplace_back(owner);
  }
  return owners;
}

std::vector<std::string> without_owner(std::vector<std::string> owners, std::string_view owner) {
  std::erase(owners, owner);
  return owners;
}

}  // namespace

Catalog::Catalog() : nodes_(view_), reaches_(view_, nodes_.labels()), volumes_(view_, reaches_) {
  for (std::size_t i = 0; i < kInTreePlugins; ++i) {
    view_.migrated_.push_back(api::NodeGroup(0));
  }
}

void Catalog::set(NodePtr node) {
  const NodePtr before = view_.find_node(node->metadata.name);
  if (before != nullptr && is_known(before->metadata, node->metadata)) {
    return;
  }
  if (before == nullptr && !nodes_.has_room()) {
    nodes_.grow();
    reaches_.grow();
    for (std::size_t i = 0; i < kInTreePlugins; ++i) {
      view_.migrated_.edit(i).resize(view_.node_limit_);
    }
  }
  const NodePtr after = node;
  const std::size_t number = nodes_.set(std::move(node));
  if (before != nullptr && before->metadata.labels == after->metadata.labels) {
    return;
  }
  ++view_.node_version_;
  reaches_.follow(
      number, before == nullptr ? nullptr : &before->metadata.labels, &after->metadata.labels);
  if (before == nullptr) {
    place_migrated(after->metadata.name);
  }
}

void Catalog::remove_node(std::string_view name) {
  const auto number = view_.find_node_number(name);
  if (!number) {
    return;
  }
  const NodePtr before = view_.node(*number);
  for (std::size_t i = 0; i < kInTreePlugins; ++i) {
    if (view_.migrated_[i].contains(*number)) {
      view_.migrated_.edit(i).erase(*number);
    }
  }
  nodes_.remove(*number);
  ++view_.node_version_;
  reaches_.follow(*number, &before->metadata.labels, nullptr);
}

void Catalog::set(VolumePtr volume) {
  const VolumeEntry* known = view_.find_volume(volume->metadata.name);
  if (known == nullptr || !is_known(known->stored->metadata, volume->metadata)) {
    volumes_.set(std::move(volume));
  }
}

void Catalog::remove_volume(std::string_view name) {
  volumes_.remove(name);
}

void Catalog::set(ClaimPtr claim) {
  std::string key = claim_key(*claim);
  const ClaimEntry* known = view_.find_claim(key);
  if (known != nullptr && is_known(known->stored->metadata, claim->metadata)) {
    return;
  }
  auto entry = std::make_shared<ClaimEntry>();
  if (claim->spec.selector) {
    entry->selector = api::CompiledLabelSelector::compile(*claim->spec.selector);
  }
  // Room is promised to the claim, not to one of its versions.
  if (known != nullptr && known->stored->metadata.uid == claim->metadata.uid) {
    entry->pool = known->pool;
  }
  entry->stored = std::move(claim);
  view_.claims_.set(std::move(key), std::move(entry));
}

void Catalog::remove_claim(std::string_view ns, std::string_view name) {
  view_.claims_.erase(claim_key(ns, name));
}

void Catalog::set(ClassPtr storage_class) {
  const std::string name = storage_class->metadata.name;
  const ClassEntry* known = view_.find_class(name);
  if (known != nullptr && is_known(known->object->metadata, storage_class->metadata)) {
    return;
  }
  const ReachId reach = reaches_.acquire(Reach::of_topologies(storage_class->allowed_topologies));
  if (known != nullptr) {
    reaches_.release(known->reach);
  }
  view_.classes_.set(name, {.object = std::move(storage_class), .reach = reach});
}

void Catalog::remove_class(std::string_view name) {
  if (const ClassEntry* known = view_.find_class(name)) {
    reaches_.release(known->reach);
    view_.classes_.erase(name);
  }
}

void Catalog::set(DriverPtr driver) {
  std::string name = driver->metadata.name;
  view_.drivers_.set(std::move(name), std::move(driver));
}

void Catalog::remove_driver(std::string_view name) {
  view_.drivers_.erase(name);
}

void Catalog::set(CsiNodePtr csi_node) {
  const std::string name = csi_node->metadata.name;
  view_.csi_nodes_.set(name, std::move(csi_node));
  place_migrated(name);
}

void Catalog::remove_csi_node(std::string_view name) {
  view_.csi_nodes_.erase(name);
  place_migrated(name);
}

void Catalog::set(CapacityPtr capacity) {
  const std::string key = claim_key(capacity->metadata.ns, capacity->metadata.name);
  const auto* of_class = view_.find_capacities(capacity->storage_class_name);
  const CapacityEntry* known = of_class == nullptr ? nullptr : of_class->find(key);
  if (known != nullptr && is_known(known->object->metadata, capacity->metadata)) {
    return;
  }
  CapacityEntry entry{.limit = limit_of(*capacity),
                      .reach = reaches_.acquire(Reach::of_selector(capacity->node_topology))};
  entry.object = capacity;
  // The class of a pool never changes; one that was made again with another class did.
  remove_capacity(capacity->metadata.ns, capacity->metadata.name);
  view_.capacities_.edit(capacity->storage_class_name).set(key, std::move(entry));
}

void Catalog::remove_capacity(std::string_view ns, std::string_view name) {
  const std::string key = claim_key(ns, name);
  for (const auto& [class_name, pools] : view_.capacities_) {
    const CapacityEntry* known = pools.find(key);
    if (known == nullptr) {
      continue;
    }
    reaches_.release(known->reach);
    const std::string of_class = class_name;
    SnapshotMap<std::string, CapacityEntry>& changed = view_.capacities_.edit(of_class);
    changed.erase(key);
    if (changed.empty()) {
      view_.capacities_.erase(of_class);
    }
    return;
  }
}

Result<void> Catalog::promise(VolumePtr volume, std::string_view owner) {
  const std::string name = volume->metadata.name;
  const VolumeEntry* known = view_.find_volume(name);
  if (known == nullptr) {
    return not_found("persistentvolumes", name);
  }
  if (known->stored->metadata.resource_version != volume->metadata.resource_version) {
    return out_of_sync(name, known->stored->metadata, volume->metadata);
  }
  volumes_.show(name, std::move(volume), with_owner(known->owners, owner));
  return {};
}

Result<void> Catalog::promise(ClaimPtr claim, std::string_view owner) {
  const std::string key = claim_key(*claim);
  const ClaimEntry* known = view_.find_claim(key);
  if (known == nullptr) {
    return not_found("persistentvolumeclaims", key);
  }
  if (known->stored->metadata.resource_version != claim->metadata.resource_version) {
    return out_of_sync(key, known->stored->metadata, claim->metadata);
  }
  auto entry = std::make_shared<ClaimEntry>(*known);
  entry->promised = std::move(claim);
  entry->owners = with_owner(known->owners, owner);
  view_.claims_.set(key, std::move(entry));
  return {};
}

void Catalog::release_volume(std::string_view name, std::string_view owner) {
  const VolumeEntry* known = view_.find_volume(name);
  if (known == nullptr || known->promised == nullptr) {
    return;
  }
  std::vector<std::string> owners = without_owner(known->owners, owner);
  VolumePtr promised = owners.empty() ? nullptr : known->promised;
  volumes_.show(name, std::move(promised), std::move(owners));
}

void Catalog::release_claim(std::string_view key, std::string_view owner) {
  const ClaimEntry* known = view_.find_claim(key);
  if (known == nullptr || known->promised == nullptr) {
    return;
  }
  auto entry = std::make_shared<ClaimEntry>(*known);
  entry->owners = without_owner(known->owners, owner);
  if (entry->owners.empty()) {
    entry->promised = nullptr;
  }
  view_.claims_.set(std::string(key), std::move(entry));
}

void Catalog::set_pool(std::string_view key, CapacityPtr pool) {
  const ClaimEntry* known = view_.find_claim(key);
  if (known == nullptr || known->pool == pool) {
    return;
  }
  auto entry = std::make_shared<ClaimEntry>(*known);
  entry->pool = std::move(pool);
  view_.claims_.set(std::string(key), std::move(entry));
}

void Catalog::promise_capacity(const api::CSIStorageCapacity& capacity, std::int64_t bytes) {
  const std::string key = claim_key(capacity.metadata.ns, capacity.metadata.name);
  const auto* of_class = view_.find_capacities(capacity.storage_class_name);
  const CapacityEntry* known = of_class == nullptr ? nullptr : of_class->find(key);
  if (known != nullptr &&
      known->object->metadata.resource_version == capacity.metadata.resource_version) {
    std::int64_t& promised = view_.capacities_.edit(capacity.storage_class_name).edit(key).promised;
    promised = std::max<std::int64_t>(0, saturating_add(promised, bytes));
  }
}

void Catalog::place_migrated(std::string_view node_name) {
  const auto number = view_.find_node_number(node_name);
  if (!number) {
    return;
  }
  const CsiNodePtr csi_node = view_.find_csi_node(node_name);
  for (const InTreePlugin plugin : kAllInTreePlugins) {
    const auto index = static_cast<std::size_t>(plugin);
    const bool is_migrated = csi_node != nullptr && is_migrated_on(*csi_node, plugin);
    if (is_migrated == view_.migrated_[index].contains(*number)) {
      continue;
    }
    if (is_migrated) {
      view_.migrated_.edit(index).insert(*number);
    } else {
      view_.migrated_.edit(index).erase(*number);
    }
  }
}

}  // namespace berth::volumes
