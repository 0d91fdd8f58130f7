#include "actors/claim_sync.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/announce.h"
#include "actors/class_rules.h"
#include "actors/names.h"
#include "actors/pv_writes.h"
#include "actors/volume_match.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/names.h"
#include "volumes/objects.h"
#include "volumes/rules.h"
#include "volumes/writes.h"

namespace berth::actors {
namespace {

using api::PersistentVolume;
using api::PersistentVolumeClaim;

ClaimDecision bind_to(const volumes::VolumePtr& volume) {
  return {.bind = volume};
}

ClaimDecision stays_pending(const PersistentVolumeClaim& claim,
                            std::vector<kube::RecordedEvent> events = {}) {
  return {.write = claim_phase_write(claim, phase::kPending), .events = std::move(events)};
}

// Said once: who is lost already stays it.
ClaimDecision is_lost(const PersistentVolumeClaim& claim,
                      std::string_view reason,
                      std::string note) {
  ClaimDecision decision{.write = claim_phase_write(claim, phase::kLost)};
  if (claim.status.phase != phase::kLost) {
    decision.events = {announce(claim, Tone::kWarning, reason, std::move(note))};
  }
  return decision;
}

ClaimDecision waits_for_consumer(const ClaimPicture& picture) {
  const PersistentVolumeClaim& claim = picture.claim;
  const std::vector<std::string>& pods = picture.waiting_pods;
  if (pods.empty()) {
    return stays_pending(claim,
                         {announce(claim,
                                   Tone::kNormal,
                                   reason::kWaitForFirstConsumer,
                                   "waiting for first consumer to be created before binding")});
  }
  return stays_pending(claim,
                       {announce(claim,
                                 Tone::kNormal,
                                 reason::kWaitForPodScheduled,
                                 fmt::format("waiting for pod{} {} to be scheduled",
                                             pods.size() > 1 ? "s" : "",
                                             fmt::join(pods, ",")))});
}

// Who makes volumes is asked by annotation, and told to people. Nothing is said of the phase.
ClaimDecision asks_for_volume(const ClaimPicture& picture) {
  const PersistentVolumeClaim& claim = picture.claim;
  const auto fails = [&claim](std::string note) {
    return ClaimDecision{
        .events = {announce(claim, Tone::kWarning, reason::kProvisioningFailed, std::move(note))}};
  };
  if (picture.storage_class == nullptr) {
    return fails(volumes::class_not_found_text(volumes::class_of(claim)));
  }
  const Maker maker = maker_of(picture.storage_class->provisioner);
  if (maker.kind == Maker::Kind::kUnknown) {
    return fails(fmt::format("no volume plugin matched name: {}", maker.name));
  }
  std::vector<volumes::AnnotationChange> changes;
  const std::string* asked = volumes::find_annotation(claim.metadata, volumes::kStorageProvisioner);
  if (asked == nullptr || *asked != maker.name) {
    changes.push_back({.key = std::string(volumes::kBetaStorageProvisioner), .value = maker.name});
    changes.push_back({.key = std::string(volumes::kStorageProvisioner), .value = maker.name});
    if (const auto mark = migration_mark(claim.metadata, &maker.name)) {
      changes.push_back({.key = std::string(kMigratedTo), .value = mark->value});
    }
  }
  return {.write = annotations_write(claim, std::move(changes)),
          .events = {announce(
              claim,
              Tone::kNormal,
              reason::kExternalProvisioning,
              fmt::format("Waiting for a volume to be created either by the external provisioner "
                          "'{}' or manually by the system administrator. If volume creation is "
                          "delayed, please verify that the provisioner is running and correctly "
                          "registered.",
                          maker.name))}};
}

ClaimDecision takes_any(const ClaimPicture& picture) {
  const PersistentVolumeClaim& claim = picture.claim;
  const bool waits = is_delayed(picture.storage_class);
  auto match = find_match(claim, waits, picture.candidates);
  if (!match) {
    return {.trouble = std::move(match).error().in("finding a volume")};
  }
  if (*match) {
    return bind_to(*match);
  }
  if (!has_class(claim) && picture.default_class != nullptr) {
    return {.write = class_write(claim, picture.default_class->metadata.name)};
  }
  const bool is_selected =
      volumes::find_annotation(claim.metadata, volumes::kSelectedNode) != nullptr;
  if (waits && !is_selected) {
    return waits_for_consumer(picture);
  }
  if (!volumes::class_of(claim).empty()) {
    return asks_for_volume(picture);
  }
  return stays_pending(
      claim,
      {announce(claim,
                Tone::kNormal,
                reason::kFailedBinding,
                "no persistent volumes available for this claim and no storage class is set")});
}

ClaimDecision is_taken_by_another(const PersistentVolumeClaim& claim,
                                  const PersistentVolume& volume) {
  std::vector<kube::RecordedEvent> events = {announce(
      claim,
      Tone::kWarning,
      reason::kFailedBinding,
      fmt::format("volume \"{}\" already bound to a different claim.", volume.metadata.name))};
  if (volumes::find_annotation(claim.metadata, volumes::kBoundByController) == nullptr) {
    return stays_pending(claim, std::move(events));
  }
  // The volume was ours to give, and somebody took the mark of the finished binding away.
  return {.events = std::move(events),
          .trouble = Error(ErrorCode::kConflict,
                           fmt::format("volume {} is claimed by {}",
                                       volume.metadata.name,
                                       volumes::claim_key(volume.spec.claim_ref->ns,
                                                          volume.spec.claim_ref->name)))};
}

ClaimDecision takes_named(const ClaimPicture& picture) {
  const PersistentVolumeClaim& claim = picture.claim;
  if (!picture.named.object) {
    return stays_pending(claim);
  }
  const PersistentVolume& volume = *picture.named.object;
  if (volume.spec.claim_ref) {
    return volumes::is_bound_to(volume, claim) ? bind_to(picture.named.object)
                                               : is_taken_by_another(claim, volume);
  }
  const std::string why_not = mismatch(volume, claim);
  if (why_not.empty()) {
    return bind_to(picture.named.object);
  }
  return stays_pending(
      claim,
      {announce(claim,
                Tone::kWarning,
                reason::kVolumeMismatch,
                fmt::format(
                    "Cannot bind to requested volume \"{}\": {}", volume.metadata.name, why_not))});
}

ClaimDecision confirms(const ClaimPicture& picture) {
  const PersistentVolumeClaim& claim = picture.claim;
  if (claim.spec.volume_name.empty()) {
    return is_lost(
        claim,
        reason::kClaimLost,
        "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  }
  const Sight<PersistentVolume>& named = picture.named;
  const bool is_ours = named.object && (!named.object->spec.claim_ref ||
                                        named.object->spec.claim_ref->uid == claim.metadata.uid);
  if (is_ours) {
    return bind_to(named.object);
  }
  // Lost is for ever: that is not said because a cache is late.
  if (!named.is_live) {
    return {.must_look = true};
  }
  if (!named.object) {
    return is_lost(claim,
                   reason::kClaimLost,
                   "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  }
  return is_lost(claim,
                 reason::kClaimMisbound,
                 "Two claims are bound to the same volume, this one is bound incorrectly");
}

}  // namespace

ClaimDecision decide(const ClaimPicture& picture) {
  const PersistentVolumeClaim& claim = picture.claim;
  const std::string* asked = volumes::find_annotation(claim.metadata, volumes::kStorageProvisioner);
  if (asked == nullptr) {
    asked = volumes::find_annotation(claim.metadata, volumes::kBetaStorageProvisioner);
  }
  if (const auto mark = migration_mark(claim.metadata, asked)) {
    return {.write = annotations_write(claim,
                                       {{.key = std::string(kMigratedTo), .value = mark->value}})};
  }
  if (volumes::find_annotation(claim.metadata, volumes::kBindCompleted) != nullptr) {
    return confirms(picture);
  }
  return claim.spec.volume_name.empty() ? takes_any(picture) : takes_named(picture);
}

}  // namespace berth::actors
