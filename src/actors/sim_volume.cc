#include "actors/sim_volume.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "actors/names.h"
#include "actors/sim_class.h"
#include "api/objects/affinity.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/references.h"
#include "api/objects/storage.h"
#include "api/objects/volume_sources.h"
#include "volumes/names.h"
#include "volumes/rules.h"

namespace berth::actors {
namespace {

// In the volume's attributes: what a node affinity says in many ways, said once.
constexpr std::string_view kSegmentKey = "sim.berth.dev/topology-key";
constexpr std::string_view kSegmentValue = "sim.berth.dev/topology-value";

std::string attribute_of(const api::PersistentVolume& volume, std::string_view key) {
  const auto& attributes = volume.spec.source.csi->volume_attributes;
  const auto found = attributes.find(key);
  return found == attributes.end() ? std::string() : found->second;
}

api::VolumeNodeAffinity only_in(const Segment& segment) {
  api::NodeSelectorTerm term;
  term.match_expressions.push_back({.key = segment.key, .op = "In", .values = {segment.value}});
  return {.required = api::NodeSelector{.node_selector_terms = {std::move(term)}}};
}

bool has_our_finalizer(const api::PersistentVolume& volume) {
  const auto& finalizers = volume.metadata.finalizers;
  return std::ranges::find(finalizers, kProvisionerFinalizer) != finalizers.end();
}

}  // namespace

std::string volume_name(std::string_view claim_uid) {
  return "pvc-" + std::string(claim_uid);
}

api::PersistentVolume make_volume(const api::PersistentVolumeClaim& claim,
                                  const api::StorageClass& storage_class,
                                  const Segment& segment) {
  api::PersistentVolume volume;
  volume.metadata.name = volume_name(claim.metadata.uid);
  volume.metadata.annotations.emplace(kProvisionedBy, storage_class.provisioner);
  api::PersistentVolumeSpec& spec = volume.spec;
  spec.persistent_volume_reclaim_policy =
      storage_class.reclaim_policy.value_or(std::string(kDelete));
  if (spec.persistent_volume_reclaim_policy == kDelete) {
    volume.metadata.finalizers.emplace_back(kProvisionerFinalizer);
  }
  spec.access_modes = claim.spec.access_modes;
  spec.capacity.emplace(volumes::kStorage, volumes::request_of(claim));
  spec.claim_ref = api::ObjectReference{.kind = "PersistentVolumeClaim",
                                        .ns = claim.metadata.ns,
                                        .name = claim.metadata.name,
                                        .uid = claim.metadata.uid,
                                        .api_version = "v1",
                                        .resource_version = claim.metadata.resource_version};
  spec.storage_class_name = storage_class.metadata.name;
  spec.mount_options = storage_class.mount_options;
  spec.volume_mode = claim.spec.volume_mode;
  spec.volume_attributes_class_name = claim.spec.volume_attributes_class_name;
  spec.source.csi = api::CSIPersistentVolumeSource{.driver = driver_of(storage_class.provisioner),
                                                   .volume_handle = volume.metadata.name};
  if (!segment.key.empty()) {
    spec.node_affinity = only_in(segment);
    spec.source.csi->volume_attributes.emplace(kSegmentKey, segment.key);
    spec.source.csi->volume_attributes.emplace(kSegmentValue, segment.value);
  }
  return volume;
}

bool is_simulated_volume(const api::PersistentVolume& volume) {
  const std::string* maker = volumes::find_annotation(volume.metadata, kProvisionedBy);
  return maker != nullptr && is_simulated(*maker) && volume.spec.source.csi;
}

std::string pool_of(std::string_view class_name, const Segment& segment) {
  // None of the three has a line break.
  std::string pool(class_name);
  pool.append("\n").append(segment.key).append("\n").append(segment.value);
  return pool;
}

std::string pool_of(const api::PersistentVolume& volume) {
  if (!is_simulated_volume(volume)) {
    return {};
  }
  return pool_of(
      volume.spec.storage_class_name,
      {.key = attribute_of(volume, kSegmentKey), .value = attribute_of(volume, kSegmentValue)});
}

Disposal disposal_of(const api::PersistentVolume& volume) {
  if (!is_simulated_volume(volume)) {
    return Disposal::kNone;
  }
  const bool is_deleted = volume.metadata.deletion_timestamp.has_value();
  const bool is_kept = volume.spec.persistent_volume_reclaim_policy != kDelete;
  if (is_kept) {
    return is_deleted && has_our_finalizer(volume) ? Disposal::kRelease : Disposal::kNone;
  }
  if (volume.status.phase != phase::kReleased) {
    return Disposal::kNone;
  }
  if (!is_deleted) {
    return Disposal::kRemove;
  }
  return has_our_finalizer(volume) ? Disposal::kRelease : Disposal::kNone;
}

}  // namespace berth::actors
