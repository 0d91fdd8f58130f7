#include "volumes/recheck.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/rules/label_selector.h"
#include "volumes/bind_reason.h"
#include "volumes/names.h"
#include "volumes/reach.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/view.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

using api::PersistentVolume;
using api::PersistentVolumeClaim;

// What was found, of which field.
struct Mismatch {
  std::string_view key;
  std::string wanted;
  std::string found;
};

BindProblem problem_of(BindVerdict verdict, BindReason reason) {
  return {.verdict = verdict, .reason = std::move(reason)};
}

// What the matcher asks of a volume whether or not it names the claim.
std::optional<Mismatch> compare_kind(const PersistentVolume& volume,
                                     const PersistentVolumeClaim& claim) {
  if (capacity_of(volume).compare(request_of(claim)) < 0) {
    return Mismatch{.key = "spec.capacity",
                    .wanted = request_of(claim).to_string(),
                    .found = capacity_of(volume).to_string()};
  }
  if (mode_of(volume.spec.volume_mode) != mode_of(claim.spec.volume_mode)) {
    return Mismatch{.key = "spec.volumeMode",
                    .wanted = std::string(mode_of(claim.spec.volume_mode)),
                    .found = std::string(mode_of(volume.spec.volume_mode))};
  }
  const auto wanted = attributes_class_of(claim.spec.volume_attributes_class_name);
  const auto found = attributes_class_of(volume.spec.volume_attributes_class_name);
  if (wanted != found) {
    return Mismatch{.key = "spec.volumeAttributesClassName",
                    .wanted = std::string(wanted),
                    .found = std::string(found)};
  }
  return std::nullopt;
}

bool is_selected(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  if (!claim.spec.selector) {
    return true;
  }
  const auto selector = api::CompiledLabelSelector::compile(*claim.spec.selector);
  return selector && selector->matches(volume.metadata.labels);
}

std::optional<Mismatch> compare_modes(const PersistentVolume& volume,
                                      const PersistentVolumeClaim& claim) {
  if (offers_modes(volume, claim)) {
    return std::nullopt;
  }
  return Mismatch{.key = "spec.accessModes", .wanted = {}, .found = {}};
}

// And what it asks only of one that does not.
std::optional<Mismatch> compare_wishes(const PersistentVolume& volume,
                                       const PersistentVolumeClaim& claim) {
  if (volume.status.phase != "Available") {
    return Mismatch{.key = "status.phase", .wanted = "Available", .found = volume.status.phase};
  }
  if (class_of(volume) != class_of(claim)) {
    return Mismatch{.key = "spec.storageClassName",
                    .wanted = std::string(class_of(claim)),
                    .found = std::string(class_of(volume))};
  }
  if (!is_selected(volume, claim)) {
    return Mismatch{.key = "metadata.labels", .wanted = {}, .found = {}};
  }
  return compare_modes(volume, claim);
}

std::optional<Mismatch> compare(const PersistentVolume& volume,
                                const PersistentVolumeClaim& claim,
                                const Switches& switches) {
  // Bound already: a claim that asks for more since then is for the resizer, not for us.
  if (is_bound_to(volume, claim) && claim.spec.volume_name == volume.metadata.name) {
    return std::nullopt;
  }
  if (auto mismatch = compare_kind(volume, claim)) {
    return mismatch;
  }
  if (!volume.spec.claim_ref) {
    return compare_wishes(volume, claim);
  }
  return switches.prebound_modes ? compare_modes(volume, claim) : std::nullopt;
}

// The claim as far as a reference to it goes.
PersistentVolumeClaim claim_of(const RecordedObject& recorded) {
  PersistentVolumeClaim claim;
  claim.metadata.ns = recorded.ns;
  claim.metadata.name = recorded.name;
  claim.metadata.uid = recorded.uid;
  claim.metadata.resource_version = recorded.version;
  return claim;
}

std::optional<BindProblem> check_identity(const RecordedObject& planned,
                                          const PersistentVolumeClaim& claim,
                                          const Switches& switches) {
  const std::string key = claim_key(claim);
  if (switches.verify_uids && claim.metadata.uid != planned.uid) {
    return problem_of(
        BindVerdict::kGiveUpPod,
        {.code = bind_reason::kClaimReplaced,
         .text = fmt::format("PVC \"{}\" was deleted and created again", claim.metadata.name),
         .claim = key,
         .key = "metadata.uid",
         .wanted = planned.uid,
         .found = claim.metadata.uid});
  }
  if (switches.refuse_deleted_claims && claim.metadata.deletion_timestamp) {
    return problem_of(
        BindVerdict::kGiveUpPod,
        {.code = bind_reason::kClaimDeleting,
         .text = fmt::format("persistentvolumeclaim \"{}\" is being deleted", claim.metadata.name),
         .claim = key,
         .key = "metadata.deletionTimestamp"});
  }
  return std::nullopt;
}

// A wish for a node that is gone binds nobody.
const std::string* find_selection(const PersistentVolumeClaim& claim, const RecheckPlace& place) {
  const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
  if (selected != nullptr && place.switches.ignore_dead_selection &&
      place.view.find_node(*selected) == nullptr) {
    return nullptr;
  }
  return selected;
}

BindProblem pinned(const PersistentVolumeClaim& claim,
                   const std::string& found,
                   std::string_view wanted) {
  return problem_of(
      BindVerdict::kGiveUpNode,
      {.code = bind_reason::kClaimPinned,
       .text = fmt::format(
           "PVC \"{}\" asks for a volume on node \"{}\" by now", claim.metadata.name, found),
       .claim = claim_key(claim),
       .key = std::string(kSelectedNode),
       .wanted = std::string(wanted),
       .found = found});
}

BindProblem bound_elsewhere(const PersistentVolumeClaim& claim, std::string_view wanted) {
  return problem_of(
      BindVerdict::kGiveUpNode,
      {.code = bind_reason::kClaimBoundElsewhere,
       .text = fmt::format(
           "PVC \"{}\" has pv \"{}\" by now", claim.metadata.name, claim.spec.volume_name),
       .claim = claim_key(claim),
       .volume = claim.spec.volume_name,
       .key = "spec.volumeName",
       .wanted = std::string(wanted),
       .found = claim.spec.volume_name});
}

BindProblem of_volume(const RecordedBinding& binding,
                      std::string_view code,
                      std::string text,
                      Mismatch mismatch) {
  return problem_of(BindVerdict::kGiveUpNode,
                    {.code = code,
                     .text = std::move(text),
                     .claim = claim_key(binding.claim.ns, binding.claim.name),
                     .volume = binding.volume.name,
                     .key = std::string(mismatch.key),
                     .wanted = std::move(mismatch.wanted),
                     .found = std::move(mismatch.found)});
}

// Whether it is the planned volume, there to stay, and nobody else's.
std::optional<BindProblem> check_owner(const RecordedBinding& binding,
                                       const PersistentVolume& volume,
                                       const RecheckPlace& place) {
  const Switches& switches = place.switches;
  const std::string& name = binding.volume.name;
  if (switches.verify_uids && volume.metadata.uid != binding.volume.uid) {
    return of_volume(binding,
                     bind_reason::kVolumeReplaced,
                     fmt::format("pv \"{}\" was deleted and created again", name),
                     {"metadata.uid", binding.volume.uid, volume.metadata.uid});
  }
  if (!place.is_identity_only && volume.spec.claim_ref &&
      !is_bound_to(volume, claim_of(binding.claim))) {
    const api::ObjectReference& other = *volume.spec.claim_ref;
    return of_volume(
        binding,
        bind_reason::kVolumeTaken,
        fmt::format(
            "pv \"{}\" was given to PVC \"{}\" meanwhile", name, claim_key(other.ns, other.name)),
        {"spec.claimRef.uid", binding.claim.uid, other.uid});
  }
  if (switches.refuse_deleted_claims && volume.metadata.deletion_timestamp &&
      volume.status.phase != "Bound") {
    return of_volume(binding,
                     bind_reason::kVolumeDeleting,
                     fmt::format("pv \"{}\" is being deleted", name),
                     {"metadata.deletionTimestamp", "", ""});
  }
  return std::nullopt;
}

}  // namespace

std::optional<BindProblem> recheck_volume(const RecordedBinding& binding,
                                          const PersistentVolume& volume,
                                          const PersistentVolumeClaim* claim,
                                          const RecheckPlace& place) {
  if (auto problem = check_owner(binding, volume, place); problem || place.is_identity_only) {
    return problem;
  }
  const std::string& name = binding.volume.name;
  if (claim != nullptr) {
    if (auto mismatch = compare(volume, *claim, place.switches)) {
      return of_volume(
          binding,
          bind_reason::kVolumeUnfit,
          fmt::format("pv \"{}\" no longer fits PVC \"{}\"", name, claim->metadata.name),
          *std::move(mismatch));
    }
  }
  const NodePtr node = place.view.find_node(place.plan.node.name);
  const Reach reach = Reach::of_affinity(volume.spec.node_affinity);
  if (node != nullptr && !reach.matches(node->metadata.labels)) {
    return of_volume(binding,
                     bind_reason::kVolumeUnreachable,
                     fmt::format("pv \"{}\" node affinity doesn't match node \"{}\": {}",
                                 name,
                                 place.plan.node.name,
                                 reach.mismatch_text()),
                     {"spec.nodeAffinity", place.plan.node.name, ""});
  }
  return std::nullopt;
}

std::optional<BindProblem> recheck_claim(const RecordedBinding& binding,
                                         const PersistentVolumeClaim& claim,
                                         const RecheckPlace& place) {
  auto problem = check_identity(binding.claim, claim, place.switches);
  if (problem || place.is_identity_only) {
    return problem;
  }
  if (!claim.spec.volume_name.empty()) {
    return claim.spec.volume_name == binding.volume.name
               ? std::nullopt
               : std::optional(bound_elsewhere(claim, binding.volume.name));
  }
  // Whoever asks for a volume on a node gets one made there and does not take a free one.
  if (const std::string* selected = find_selection(claim, place)) {
    return pinned(claim, *selected, "");
  }
  return std::nullopt;
}

std::optional<BindProblem> recheck_claim(const RecordedProvision& provision,
                                         const PersistentVolumeClaim& claim,
                                         const RecheckPlace& place) {
  auto problem = check_identity(provision.claim, claim, place.switches);
  if (problem || place.is_identity_only) {
    return problem;
  }
  const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
  if (selected != nullptr && *selected == place.plan.node.name) {
    return std::nullopt;
  }
  if (!claim.spec.volume_name.empty()) {
    return bound_elsewhere(claim, "");
  }
  if (const std::string* other = find_selection(claim, place)) {
    return pinned(claim, *other, place.plan.node.name);
  }
  return std::nullopt;
}

Write write_of(const RecordedBinding& binding, const VolumePtr& volume) {
  const ClaimedVolume claimed = claim_volume(volume, claim_of(binding.claim));
  return {.object = volume_id(binding.volume.name),
          .uid = volume->metadata.uid,
          .resource_version = volume->metadata.resource_version,
          .changes = changes_between(*volume, *claimed.volume)};
}

Write write_of(const RecordedProvision& provision,
               const PersistentVolumeClaim& claim,
               const RecordedPlan& plan) {
  return {.object = claim_id(provision.claim),
          .uid = claim.metadata.uid,
          .resource_version = claim.metadata.resource_version,
          .changes = changes_between(claim, *select_node(claim, plan.node.name))};
}

}  // namespace berth::volumes
