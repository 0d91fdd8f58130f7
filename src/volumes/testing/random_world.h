// Small worlds drawn from a seed: a few nodes, volumes, claims, classes and pools of capacity, made
// so that they get in each other's way.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/affinity.h"
#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/references.h"
#include "api/objects/storage.h"
#include "api/quantity.h"
#include "volumes/catalog.h"
#include "volumes/names.h"
#include "volumes/view.h"

namespace berth::volumes::testing {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : generator_(seed) {}
  // 0 to sides - 1.
  std::size_t roll(std::size_t sides) { return generator_() % sides; }
  bool chance(std::size_t one_in) { return roll(one_in) == 0; }

 private:
  std::mt19937_64 generator_;
};

// Names are "node-1", "pv-1", "default/claim-1", ... up to these.
inline constexpr std::size_t kNodes = 4;
inline constexpr std::size_t kVolumes = 6;
inline constexpr std::size_t kClaims = 4;
inline constexpr std::size_t kPools = 9;

// One object of the name, as the dice fall, with a version of its own.
class RandomObjects {
 public:
  explicit RandomObjects(Dice& dice) : dice_(dice) {}

  NodePtr node(std::size_t number);
  VolumePtr volume(std::size_t number);
  ClaimPtr claim(std::size_t number);
  CsiNodePtr csi_node(std::size_t number);
  CapacityPtr capacity(std::size_t number);
  std::vector<ClassPtr> classes();
  DriverPtr driver();
  // Uses one to four of the claims.
  api::Pod pod(std::size_t number);

 private:
  std::string version() { return std::to_string(++version_); }

  Dice& dice_;
  std::uint64_t version_ = 100;
};

inline constexpr std::string_view kHost = "kubernetes.io/hostname";
inline constexpr std::array<std::string_view, 3> kClassNames = {"static", "dynamic", "pooled"};
inline constexpr std::array<std::string_view, 2> kZones = {"a", "b"};

inline api::Quantity gibibytes(std::size_t count) {
  return api::Quantity::of_int(static_cast<std::int64_t>(count) << 30,
                               api::Quantity::Format::kBinarySI);
}

inline std::string node_name(std::size_t number) {
  return fmt::format("node-{}", number);
}

inline api::NodeSelectorRequirement in(std::string_view key, std::vector<std::string> values) {
  return {.key = std::string(key), .op = "In", .values = std::move(values)};
}

inline api::VolumeNodeAffinity draw_affinity(Dice& dice) {
  api::NodeSelectorTerm term;
  switch (dice.roll(5)) {
    case 0:
      term.match_expressions = {in(kZone, {std::string(kZones[dice.roll(2)])})};
      break;
    case 1:
      term.match_expressions = {in(kZone, {std::string(kZones[dice.roll(2)])}),
                                in(kHost, {node_name(1 + dice.roll(kNodes))})};
      break;
    case 2:
      term.match_expressions = {
          {.key = std::string(kHost), .op = "NotIn", .values = {node_name(1 + dice.roll(kNodes))}}};
      break;
    default:
      term.match_expressions = {in(kHost, {node_name(1 + dice.roll(kNodes))})};
  }
  api::NodeSelector selector{.node_selector_terms = {term}};
  if (dice.chance(5)) {
    selector.node_selector_terms.push_back(
        {.match_expressions = {in(kHost, {node_name(1 + dice.roll(kNodes))})}});
  }
  if (dice.chance(12)) {
    selector.node_selector_terms.push_back(
        {.match_expressions = {{.key = std::string(kZone), .op = "Exists"}}});
  }
  api::VolumeNodeAffinity affinity;
  affinity.required = std::move(selector);
  return affinity;
}

inline NodePtr RandomObjects::node(std::size_t number) {
  auto node = std::make_shared<api::Node>();
  node->metadata = {.name = node_name(number), .resource_version = version()};
  if (!dice_.chance(10)) {
    node->metadata.labels.emplace(kHost, node_name(number));
  }
  if (!dice_.chance(6)) {
    node->metadata.labels.emplace(kZone, kZones[dice_.roll(2)]);
    node->metadata.labels.emplace("topology.gke.io/zone", kZones[dice_.roll(2)]);
  }
  return node;
}

inline VolumePtr RandomObjects::volume(std::size_t number) {
  auto volume = std::make_shared<api::PersistentVolume>();
  volume->metadata = {.name = fmt::format("pv-{}", number),
                      .uid = fmt::format("pv-uid-{}", number),
                      .resource_version = version()};
  volume->metadata.labels.emplace("tier", dice_.chance(2) ? "gold" : "silver");
  volume->spec.capacity.emplace(kStorage, gibibytes(1 + dice_.roll(5)));
  volume->spec.storage_class_name = kClassNames[dice_.roll(10) == 0 ? 1 : 0];
  volume->spec.access_modes = {"ReadWriteOnce"};
  if (dice_.chance(3)) {
    volume->spec.access_modes.emplace_back("ReadWriteMany");
  }
  if (dice_.chance(8)) {
    volume->spec.volume_mode = "Block";
  }
  if (!dice_.chance(5)) {
    volume->spec.node_affinity = draw_affinity(dice_);
  }
  volume->status.phase = dice_.chance(8) ? "Bound" : "Available";
  if (dice_.chance(6)) {
    api::ObjectReference reference{.ns = "default",
                                   .name = fmt::format("claim-{}", 1 + dice_.roll(kClaims))};
    if (dice_.chance(2)) {
      reference.uid = fmt::format("{}-uid", reference.name);
    }
    volume->spec.claim_ref = std::move(reference);
  }
  if (dice_.chance(8)) {
    volume->spec.source.gce_persistent_disk = api::GCEPersistentDiskVolumeSource{.pd_name = "disk"};
    volume->metadata.labels.emplace(kZone, kZones[dice_.roll(2)]);
  }
  return volume;
}

inline ClaimPtr RandomObjects::claim(std::size_t number) {
  auto claim = std::make_shared<api::PersistentVolumeClaim>();
  claim->metadata = {.name = fmt::format("claim-{}", number),
                     .ns = "default",
                     .uid = fmt::format("claim-{}-uid", number),
                     .resource_version = version()};
  claim->spec.storage_class_name = std::string(kClassNames[dice_.chance(3) ? 0 : dice_.roll(3)]);
  claim->spec.access_modes = {dice_.chance(4) ? "ReadWriteMany" : "ReadWriteOnce"};
  claim->spec.resources.requests.emplace(kStorage, gibibytes(1 + dice_.roll(5)));
  if (dice_.chance(10)) {
    claim->spec.volume_mode = "Block";
  }
  if (dice_.chance(4)) {
    claim->spec.selector = api::LabelSelector{};
    claim->spec.selector->match_labels.emplace("tier", dice_.chance(2) ? "gold" : "silver");
  }
  if (dice_.chance(6)) {
    claim->spec.volume_name = fmt::format("pv-{}", 1 + dice_.roll(kVolumes));
    claim->metadata.annotations.emplace(kBindCompleted, "yes");
  } else if (dice_.chance(8)) {
    claim->metadata.annotations.emplace(kSelectedNode, node_name(1 + dice_.roll(kNodes + 1)));
  }
  return claim;
}

inline CsiNodePtr RandomObjects::csi_node(std::size_t number) {
  auto csi_node = std::make_shared<api::CSINode>();
  csi_node->metadata = {.name = node_name(number), .resource_version = version()};
  if (dice_.chance(2)) {
    csi_node->metadata.annotations.emplace(kMigratedPlugins, "kubernetes.io/gce-pd");
  }
  return csi_node;
}

inline CapacityPtr RandomObjects::capacity(std::size_t number) {
  auto capacity = std::make_shared<api::CSIStorageCapacity>();
  capacity->metadata = {
      .name = fmt::format("pool-{}", number), .ns = "kube-system", .resource_version = version()};
  capacity->storage_class_name = "pooled";
  capacity->node_topology = api::LabelSelector{};
  // A node has several, and shares some.
  if (dice_.chance(4)) {
    capacity->node_topology->match_labels.emplace(kZone, kZones[dice_.roll(2)]);
  } else {
    capacity->node_topology->match_labels.emplace(kHost, node_name(1 + (number - 1) % kNodes));
  }
  const std::size_t size = 1 + dice_.roll(8);
  capacity->capacity = gibibytes(size);
  if (dice_.chance(5)) {
    capacity->maximum_volume_size = gibibytes(1 + dice_.roll(size));
  }
  return capacity;
}

inline std::vector<ClassPtr> RandomObjects::classes() {
  std::vector<ClassPtr> classes;
  for (const std::string_view name : kClassNames) {
    auto storage_class = std::make_shared<api::StorageClass>();
    storage_class->metadata = {.name = std::string(name), .resource_version = version()};
    storage_class->volume_binding_mode = std::string(kWaitForFirstConsumer);
    storage_class->provisioner = name == "static" ? std::string(kNoProvisioner) : std::string(name);
    if (name == "dynamic") {
      storage_class->allowed_topologies = {
          {.match_label_expressions = {
               {.key = std::string(kZone), .values = {std::string(kZones[dice_.roll(2)])}}}}};
    }
    classes.push_back(std::move(storage_class));
  }
  return classes;
}

inline DriverPtr RandomObjects::driver() {
  auto driver = std::make_shared<api::CSIDriver>();
  driver->metadata = {.name = "pooled", .resource_version = version()};
  driver->spec.storage_capacity = true;
  return driver;
}

inline api::Pod RandomObjects::pod(std::size_t number) {
  api::Pod pod;
  pod.metadata = {.name = fmt::format("pod-{}", number),
                  .ns = "default",
                  .uid = fmt::format("pod-uid-{}", number)};
  const std::size_t count = 1 + dice_.roll(kClaims);
  const std::size_t first = dice_.roll(kClaims);
  for (std::size_t i = 0; i < count; ++i) {
    api::Volume volume{.name = fmt::format("vol-{}", i)};
    volume.source.persistent_volume_claim = api::PersistentVolumeClaimVolumeSource{
        .claim_name = fmt::format("claim-{}", 1 + (first + i) % kClaims)};
    pod.spec.volumes.push_back(std::move(volume));
  }
  return pod;
}

// All objects at once. Some names have none.
inline void fill(Catalog& catalog, RandomObjects& objects, Dice& dice) {
  for (ClassPtr& storage_class : objects.classes()) {
    catalog.set(std::move(storage_class));
  }
  catalog.set(objects.driver());
  for (std::size_t number = 1; number <= kNodes; ++number) {
    catalog.set(objects.node(number));
    if (!dice.chance(3)) {
      catalog.set(objects.csi_node(number));
    }
  }
  for (std::size_t number = 1; number <= kPools; ++number) {
    if (!dice.chance(4)) {
      catalog.set(objects.capacity(number));
    }
  }
  for (std::size_t number = 1; number <= kVolumes; ++number) {
    if (!dice.chance(6)) {
      catalog.set(objects.volume(number));
    }
  }
  for (std::size_t number = 1; number <= kClaims; ++number) {
    catalog.set(objects.claim(number));
  }
}

}  // namespace berth::volumes::testing
