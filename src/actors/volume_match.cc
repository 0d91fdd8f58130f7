#include "actors/volume_match.h"

#include <fmt/format.h>

#include <bit>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/names.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/rules/label_selector.h"
#include "base/result.h"
#include "volumes/rules.h"

namespace berth::actors {
namespace {

using volumes::VolumePtr;

bool is_same_mode(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  return volumes::mode_of(volume.spec.volume_mode) == volumes::mode_of(claim.spec.volume_mode);
}

bool has_same_attributes(const api::PersistentVolume& volume,
                         const api::PersistentVolumeClaim& claim) {
  return volumes::attributes_class_of(volume.spec.volume_attributes_class_name) ==
         volumes::attributes_class_of(claim.spec.volume_attributes_class_name);
}

// What a volume must fulfil even if it points at the claim.
bool could_serve(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  return volumes::capacity_of(volume).compare(volumes::request_of(claim)) >= 0 &&
         is_same_mode(volume, claim) && has_same_attributes(volume, claim) &&
         !volume.metadata.deletion_timestamp;
}

// By the number of modes, then which they are.
using ModeSet = std::pair<int, volumes::ModeBits>;
struct Group {
  std::vector<VolumePtr> pointing;
  std::vector<VolumePtr> free;
};

std::map<ModeSet, Group> groups_of(const api::PersistentVolumeClaim& claim,
                                   const Candidates& candidates) {
  std::map<ModeSet, Group> groups;
  const auto group_for = [&groups](const VolumePtr& volume) -> Group& {
    const volumes::ModeBits bits = volumes::known_modes(volume->spec.access_modes);
    return groups[{std::popcount(bits), bits}];
  };
  for (const VolumePtr& volume : candidates.pointing) {
    if (volumes::offers_modes(*volume, claim)) {
      group_for(volume).pointing.push_back(volume);
    }
  }
  for (const VolumePtr& volume : candidates.free) {
    if (volumes::offers_modes(*volume, claim)) {
      group_for(volume).free.push_back(volume);
    }
  }
  return groups;
}

VolumePtr find_pointing(const Group& group, const api::PersistentVolumeClaim& claim) {
  for (const VolumePtr& volume : group.pointing) {
    if (volumes::is_bound_to(*volume, claim) && could_serve(*volume, claim)) {
      return volume;
    }
  }
  return nullptr;
}

VolumePtr find_smallest(const Group& group,
                        const api::PersistentVolumeClaim& claim,
                        const std::optional<api::CompiledLabelSelector>& selector) {
  VolumePtr smallest;
  for (const VolumePtr& volume : group.free) {
    const bool fits = !volume->spec.claim_ref && could_serve(*volume, claim) &&
                      volume->status.phase == phase::kAvailable &&
                      volumes::class_of(*volume) == volumes::class_of(claim) &&
                      (!selector || selector->matches(volume->metadata.labels));
    if (fits &&
        (!smallest || volumes::capacity_of(*volume).compare(volumes::capacity_of(*smallest)) < 0)) {
      smallest = volume;
    }
  }
  return smallest;
}

}  // namespace

Result<VolumePtr> find_match(const api::PersistentVolumeClaim& claim,
                             bool is_delayed,
                             const Candidates& candidates) {
  std::optional<api::CompiledLabelSelector> selector;
  if (claim.spec.selector) {
    BERTH_TRY(selector, api::CompiledLabelSelector::compile(*claim.spec.selector));
  }
  for (const auto& [modes, group] : groups_of(claim, candidates)) {
    if (VolumePtr found = find_pointing(group, claim)) {
      return found;
    }
    if (is_delayed) {
      continue;  // which of the free ones is for the scheduler to say
    }
    if (VolumePtr found = find_smallest(group, claim, selector)) {
      return found;
    }
  }
  return VolumePtr();
}

std::string mismatch(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  if (volume.metadata.deletion_timestamp) {
    return fmt::format("the volume is marked for deletion \"{}\"", volume.metadata.name);
  }
  if (volumes::capacity_of(volume).value() < volumes::request_of(claim).value()) {
    return "requested PV is too small";
  }
  if (volumes::class_of(volume) != volumes::class_of(claim)) {
    return "storageClassName does not match";
  }
  if (!has_same_attributes(volume, claim)) {
    return "volumeAttributesClassName does not match";
  }
  if (!is_same_mode(volume, claim)) {
    return "incompatible volumeMode";
  }
  if (!volumes::offers_modes(volume, claim)) {
    return "incompatible accessMode";
  }
  return {};
}

}  // namespace berth::actors
