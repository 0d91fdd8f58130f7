#include "actors/capacity_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/class_rules.h"
#include "actors/sim_class.h"
#include "actors/sim_room.h"
#include "actors/sim_volume.h"
#include "api/objects/meta.h"
#include "api/objects/storage.h"
#include "api/quantity.h"
#include "kube/client.h"
#include "kube/json_object.h"
#include "kube/typed.h"

namespace berth::actors {
namespace {

// FNV-1a: the same on every machine and in every version.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

api::CSIStorageCapacity capacity_object(std::string_view ns,
                                        const api::StorageClass& storage_class,
                                        const Segment& segment,
                                        std::int64_t free) {
  api::CSIStorageCapacity object;
  object.metadata.ns = ns;
  object.metadata.name =
      fmt::format("csisc-{:016x}", hash_of(pool_of(storage_class.metadata.name, segment)));
  object.metadata.labels.insert_or_assign(std::string(kDriverName),
                                          driver_of(storage_class.provisioner));
  object.metadata.labels.insert_or_assign(std::string(kManagedBy), std::string(kManager));
  object.storage_class_name = storage_class.metadata.name;
  object.node_topology = api::LabelSelector{};
  if (!segment.key.empty()) {
    object.node_topology->match_labels.insert_or_assign(segment.key, segment.value);
  }
  object.capacity = api::Quantity::of_int(free, api::Quantity::Format::kBinarySI);
  return object;
}

bool is_ours(const api::CSIStorageCapacity& object) {
  const auto label = object.metadata.labels.find(kManagedBy);
  return label != object.metadata.labels.end() && label->second == kManager;
}

bool says_the_same(const api::CSIStorageCapacity& a, const api::CSIStorageCapacity& b) {
  return a.capacity && b.capacity && a.capacity->compare(*b.capacity) == 0;
}

kube::PatchRequest size_patch(const api::CSIStorageCapacity& there, const api::Quantity& size) {
  return {.kind = &api::CSIStorageCapacity::kKind,
          .key = kube::key_of(there),
          .type = kube::PatchType::kMerge,
          .body = kube::guarded_merge(
              kube::JsonObject().text("capacity", size.to_string()).done(),
              {.uid = there.metadata.uid, .resource_version = there.metadata.resource_version})};
}

}  // namespace

std::vector<api::CSIStorageCapacity> wanted_capacities(std::string_view ns,
                                                       std::span<const ClassPtr> classes,
                                                       std::span<const NodePtr> nodes,
                                                       const TakenOf& taken_of) {
  std::vector<api::CSIStorageCapacity> wanted;
  for (const ClassPtr& storage_class : classes) {
    if (!is_simulated(storage_class->provisioner) || !is_delayed(storage_class.get())) {
      continue;
    }
    const auto sim = read_sim_class(*storage_class);
    if (!sim || !sim->capacity) {
      continue;  // whoever claims of a class that cannot be read is told
    }
    for (const Segment& segment : segments_of(*storage_class, *sim, nodes)) {
      const std::int64_t taken = taken_of(pool_of(storage_class->metadata.name, segment));
      const std::int64_t free = std::max<std::int64_t>(*sim->capacity - taken, 0);
      wanted.push_back(capacity_object(ns, *storage_class, segment, free));
    }
  }
  return wanted;
}

CapacityWrites capacity_writes(const std::vector<api::CSIStorageCapacity>& wanted,
                               std::span<const CapacityPtr> there) {
  std::map<std::string, CapacityPtr> by_name;
  for (const CapacityPtr& object : there) {
    if (is_ours(*object)) {
      by_name.emplace(object->metadata.name, object);
    }
  }
  CapacityWrites writes;
  for (const api::CSIStorageCapacity& object : wanted) {
    const auto known = by_name.find(object.metadata.name);
    if (known == by_name.end()) {
      writes.creates.push_back(object);
      continue;
    }
    if (!says_the_same(object, *known->second)) {
      writes.patches.push_back(size_patch(*known->second, *object.capacity));
    }
    by_name.erase(known);
  }
  for (const auto& [name, object] : by_name) {
    writes.removes.push_back({.kind = &api::CSIStorageCapacity::kKind,
                              .key = kube::key_of(*object),
                              .uid = object->metadata.uid,
                              .resource_version = object->metadata.resource_version});
  }
  return writes;
}

}  // namespace berth::actors
