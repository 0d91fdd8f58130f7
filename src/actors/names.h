// Keys, finalizers, phases and reasons of events that other components and people read.
// volumes/names.h has those that a scheduler needs too.
#pragma once

#include <string_view>

namespace berth::actors {

inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
inline constexpr std::string_view kMigratedTo = "pv.kubernetes.io/migrated-to";
inline constexpr std::string_view kPreResizeCapacity =
    "volume.alpha.kubernetes.io/pre-resize-capacity";
inline constexpr std::string_view kIsDefaultClass = "storageclass.kubernetes.io/is-default-class";
inline constexpr std::string_view kBetaIsDefaultClass =
    "storageclass.beta.kubernetes.io/is-default-class";
inline constexpr std::string_view kProvisionerFinalizer =
    "external-provisioner.volume.kubernetes.io/finalizer";
// Provisioners whose names begin so are part of Kubernetes.
inline constexpr std::string_view kInTreePrefix = "kubernetes.io/";

inline constexpr std::string_view kRetain = "Retain";
inline constexpr std::string_view kDelete = "Delete";
inline constexpr std::string_view kRecycle = "Recycle";

namespace phase {

inline constexpr std::string_view kPending = "Pending";
inline constexpr std::string_view kAvailable = "Available";
inline constexpr std::string_view kBound = "Bound";
inline constexpr std::string_view kReleased = "Released";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kLost = "Lost";

}  // namespace phase

namespace reason {

inline constexpr std::string_view kClaimLost = "ClaimLost";
inline constexpr std::string_view kClaimMisbound = "ClaimMisbound";
inline constexpr std::string_view kExternalProvisioning = "ExternalProvisioning";
inline constexpr std::string_view kFailedBinding = "FailedBinding";
inline constexpr std::string_view kProvisioning = "Provisioning";
inline constexpr std::string_view kProvisioningFailed = "ProvisioningFailed";
inline constexpr std::string_view kProvisioningSucceeded = "ProvisioningSucceeded";
inline constexpr std::string_view kVolumeFailedDelete = "VolumeFailedDelete";
inline constexpr std::string_view kVolumeFailedRecycle = "VolumeFailedRecycle";
inline constexpr std::string_view kVolumeMismatch = "VolumeMismatch";
inline constexpr std::string_view kVolumeUnknownReclaimPolicy = "VolumeUnknownReclaimPolicy";
inline constexpr std::string_view kWaitForFirstConsumer = "WaitForFirstConsumer";
inline constexpr std::string_view kWaitForPodScheduled = "WaitForPodScheduled";

}  // namespace reason

}  // namespace berth::actors
