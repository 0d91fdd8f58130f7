#include "actors/pv_writes.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/names.h"
#include "api/codec/json_text.h"
#include "api/members.h"
#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/references.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/json_object.h"
#include "kube/typed.h"
#include "volumes/names.h"
#include "volumes/rules.h"
#include "volumes/writes.h"

namespace berth::actors {
namespace {

using kube::JsonObject;

constexpr std::string_view kStatus = "status";
constexpr std::string_view kYes = "yes";

template <typename Object>
kube::PatchRequest patch_of(const Object& object,
                            const std::string& body,
                            std::string_view subresource = "") {
  return {.kind = &Object::kKind,
          .key = kube::key_of(object),
          .subresource = std::string(subresource),
          .type = kube::PatchType::kMerge,
          .body = kube::guarded_merge(
              body,
              {.uid = object.metadata.uid, .resource_version = object.metadata.resource_version})};
}

template <typename Object>
kube::PatchRequest status_patch_of(const Object& object, const JsonObject& status) {
  return patch_of(object, JsonObject().json(kStatus, status.done()).done(), kStatus);
}

kube::PatchRequest volume_patch(const api::PersistentVolume& volume, volumes::Changes changes) {
  return {.kind = &api::PersistentVolume::kKind,
          .key = kube::key_of(volume),
          .type = kube::PatchType::kMerge,
          .body = volumes::merge_patch({.object = volumes::volume_id(volume.metadata.name),
                                        .uid = volume.metadata.uid,
                                        .resource_version = volume.metadata.resource_version,
                                        .changes = std::move(changes)})};
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    out += out.size() > 1 ? "," : "";
    api::codec::append_json_string(out, text);
  }
  return out + "]";
}

// What makes `after` of `before` in a merge patch.
std::string amounts_between(const api::ResourceList& before, const api::ResourceList& after) {
  JsonObject amounts;
  for (const auto& [name, amount] : before) {
    if (!after.contains(name)) {
      amounts.json(name, "null");
    }
  }
  for (const auto& [name, amount] : after) {
    amounts.text(name, amount.to_string());
  }
  return amounts.done();
}

// While its file system is yet to grow, a volume is worth what it was before.
api::ResourceList capacity_for_claim(const api::PersistentVolume& volume,
                                     const api::PersistentVolumeClaim& claim) {
  const std::string* before = volumes::find_annotation(volume.metadata, kPreResizeCapacity);
  if (before == nullptr) {
    return volume.spec.capacity;
  }
  const auto parsed = api::Quantity::parse(*before);
  api::ResourceList capacity = claim.status.capacity;
  capacity.insert_or_assign(std::string(volumes::kStorage),
                            parsed ? *parsed : volumes::capacity_of(volume));
  return capacity;
}

void add_capacity(const api::PersistentVolume& volume,
                  const api::PersistentVolumeClaim& claim,
                  JsonObject& status) {
  const auto known = claim.status.capacity.find(volumes::kStorage);
  const bool is_resizing = volumes::find_annotation(volume.metadata, kPreResizeCapacity) != nullptr;
  if (is_resizing || known == claim.status.capacity.end() ||
      known->second.compare(volumes::capacity_of(volume)) != 0) {
    status.json("capacity",
                amounts_between(claim.status.capacity, capacity_for_claim(volume, claim)));
  }
}

void add_attributes_class(const api::PersistentVolume& volume,
                          const api::PersistentVolumeClaim& claim,
                          JsonObject& status) {
  const auto& wanted = volume.spec.volume_attributes_class_name;
  if (claim.status.current_volume_attributes_class_name == wanted) {
    return;
  }
  if (wanted) {
    status.text("currentVolumeAttributesClassName", *wanted);
  } else {
    status.json("currentVolumeAttributesClassName", "null");
  }
}

// The claim takes its size from the volume when it becomes bound. Later the two may differ, while
// somebody resizes them.
Result<PatchWish> bound_status(const api::PersistentVolume& volume,
                               const api::PersistentVolumeClaim& claim) {
  JsonObject status;
  const bool becomes_bound = claim.status.phase != phase::kBound;
  if (becomes_bound) {
    status.text("phase", phase::kBound);
    if (!volume.spec.capacity.contains(volumes::kStorage)) {
      return Error(ErrorCode::kInvalid,
                   fmt::format("PersistentVolume \"{}\" is without a storage capacity",
                               volume.metadata.name));
    }
    add_capacity(volume, claim, status);
  }
  if (claim.status.access_modes != volume.spec.access_modes) {
    status.json("accessModes", list_of(volume.spec.access_modes));
  }
  if (claim.status.phase == phase::kPending) {
    add_attributes_class(volume, claim, status);
  }
  return status.is_empty() ? PatchWish() : PatchWish(status_patch_of(claim, status));
}

// The claim names the volume, and bears the mark of a finished binding.
PatchWish naming_write(const api::PersistentVolume& volume,
                       const api::PersistentVolumeClaim& claim) {
  const bool is_named = claim.spec.volume_name == volume.metadata.name;
  JsonObject marks;
  if (!is_named &&
      volumes::find_annotation(claim.metadata, volumes::kBoundByController) == nullptr) {
    marks.text(volumes::kBoundByController, kYes);
  }
  if (volumes::find_annotation(claim.metadata, volumes::kBindCompleted) == nullptr) {
    marks.text(volumes::kBindCompleted, kYes);
  }
  JsonObject body;
  if (!marks.is_empty()) {
    body.json("metadata", JsonObject().json("annotations", marks.done()).done());
  }
  if (!is_named) {
    body.json("spec", JsonObject().text("volumeName", volume.metadata.name).done());
  }
  return body.is_empty() ? PatchWish() : PatchWish(patch_of(claim, body.done()));
}

}  // namespace

Result<PatchWish> next_bind_write(const volumes::VolumePtr& volume,
                                  const api::PersistentVolumeClaim& claim) {
  const volumes::ClaimedVolume claimed = volumes::claim_volume(volume, claim);
  if (claimed.is_changed) {
    return PatchWish(volume_patch(*volume, volumes::changes_between(*volume, *claimed.volume)));
  }
  if (PatchWish write = volume_phase_write(*volume, phase::kBound)) {
    return write;
  }
  if (PatchWish write = naming_write(*volume, claim)) {
    return write;
  }
  return bound_status(*volume, claim);
}

kube::PatchRequest unbind_write(const api::PersistentVolume& volume) {
  volumes::Changes changes;
  if (volumes::find_annotation(volume.metadata, volumes::kBoundByController) != nullptr) {
    changes.reference = volumes::Changes::Reference::kRemoved;
    changes.annotations.push_back({.key = std::string(volumes::kBoundByController), .value = {}});
  } else {
    changes.reference = volumes::Changes::Reference::kSet;
    changes.claim_ref = *volume.spec.claim_ref;
    changes.claim_ref.uid.clear();
  }
  return volume_patch(volume, std::move(changes));
}

PatchWish volume_phase_write(const api::PersistentVolume& volume,
                             std::string_view phase,
                             std::string_view message) {
  if (volume.status.phase == phase) {
    return std::nullopt;
  }
  JsonObject status;
  status.text("phase", phase);
  if (!message.empty()) {
    status.text("message", message);
  } else if (!volume.status.message.empty()) {
    status.json("message", "null");
  }
  return status_patch_of(volume, status);
}

PatchWish claim_phase_write(const api::PersistentVolumeClaim& claim, std::string_view phase) {
  JsonObject status;
  if (claim.status.phase != phase) {
    status.text("phase", phase);
  }
  if (!claim.status.access_modes.empty()) {
    status.json("accessModes", "null");
  }
  if (!claim.status.capacity.empty()) {
    status.json("capacity", "null");
  }
  if (claim.status.current_volume_attributes_class_name) {
    status.json("currentVolumeAttributesClassName", "null");
  }
  return status.is_empty() ? PatchWish() : PatchWish(status_patch_of(claim, status));
}

kube::PatchRequest class_write(const api::PersistentVolumeClaim& claim, std::string_view name) {
  const std::string spec = JsonObject().text("storageClassName", name).done();
  return patch_of(claim, JsonObject().json("spec", spec).done());
}

PatchWish annotations_write(const api::PersistentVolume& volume,
                            std::vector<volumes::AnnotationChange> changes) {
  if (changes.empty()) {
    return std::nullopt;
  }
  return volume_patch(volume, {.annotations = std::move(changes)});
}

PatchWish annotations_write(const api::PersistentVolumeClaim& claim,
                            std::vector<volumes::AnnotationChange> changes) {
  if (changes.empty()) {
    return std::nullopt;
  }
  JsonObject annotations;
  for (const volumes::AnnotationChange& change : changes) {
    if (change.value) {
      annotations.text(change.key, *change.value);
    } else {
      annotations.json(change.key, "null");
    }
  }
  const std::string metadata = JsonObject().json("annotations", annotations.done()).done();
  return patch_of(claim, JsonObject().json("metadata", metadata).done());
}

kube::PatchRequest finalizer_write(const api::PersistentVolume& volume,
                                   std::string_view finalizer) {
  std::vector<std::string> left = volume.metadata.finalizers;
  std::erase(left, finalizer);
  const std::string metadata = JsonObject().json("finalizers", list_of(left)).done();
  return patch_of(volume, JsonObject().json("metadata", metadata).done());
}

}  // namespace berth::actors
