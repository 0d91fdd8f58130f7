// Why a pod can be placed nowhere yet: claim by claim.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/meta.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "volumes/explain.h"
#include "volumes/explain_text.h"
#include "volumes/finding.h"
#include "volumes/names.h"
#include "volumes/rules.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

// What the PV controller waits for with a claim that names its volume.
std::string volume_text(const View& view, const api::PersistentVolumeClaim& claim) {
  const std::string& name = claim.spec.volume_name;
  const std::string start = fmt::format("names volume {} and is not bound to it yet: ", name);
  const VolumeEntry* volume = view.find_volume(name);
  if (volume == nullptr) {
    return start + "there is no such volume";
  }
  const auto& reference = volume->current()->spec.claim_ref;
  if (reference && !is_bound_to(*volume->current(), claim)) {
    return fmt::format("{}that volume is claimed by {}{}",
                       start,
                       claim_key(reference->ns, reference->name),
                       reference->name == claim.metadata.name && reference->ns == claim.metadata.ns
                           ? " of another uid"
                           : "");
  }
  return fmt::format("{}the PV controller has not finished (annotation {})", start, kBindCompleted);
}

// Nothing for a claim that is bound, or that gets its volume together with the node.
std::optional<std::string> unbound_text(const View& view, const api::PersistentVolumeClaim& claim) {
  if (is_fully_bound(claim)) {
    return std::nullopt;
  }
  const std::string_view class_name = class_of(claim);
  const ClassEntry* storage_class = class_name.empty() ? nullptr : view.find_class(class_name);
  const bool is_delayed = storage_class != nullptr &&
                          storage_class->object->volume_binding_mode == kWaitForFirstConsumer;
  if (!claim.spec.volume_name.empty()) {
    return volume_text(view, claim);
  }
  if (is_delayed) {
    return std::nullopt;
  }
  if (class_name.empty()) {
    return claim.spec.storage_class_name
               ? "asks for a volume without a class, and the PV controller has bound none to it yet"
               : "names no class, and there is no default one: the PV controller has bound no "
                 "volume to it yet";
  }
  if (storage_class == nullptr) {
    return fmt::format("is of class {}, which does not exist", class_name);
  }
  const std::string& provisioner = storage_class->object->provisioner;
  return fmt::format("is of class {}, which binds at once, and has no volume yet: {}",
                     class_name,
                     provisioner.empty() || provisioner == kNoProvisioner
                         ? "the class has no provisioner, so a volume has to be made by hand"
                         : "provisioner " + provisioner + " has yet to make one");
}

std::string owner_text(const api::PersistentVolumeClaim& claim) {
  const auto controller = std::ranges::find_if(
      claim.metadata.owner_references,
      [](const api::OwnerReference& owner) { return owner.controller.value_or(false); });
  if (controller == claim.metadata.owner_references.end()) {
    return "nobody";
  }
  return fmt::format("{} {} (uid {})", controller->kind, controller->name, controller->uid);
}

std::optional<Finding> explain_claim(const View& view,
                                     const api::Pod& pod,
                                     const ClaimName& wanted,
                                     const std::string& volume_name) {
  Finding finding{.claim = claim_key(pod.metadata.ns, wanted.name)};
  const ClaimEntry* entry = view.find_claim(finding.claim);
  if (entry == nullptr) {
    finding.kind =
        wanted.is_ephemeral ? FindingKind::kEphemeralMissing : FindingKind::kClaimMissing;
    finding.text = wanted.is_ephemeral
                       ? fmt::format(
                             "of ephemeral volume {} has not been created yet by the "
                             "ephemeral volume controller",
                             volume_name)
                       : fmt::format("does not exist in namespace {}", pod.metadata.ns);
    return finding;
  }
  const api::PersistentVolumeClaim& claim = *entry->stored;
  finding.volume = claim.spec.volume_name;
  finding.requested = has_request(claim) ? size_text(request_of(claim)) : "";
  if (claim.status.phase == "Lost") {
    finding.kind = FindingKind::kClaimLost;
    finding.text =
        fmt::format("is Lost: its volume {} is gone, and what was on it", claim.spec.volume_name);
  } else if (claim.metadata.deletion_timestamp) {
    finding.kind = FindingKind::kClaimDeleted;
    finding.text = "is being deleted";
  } else if (wanted.is_ephemeral && !is_made_for(claim, pod)) {
    finding.kind = FindingKind::kNotOwner;
    finding.text = fmt::format(
        "is not this pod's: ephemeral volume {} needs a claim of this name that the pod (uid {}) "
        "controls, and this one is controlled by {}",
        volume_name,
        pod.metadata.uid.empty() ? "none yet" : pod.metadata.uid,
        owner_text(claim));
  } else if (auto unbound = unbound_text(view, *entry->current())) {
    finding.kind = FindingKind::kUnboundImmediate;
    finding.text = *std::move(unbound);
  } else {
    return std::nullopt;
  }
  return finding;
}

}  // namespace

std::vector<Finding> explain_pod(const View& view, const api::Pod& pod) {
  std::vector<Finding> findings;
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto wanted = claim_name_of(pod, volume);
    if (!wanted) {
      continue;
    }
    auto finding = explain_claim(view, pod, *wanted, volume.name);
    if (finding && std::ranges::find(findings, *finding) == findings.end()) {
      findings.push_back(*std::move(finding));
    }
  }
  return findings;
}

}  // namespace berth::volumes
