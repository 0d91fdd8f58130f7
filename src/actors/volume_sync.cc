#include "actors/volume_sync.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "actors/announce.h"
#include "actors/class_rules.h"
#include "actors/names.h"
#include "actors/pv_writes.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "volumes/names.h"
#include "volumes/rules.h"

namespace berth::actors {
namespace {

using api::PersistentVolume;
using api::PersistentVolumeClaim;

VolumeDecision becomes(const PersistentVolume& volume, std::string_view phase) {
  return {.write = volume_phase_write(volume, phase)};
}

// Said once: who has failed already stays it.
VolumeDecision fails(const PersistentVolume& volume, std::string_view reason, std::string note) {
  VolumeDecision decision{.write = volume_phase_write(volume, phase::kFailed, note)};
  if (decision.write) {
    decision.events = {announce(volume, Tone::kWarning, reason, std::move(note))};
  }
  return decision;
}

// Whoever made a volume deletes it, and CSI volumes have a driver for that. What nobody made, or a
// plugin that is not here, cannot be deleted; the words are those of kube-controller-manager.
VolumeDecision is_to_be_deleted(const PersistentVolume& volume) {
  const std::string* maker = volumes::find_annotation(volume.metadata, kProvisionedBy);
  if (maker != nullptr && !maker->empty()) {
    return maker_of(*maker).kind == Maker::Kind::kExternal
               ? VolumeDecision{}
               : fails(volume,
                       reason::kVolumeFailedDelete,
                       "no volume plugin matched name: " + *maker);
  }
  if (volume.spec.source.csi) {
    return {};
  }
  return fails(volume,
               reason::kVolumeFailedDelete,
               fmt::format("error getting deleter volume plugin for volume \"{}\": no volume "
                           "plugin matched",
                           volume.metadata.name));
}

VolumeDecision is_reclaimed(const PersistentVolume& volume) {
  const std::string* driver = volumes::find_annotation(volume.metadata, kMigratedTo);
  if (driver != nullptr && !driver->empty()) {
    return {};  // its driver does it
  }
  const std::string& policy = volume.spec.persistent_volume_reclaim_policy;
  if (policy == kRetain) {
    return {};
  }
  if (policy == kDelete) {
    return is_to_be_deleted(volume);
  }
  if (policy == kRecycle) {
    return fails(volume, reason::kVolumeFailedRecycle, "No recycler plugin found for the volume!");
  }
  return fails(volume,
               reason::kVolumeUnknownReclaimPolicy,
               "Volume has unrecognized PersistentVolumeReclaimPolicy");
}

VolumeDecision is_released(const PersistentVolume& volume) {
  return is_done_with(volume.status.phase) ? is_reclaimed(volume)
                                           : becomes(volume, phase::kReleased);
}

VolumeDecision awaits_claim(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  if (volumes::mode_of(volume.spec.volume_mode) == volumes::mode_of(claim.spec.volume_mode)) {
    return {.wakes_claim = true};
  }
  return {.events = {
              announce(volume,
                       Tone::kWarning,
                       reason::kVolumeMismatch,
                       fmt::format("Cannot bind PersistentVolume to requested "
                                   "PersistentVolumeClaim \"{}\" due to incompatible volumeMode.",
                                   claim.metadata.name)),
              announce(claim,
                       Tone::kWarning,
                       reason::kVolumeMismatch,
                       fmt::format("Cannot bind PersistentVolume \"{}\" to requested "
                                   "PersistentVolumeClaim due to incompatible volumeMode.",
                                   volume.metadata.name))}};
}

// The claim got another volume.
VolumeDecision is_left_over(const PersistentVolume& volume) {
  const bool was_made_for_it =
      volumes::find_annotation(volume.metadata, kProvisionedBy) != nullptr &&
      volume.spec.persistent_volume_reclaim_policy == kDelete;
  return was_made_for_it ? is_released(volume) : VolumeDecision{.write = unbind_write(volume)};
}

}  // namespace

bool is_done_with(std::string_view phase) {
  return phase == phase::kReleased || phase == phase::kFailed;
}

VolumeDecision decide(const VolumePicture& picture) {
  const PersistentVolume& volume = picture.volume;
  const std::string* maker = volumes::find_annotation(volume.metadata, kProvisionedBy);
  if (const auto mark = migration_mark(volume.metadata, maker)) {
    return {.write = annotations_write(volume,
                                       {{.key = std::string(kMigratedTo), .value = mark->value}})};
  }
  if (!volume.spec.claim_ref || volume.spec.claim_ref->uid.empty()) {
    return becomes(volume, phase::kAvailable);
  }
  const PersistentVolumeClaim* claim = picture.claim.object.get();
  const bool is_meant = claim != nullptr && claim->metadata.uid == volume.spec.claim_ref->uid;
  const bool is_sure =
      picture.claim.is_live || (claim == nullptr && is_done_with(volume.status.phase));
  if (!is_meant && !is_sure) {
    return {.must_look = true};
  }
  if (!is_meant) {
    return is_released(volume);
  }
  if (claim->spec.volume_name.empty()) {
    return awaits_claim(volume, *claim);
  }
  if (claim->spec.volume_name == volume.metadata.name) {
    return becomes(volume, phase::kBound);
  }
  // What is taken back here was perhaps given a moment ago.
  return picture.claim.is_live ? is_left_over(volume) : VolumeDecision{.must_look = true};
}

}  // namespace berth::actors
