// What claims and volumes mean, one object or one pair at a time. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/members.h"
#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/quantity.h"

namespace berth::volumes {

using VolumePtr = std::shared_ptr<const api::PersistentVolume>;
using ClaimPtr = std::shared_ptr<const api::PersistentVolumeClaim>;

// "namespace/name": how claims are named in texts and indexes.
std::string claim_key(std::string_view ns, std::string_view name);
std::string claim_key(const api::PersistentVolumeClaim& claim);

// Null when the key is absent: presence and value are different questions.
const std::string* find_annotation(const api::ObjectMeta& metadata, std::string_view key);

// The beta annotation if it is there, even empty; else the field.
std::string_view class_of(const api::PersistentVolumeClaim& claim);
std::string_view class_of(const api::PersistentVolume& volume);

// "Filesystem" when unset.
std::string_view mode_of(const std::optional<std::string>& mode);
// Empty when unset.
std::string_view attributes_class_of(const std::optional<std::string>& name);

// Zero when there is none.
const api::Quantity& request_of(const api::PersistentVolumeClaim& claim);
const api::Quantity& capacity_of(const api::PersistentVolume& volume);
bool has_request(const api::PersistentVolumeClaim& claim);

// The PV controller has finished: a volume's name and the annotation. The phase is not asked.
bool is_fully_bound(const api::PersistentVolumeClaim& claim);
// The volume points at this claim: namespace and name are equal, and the uid is empty or equal.
bool is_bound_to(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);
// The access modes there are, as bits in the order of kAccessModes.
inline constexpr std::array<std::string_view, 4> kAccessModes = {
    "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"};
using ModeBits = std::uint8_t;
using ModeCounts = std::array<std::uint32_t, kAccessModes.size()>;
// Of the modes that are known; others are left out.
ModeBits known_modes(const std::vector<std::string>& access_modes);
bool has_unknown_mode(const std::vector<std::string>& access_modes);
// Every mode the claim wants is among the volume's.
bool offers_modes(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);

// The claim a volume of the pod stands for: named directly, or "<pod>-<volume>" of a generic
// ephemeral volume. Nothing for other volumes.
struct ClaimName {
  std::string name;
  bool is_ephemeral = false;
};
std::optional<ClaimName> claim_name_of(const api::Pod& pod, const api::Volume& volume);

// Whether the claim of an ephemeral volume was made for this very pod: the controlling owner has
// the pod's uid, in the pod's namespace.
bool is_made_for(const api::PersistentVolumeClaim& claim, const api::Pod& pod);
std::string not_owner_text(const api::PersistentVolumeClaim& claim, const api::Pod& pod);

// The volume pointed at the claim, as the scheduler writes it.
struct ClaimedVolume {
  VolumePtr volume;  // the given one when nothing changes
  bool is_changed = false;
};
ClaimedVolume claim_volume(const VolumePtr& volume, const api::PersistentVolumeClaim& claim);
// The claim asking for a volume on the node; a copy even when it asks for that already.
ClaimPtr select_node(const api::PersistentVolumeClaim& claim, std::string_view node);

}  // namespace berth::volumes
