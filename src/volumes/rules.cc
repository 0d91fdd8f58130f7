#include "volumes/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/references.h"
#include "api/quantity.h"
#include "volumes/names.h"

namespace berth::volumes {
namespace {

const api::Quantity& storage_of(const api::ResourceList& resources) {
  static const api::Quantity kNone;
  const auto found = resources.find(kStorage);
  return found == resources.end() ? kNone : found->second;
}

}  // namespace

std::string claim_key(std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  key.append(ns).append("/").append(name);
  return key;
}

std::string claim_key(const api::PersistentVolumeClaim& claim) {
  return claim_key(claim.metadata.ns, claim.metadata.name);
}

const std::string* find_annotation(const api::ObjectMeta& metadata, std::string_view key) {
  const auto found = metadata.annotations.find(key);
  return found == metadata.annotations.end() ? nullptr : &found->second;
}

std::string_view class_of(const api::PersistentVolumeClaim& claim) {
  if (const std::string* annotated = find_annotation(claim.metadata, kBetaStorageClass)) {
    return *annotated;
  }
  return claim.spec.storage_class_name ? std::string_view(*claim.spec.storage_class_name) : "";
}

std::string_view class_of(const api::PersistentVolume& volume) {
  if (const std::string* annotated = find_annotation(volume.metadata, kBetaStorageClass)) {
    return *annotated;
  }
  return volume.spec.storage_class_name;
}

std::string_view mode_of(const std::optional<std::string>& mode) {
  return mode ? std::string_view(*mode) : kFilesystemMode;
}

std::string_view attributes_class_of(const std::optional<std::string>& name) {
  return name ? std::string_view(*name) : "";
}

const api::Quantity& request_of(const api::PersistentVolumeClaim& claim) {
  return storage_of(claim.spec.resources.requests);
}

const api::Quantity& capacity_of(const api::PersistentVolume& volume) {
  return storage_of(volume.spec.capacity);
}

bool has_request(const api::PersistentVolumeClaim& claim) {
  return claim.spec.resources.requests.contains(kStorage);
}

bool is_fully_bound(const api::PersistentVolumeClaim& claim) {
  return !claim.spec.volume_name.empty() &&
         find_annotation(claim.metadata, kBindCompleted) != nullptr;
}

bool is_bound_to(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  if (!volume.spec.claim_ref) {
    return false;
  }
  const api::ObjectReference& reference = *volume.spec.claim_ref;
  return reference.name == claim.metadata.name && reference.ns == claim.metadata.ns &&
         (reference.uid.empty() || reference.uid == claim.metadata.uid);
}

ModeBits known_modes(const std::vector<std::string>& access_modes) {
  ModeBits bits = 0;
  for (const std::string& mode : access_modes) {
    const auto known = std::ranges::find(kAccessModes, mode);
    if (known != kAccessModes.end()) {
      bits = static_cast<ModeBits>(bits | 1U << (known - kAccessModes.begin()));
    }
  }
  return bits;
}

bool has_unknown_mode(const std::vector<std::string>& access_modes) {
  return std::ranges::any_of(access_modes, [](const std::string& mode) {
    return std::ranges::find(kAccessModes, mode) == kAccessModes.end();
  });
}

bool offers_modes(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  return std::ranges::all_of(claim.spec.access_modes, [&volume](const std::string& mode) {
    return std::ranges::find(volume.spec.access_modes, mode) != volume.spec.access_modes.end();
  });
}

std::optional<ClaimName> claim_name_of(const api::Pod& pod, const api::Volume& volume) {
  if (volume.source.persistent_volume_claim) {
    return ClaimName{.name = volume.source.persistent_volume_claim->claim_name};
  }
  if (volume.source.ephemeral) {
    return ClaimName{.name = pod.metadata.name + "-" + volume.name, .is_ephemeral = true};
  }
  return std::nullopt;
}

bool is_made_for(const api::PersistentVolumeClaim& claim, const api::Pod& pod) {
  if (claim.metadata.ns != pod.metadata.ns) {
    return false;
  }
  const auto controller = std::ranges::find_if(
      claim.metadata.owner_references,
      [](const api::OwnerReference& owner) { return owner.controller.value_or(false); });
  return controller != claim.metadata.owner_references.end() && controller->uid == pod.metadata.uid;
}

std::string not_owner_text(const api::PersistentVolumeClaim& claim, const api::Pod& pod) {
  return fmt::format("PVC {} was not created for pod {} (pod is not owner)",
                     claim_key(claim),
                     claim_key(pod.metadata.ns, pod.metadata.name));
}

ClaimedVolume claim_volume(const VolumePtr& volume, const api::PersistentVolumeClaim& claim) {
  const bool is_ours = is_bound_to(*volume, claim);
  const bool is_complete = is_ours && volume->spec.claim_ref->uid == claim.metadata.uid;
  const bool is_marked = find_annotation(volume->metadata, kBoundByController) != nullptr;
  if (is_complete) {
    return {.volume = volume};
  }
  auto claimed = std::make_shared<api::PersistentVolume>(*volume);
  claimed->spec.claim_ref =
      api::ObjectReference{.kind = "PersistentVolumeClaim",
                           .ns = claim.metadata.ns,
                           .name = claim.metadata.name,
                           .uid = claim.metadata.uid,
                           .api_version = "v1",
                           .resource_version = claim.metadata.resource_version};
  // Without the annotation the PV controller would only clear the uid when it takes the binding
  // back, and leave a reference that the user never made.
  if (!is_ours && !is_marked) {
    claimed->metadata.annotations.insert_or_assign(std::string(kBoundByController), "yes");
  }
  return {.volume = std::move(claimed), .is_changed = true};
}

ClaimPtr select_node(const api::PersistentVolumeClaim& claim, std::string_view node) {
  auto selected = std::make_shared<api::PersistentVolumeClaim>(claim);
  selected->metadata.annotations.insert_or_assign(std::string(kSelectedNode), std::string(node));
  return selected;
}

}  // namespace berth::volumes
