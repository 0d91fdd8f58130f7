#include "volumes/record_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/view.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

RecordedObject object_of(const api::ObjectMeta& metadata) {
  return {.ns = metadata.ns,
          .name = metadata.name,
          .uid = metadata.uid,
          .version = metadata.resource_version};
}

// `stored` is null where the view has none.
Result<void> check_current(const api::ObjectMeta* stored,
                           const api::ObjectMeta& assumed,
                           std::string_view resource,
                           std::string_view key) {
  if (stored == nullptr) {
    return Error(ErrorCode::kNotFound, fmt::format("{} \"{}\" not found", resource, key));
  }
  if (assumed.resource_version.empty()) {
    return Error(ErrorCode::kInvalid, fmt::format("{} \"{}\" has no version", resource, key));
  }
  if (stored->resource_version != assumed.resource_version) {
    return Error(ErrorCode::kConflict,
                 fmt::format("\"{}\" is out of sync (stored: {}, assume: {})",
                             key,
                             stored->resource_version,
                             assumed.resource_version));
  }
  return {};
}

std::string_view share_of(const Changes& changes, const api::PersistentVolume& before) {
  if (changes.reference == Changes::Reference::kKept) {
    return RecordedBinding::kNothing;
  }
  // Whoever named the claim without its uid wants to keep that if nothing comes of it.
  return before.spec.claim_ref ? RecordedBinding::kUid : RecordedBinding::kWhole;
}

Result<RecordedBinding> record(const StaticBinding& assumed, const View& view) {
  const std::string& name = assumed.volume->metadata.name;
  const VolumeEntry* entry = view.find_volume(name);
  const api::ObjectMeta* stored = entry != nullptr ? &entry->stored->metadata : nullptr;
  auto current = check_current(stored, assumed.volume->metadata, "persistentvolumes", name);
  if (!current) {
    return std::move(current).error();
  }
  const Changes changes = changes_between(*entry->stored, *assumed.volume);
  return RecordedBinding{
      .claim = object_of(assumed.claim->metadata),
      .volume = object_of(assumed.volume->metadata),
      .reference = std::string(share_of(changes, *entry->stored)),
      .adds_mark = std::ranges::any_of(changes.annotations, [](const AnnotationChange& change) {
        return change.key == kBoundByController;
      })};
}

RecordedRoom room_of(const api::CSIStorageCapacity& pool, const api::PersistentVolumeClaim& claim) {
  return {.storage_class = pool.storage_class_name,
          .ns = pool.metadata.ns,
          .name = pool.metadata.name,
          .version = pool.metadata.resource_version,
          .bytes = std::max<std::int64_t>(0, request_of(claim).value())};
}

Result<RecordedProvision> record(const Provision& assumed, const View& view) {
  const std::string key = claim_key(*assumed.claim);
  const ClaimEntry* entry = view.find_claim(key);
  const api::ObjectMeta* stored = entry != nullptr ? &entry->stored->metadata : nullptr;
  auto current = check_current(stored, assumed.claim->metadata, "persistentvolumeclaims", key);
  if (!current) {
    return std::move(current).error();
  }
  RecordedProvision provision{.claim = object_of(assumed.claim->metadata),
                              .is_ours = !changes_between(*entry->stored, *assumed.claim).empty()};
  if (const std::string* before = find_annotation(*stored, kSelectedNode)) {
    provision.before = *before;
  }
  // Room in a pool without a version could not be found again.
  if (assumed.capacity != nullptr && !assumed.capacity->metadata.resource_version.empty()) {
    provision.room = room_of(*assumed.capacity, *assumed.claim);
  }
  return provision;
}

Error never_assumed(std::string_view what, const api::Pod& pod) {
  return {ErrorCode::kInvalid,
          fmt::format("failed to get cached {} for pod \"{}\"",
                      what,
                      claim_key(pod.metadata.ns, pod.metadata.name))};
}

}  // namespace

PlanToRecord all_of(const AssumedPlan& assumed) {
  return {.volumes = &assumed.volumes, .claims = &assumed.claims};
}

Result<RecordedPlan> record_plan(const PlanToRecord& plan,
                                 const api::Pod& pod,
                                 const std::string& node,
                                 const std::string& planner,
                                 const View& view) {
  if (plan.volumes == nullptr) {
    return never_assumed("bindings", pod);
  }
  if (plan.claims == nullptr) {
    return never_assumed("claims to provision", pod);
  }
  RecordedPlan recorded{.pod = object_of(pod.metadata), .node = {.name = node}, .planner = planner};
  if (const NodePtr known = view.find_node(node)) {
    recorded.node.uid = known->metadata.uid;
  }
  for (const StaticBinding& assumed : *plan.volumes) {
    BERTH_TRY(RecordedBinding binding, record(assumed, view));
    recorded.bindings.push_back(std::move(binding));
  }
  for (const Provision& assumed : *plan.claims) {
    BERTH_TRY(RecordedProvision provision, record(assumed, view));
    recorded.provisions.push_back(std::move(provision));
  }
  return recorded;
}

}  // namespace berth::volumes
