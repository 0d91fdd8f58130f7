#include "volumes/undo_rules.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/references.h"
#include "volumes/bind_reason.h"
#include "volumes/names.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

UndoDecision hold(BindReason reason) {
  return {.what = UndoDecision::What::kHeld, .held = std::move(reason)};
}

UndoDecision hold_volume(const RecordedBinding& binding,
                         std::string_view code,
                         std::string text,
                         std::string_view key,
                         const std::string& found) {
  return hold({.code = code,
               .text = std::move(text),
               .claim = claim_key(binding.claim.ns, binding.claim.name),
               .volume = binding.volume.name,
               .key = std::string(key),
               .wanted = {},
               .found = found});
}

// The claim refers to us through its uid, so whatever else the reference says it is this claim's.
bool refers_to(const api::PersistentVolume& volume, const RecordedObject& claim) {
  return volume.spec.claim_ref && volume.spec.claim_ref->uid == claim.uid;
}

// Whether all of the reference came with our write. The mark tells, since it is written with it:
// where it is missing a user named the claim, and keeps the name.
bool is_whole(const RecordedBinding& binding, const api::PersistentVolume& volume) {
  return binding.reference == RecordedBinding::kWhole &&
         find_annotation(volume.metadata, kBoundByController) != nullptr;
}

}  // namespace

std::string made_volume_name(const RecordedObject& claim) {
  return "pvc-" + claim.uid;
}

UndoDecision undo_of(const RecordedBinding& binding, const api::PersistentVolume& volume) {
  if (!binding.is_ours() || volume.metadata.uid != binding.volume.uid ||
      !refers_to(volume, binding.claim)) {
    return {};
  }
  const std::string& name = binding.volume.name;
  const std::string key = claim_key(binding.claim.ns, binding.claim.name);
  // Ours carries the version of the claim that was decided on.
  const std::string& written = volume.spec.claim_ref->resource_version;
  if (written != binding.claim.version) {
    return hold_volume(binding,
                       bind_reason::kNotOurs,
                       fmt::format("somebody else gave pv \"{}\" to PVC \"{}\"", name, key),
                       "spec.claimRef.resourceVersion",
                       written);
  }
  const std::string& phase = volume.status.phase;
  if (phase == "Bound") {
    return hold_volume(binding,
                       bind_reason::kHeldByClaim,
                       fmt::format("pv \"{}\" is bound to PVC \"{}\"", name, key),
                       "status.phase",
                       phase);
  }
  // It may have been Bound, and have somebody's data on it.
  if (phase == "Released" || phase == "Failed") {
    return hold_volume(binding,
                       bind_reason::kHeldByVolume,
                       fmt::format("pv \"{}\" is {}: its reclaim policy decides", name, phase),
                       "status.phase",
                       phase);
  }
  UndoDecision decision{.what = UndoDecision::What::kWrite,
                        .write = {.object = volume_id(name),
                                  .uid = volume.metadata.uid,
                                  .resource_version = volume.metadata.resource_version}};
  Changes& changes = decision.write.changes;
  if (!is_whole(binding, volume)) {
    changes.reference = Changes::Reference::kUnnamed;
    return decision;
  }
  changes.reference = Changes::Reference::kRemoved;
  if (binding.adds_mark) {
    changes.annotations.push_back({.key = std::string(kBoundByController), .value = {}});
  }
  return decision;
}

UndoDecision undo_of(const RecordedProvision& provision,
                     std::string_view node,
                     const api::PersistentVolumeClaim& claim,
                     const api::PersistentVolume* made) {
  const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
  if (!provision.is_ours || claim.metadata.uid != provision.claim.uid || selected == nullptr ||
      *selected != node) {
    return {};
  }
  const std::string key = claim_key(claim);
  const bool is_named = !claim.spec.volume_name.empty();
  // By uid, or by a name that nobody else's uid contradicts: the PV controller takes either.
  if (is_named || (made != nullptr && is_bound_to(*made, claim))) {
    const std::string volume = is_named ? claim.spec.volume_name : made->metadata.name;
    return hold({.code = bind_reason::kHeldByVolume,
                 .text = fmt::format("PVC \"{}\" has got pv \"{}\"", key, volume),
                 .claim = key,
                 .volume = volume,
                 .key = is_named ? "spec.volumeName" : "spec.claimRef",
                 .wanted = {},
                 .found = is_named ? volume : key});
  }
  return {
      .what = UndoDecision::What::kWrite,
      .write = {.object = claim_id(provision.claim),
                .uid = claim.metadata.uid,
                .resource_version = claim.metadata.resource_version,
                .changes = {.annotations = {{.key = std::string(kSelectedNode), .value = {}}}}}};
}

}  // namespace berth::volumes
