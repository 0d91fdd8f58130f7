#include "volumes/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "base/error.h"
#include "volumes/bind_reason.h"
#include "volumes/names.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/versions.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

using api::PersistentVolume;
using api::PersistentVolumeClaim;

std::string not_found(std::string_view resource, std::string_view key) {
  return fmt::format("{} \"{}\" not found", resource, key);
}

// One evaluation. A check appends what it found to the answer and says whether to go on with the
// item: false when it is decided.
class WaitCheck {
 public:
  WaitCheck(const RecordedPlan& plan, const View& view, const Switches& switches)
      : plan_(plan), view_(view), switches_(switches) {}

  WaitAnswer run(const AwaitedVersions& awaited, const PodFacts& pod) {
    const auto node = view_.find_node_number(plan_.node.name);
    check_node(node);
    if (switches_.look_at_all_items || is_open()) {
      check_pod(pod);
    }
    if (!node || !answer_.problems.empty()) {
      return std::move(answer_);
    }
    node_ = *node;
    for (std::size_t i = 0; i < plan_.bindings.size() && is_open(); ++i) {
      check_binding(plan_.bindings[i], awaited.volumes[i]);
    }
    for (std::size_t i = 0; i < plan_.provisions.size() && is_open(); ++i) {
      check_provision(plan_.provisions[i], awaited.claims[i]);
    }
    return std::move(answer_);
  }

 private:
  // Whether there is something to be said still.
  bool is_open() const { return switches_.look_at_all_items || answer_.is_done(); }

  void fail(BindVerdict verdict, BindReason reason) {
    answer_.problems.push_back({.verdict = verdict, .reason = std::move(reason)});
  }
  void wait(BindReason reason) { answer_.pending.push_back(std::move(reason)); }

  void check_node(std::optional<std::size_t> number) {
    const std::string& name = plan_.node.name;
    if (!number) {
      fail(BindVerdict::kGiveUpNode,
           {.code = bind_reason::kNodeGone,
            .text = fmt::format("failed to get node \"{}\": {}", name, not_found("node", name))});
      return;
    }
    const std::string& uid = view_.node(*number)->metadata.uid;
    if (switches_.verify_uids && !plan_.node.uid.empty() && !uid.empty() && uid != plan_.node.uid) {
      fail(BindVerdict::kGiveUpNode,
           {.code = bind_reason::kNodeGone,
            .text = fmt::format("failed to get node \"{}\": another one has its name now", name),
            .key = "metadata.uid",
            .wanted = plan_.node.uid,
            .found = uid});
    }
  }

  void check_pod(const PodFacts& pod) {
    if (!pod.exists) {
      fail(BindVerdict::kGiveUpPod,
           {.code = bind_reason::kPodGone,
            .text = "pod does not exist any more: " + not_found("pod", plan_.pod.name)});
      return;
    }
    if (switches_.verify_uids && !pod.uid.empty() && pod.uid != plan_.pod.uid) {
      fail(BindVerdict::kGiveUpPod,
           {.code = bind_reason::kPodReplaced,
            .text = fmt::format("pod does not exist any more: another one is called \"{}\" now",
                                plan_.pod.name),
            .key = "metadata.uid",
            .wanted = plan_.pod.uid,
            .found = pod.uid});
    }
  }

  void check_binding(const RecordedBinding& binding, const std::string& awaited) {
    const std::string key = claim_key(binding.claim.ns, binding.claim.name);
    const std::string& name = binding.volume.name;
    const VolumeEntry* volume = view_.find_volume(name);
    const ClaimEntry* claim = view_.find_claim(key);
    // Which volume a claim has is for the PV controller to say; whether it will do, for us.
    if (switches_.verify_bound_volume && claim != nullptr &&
        !claim->stored->spec.volume_name.empty() && claim->stored->spec.volume_name != name) {
      if (check_identity(binding.claim, *claim->stored) && check_volume_of(*claim->stored)) {
        check_completed(*claim->stored);
      }
      return;
    }
    if (volume == nullptr) {
      fail(BindVerdict::kGiveUpNode,
           {.code = bind_reason::kVolumeGone,
            .text = "failed to check binding: " + not_found("persistentvolumes", name),
            .claim = key,
            .volume = name});
      return;
    }
    if (claim == nullptr) {
      fail(BindVerdict::kGiveUpPod,
           {.code = bind_reason::kClaimGone,
            .text = "failed to check binding: " + not_found("persistentvolumeclaims", key),
            .claim = key,
            .volume = name});
      return;
    }
    if (check_seen(volume->stored->metadata.resource_version, awaited, key, name) &&
        check_volume(*volume, key, "failed to translate pv to csi: ") &&
        check_reference(*volume->stored, binding) &&
        check_identity(binding.claim, *claim->stored) &&
        check_staying(*volume->stored, *claim->stored)) {
      check_completed(*claim->stored);
    }
  }

  void check_provision(const RecordedProvision& provision, const std::string& awaited) {
    const std::string key = claim_key(provision.claim.ns, provision.claim.name);
    const ClaimEntry* entry = view_.find_claim(key);
    if (entry == nullptr) {
      fail(BindVerdict::kGiveUpPod,
           {.code = bind_reason::kClaimGone,
            .text = "failed to check provisioning pvc: " + not_found("persistentvolumeclaims", key),
            .claim = key});
      return;
    }
    const PersistentVolumeClaim& claim = *entry->stored;
    if (check_seen(claim.metadata.resource_version, awaited, key, "") &&
        check_identity(provision.claim, claim) && check_selection(claim) &&
        (claim.spec.volume_name.empty() || check_volume_of(claim))) {
      check_completed(claim);
    }
  }

  // Whether the view shows what we wrote.
  bool check_seen(std::string_view seen,
                  const std::string& awaited,
                  const std::string& claim,
                  const std::string& volume) {
    if (has_seen(seen, awaited)) {
      return true;
    }
    wait({.code = bind_reason::kNotSeenYet,
          .text = fmt::format("waiting for the cache to show version {}", awaited),
          .claim = claim,
          .volume = volume,
          .key = "metadata.resourceVersion",
          .wanted = awaited,
          .found = std::string(seen)});
    return false;
  }

  // Whether the volume is reached from the node, as its driver there has it.
  bool check_volume(const VolumeEntry& volume,
                    const std::string& claim,
                    std::string_view translation_prefix) {
    const std::string& name = volume.stored->metadata.name;
    if (volume.translation_error && view_.migrated(*volume.plugin).contains(node_)) {
      fail(BindVerdict::kGiveUpNode,
           {.code = bind_reason::kVolumeUntranslatable,
            .text = fmt::format("{}could not translate pv: {}",
                                translation_prefix,
                                volume.translation_error->text()),
            .claim = claim,
            .volume = name});
      return false;
    }
    const ReachId reach = view_.reach_on(volume, node_);
    if (!view_.reached(reach).contains(node_)) {
      fail(BindVerdict::kGiveUpNode,
           {.code = bind_reason::kVolumeUnreachable,
            .text = fmt::format("pv \"{}\" node affinity doesn't match node \"{}\": {}",
                                name,
                                plan_.node.name,
                                view_.reach(reach).mismatch_text()),
            .claim = claim,
            .volume = name,
            .key = "spec.nodeAffinity",
            .wanted = plan_.node.name,
            .found = {}});
      return false;
    }
    return true;
  }

  // The volume the claim names itself.
  bool check_volume_of(const PersistentVolumeClaim& claim) {
    const std::string& name = claim.spec.volume_name;
    answer_.volumes.push_back(name);
    if (const VolumeEntry* volume = view_.find_volume(name)) {
      return check_volume(*volume, claim_key(claim), "");
    }
    wait({.code = bind_reason::kVolumeNotSeenYet,
          .text = fmt::format("waiting for the cache to show pv \"{}\"", name),
          .claim = claim_key(claim),
          .volume = name,
          .key = "spec.volumeName",
          .wanted = name,
          .found = {}});
    return false;
  }

  bool check_reference(const PersistentVolume& volume, const RecordedBinding& binding) {
    const std::string& name = volume.metadata.name;
    const std::string found = volume.spec.claim_ref ? volume.spec.claim_ref->uid : "";
    BindReason reason{.code = bind_reason::kReferenceReset,
                      .text = fmt::format("ClaimRef got reset for pv \"{}\"", name),
                      .claim = claim_key(binding.claim.ns, binding.claim.name),
                      .volume = name,
                      .key = "spec.claimRef.uid",
                      .wanted = binding.claim.uid,
                      .found = found};
    if (found.empty()) {
      fail(BindVerdict::kGiveUpNode, std::move(reason));
      return false;
    }
    if (switches_.verify_uids && found != binding.claim.uid) {
      reason.code = bind_reason::kVolumeTaken;
      reason.text = fmt::format("pv \"{}\" refers to another claim", name);
      fail(BindVerdict::kGiveUpNode, std::move(reason));
      return false;
    }
    return true;
  }

  // Whether it is the claim of the plan, and there to stay.
  bool check_identity(const RecordedObject& planned, const PersistentVolumeClaim& claim) {
    const std::string key = claim_key(claim);
    if (switches_.verify_uids && claim.metadata.uid != planned.uid) {
      // The one before, when the cache is behind the plan.
      if (!check_seen(claim.metadata.resource_version, planned.version, key, "")) {
        return false;
      }
      fail(BindVerdict::kGiveUpPod,
           {.code = bind_reason::kClaimReplaced,
            .text = fmt::format("PVC \"{}\" was deleted and created again", claim.metadata.name),
            .claim = key,
            .key = "metadata.uid",
            .wanted = planned.uid,
            .found = claim.metadata.uid});
      return false;
    }
    if (switches_.refuse_deleted_claims && claim.metadata.deletion_timestamp) {
      fail(BindVerdict::kGiveUpPod,
           {.code = bind_reason::kClaimDeleting,
            .text =
                fmt::format("persistentvolumeclaim \"{}\" is being deleted", claim.metadata.name),
            .claim = key,
            .key = "metadata.deletionTimestamp"});
      return false;
    }
    return true;
  }

  // Whether the claim still asks for a volume on this node.
  bool check_selection(const PersistentVolumeClaim& claim) {
    const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
    if (selected != nullptr && *selected == plan_.node.name) {
      return true;
    }
    const bool is_bare = claim.metadata.annotations.empty();
    fail(BindVerdict::kGiveUpNode,
         {.code = is_bare ? bind_reason::kSelectionReset : bind_reason::kProvisioningFailed,
          .text = fmt::format("{} for PVC \"{}\"",
                              is_bare ? "selectedNode annotation reset" : "provisioning failed",
                              claim.metadata.name),
          .claim = claim_key(claim),
          .key = std::string(kSelectedNode),
          .wanted = plan_.node.name,
          .found = selected != nullptr ? *selected : ""});
    return false;
  }

  // The PV controller leaves a volume that is going away alone, so nothing would ever come of it.
  bool check_staying(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
    if (!switches_.refuse_deleted_claims || !volume.metadata.deletion_timestamp ||
        volume.status.phase == kBound || is_fully_bound(claim)) {
      return true;
    }
    fail(BindVerdict::kGiveUpNode,
         {.code = bind_reason::kVolumeDeleting,
          .text = fmt::format("pv \"{}\" is being deleted", volume.metadata.name),
          .claim = claim_key(claim),
          .volume = volume.metadata.name,
          .key = "metadata.deletionTimestamp"});
    return false;
  }

  void check_completed(const PersistentVolumeClaim& claim) {
    const std::string& phase = claim.status.phase;
    if (switches_.wait_for_phase && phase == kLost) {
      fail(BindVerdict::kGiveUpPod,
           {.code = bind_reason::kClaimLost,
            .text = fmt::format(
                "persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                claim.metadata.name,
                claim.spec.volume_name),
            .claim = claim_key(claim),
            .volume = claim.spec.volume_name,
            .key = "status.phase",
            .wanted = std::string(kBound),
            .found = phase});
      return;
    }
    if (is_fully_bound(claim) && (!switches_.wait_for_phase || phase == kBound)) {
      return;
    }
    wait({.code = bind_reason::kNotBoundYet,
          .text = fmt::format("waiting for PVC \"{}\" to be bound", claim.metadata.name),
          .claim = claim_key(claim),
          .volume = claim.spec.volume_name,
          .key = is_fully_bound(claim) ? "status.phase" : std::string(kBindCompleted),
          .wanted = is_fully_bound(claim) ? std::string(kBound) : "",
          .found = is_fully_bound(claim) ? phase : ""});
  }

  static constexpr std::string_view kBound = "Bound";
  static constexpr std::string_view kLost = "Lost";

  const RecordedPlan& plan_;
  const View& view_;
  const Switches& switches_;
  std::size_t node_ = 0;
  WaitAnswer answer_;
};

}  // namespace

AwaitedVersions recorded_versions(const RecordedPlan& plan) {
  AwaitedVersions awaited;
  for (const RecordedBinding& binding : plan.bindings) {
    awaited.volumes.push_back(binding.volume.version);
  }
  for (const RecordedProvision& provision : plan.provisions) {
    awaited.claims.push_back(provision.claim.version);
  }
  return awaited;
}

WaitAnswer check_bound(const RecordedPlan& plan,
                       const AwaitedVersions& awaited,
                       const PodFacts& pod,
                       const View& view,
                       const Switches& switches) {
  return WaitCheck(plan, view, switches).run(awaited, pod);
}

}  // namespace berth::volumes
