// Keys, values and reasons that other components read: they stay as they are.
#pragma once

#include <string_view>

namespace berth::volumes {

inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kStorageProvisioner = "volume.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kBetaStorageProvisioner =
    "volume.beta.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kBetaStorageClass = "volume.beta.kubernetes.io/storage-class";
inline constexpr std::string_view kMigratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";
inline constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";
inline constexpr std::string_view kWaitForFirstConsumer = "WaitForFirstConsumer";
inline constexpr std::string_view kFilesystemMode = "Filesystem";
inline constexpr std::string_view kStorage = "storage";

inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegion = "topology.kubernetes.io/region";
inline constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
inline constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";

// Why a node cannot take a pod's volumes, in the order in which they are told.
inline constexpr std::string_view kNodeConflict =
    "node(s) didn't match PersistentVolume's node affinity";
inline constexpr std::string_view kBindConflict =
    "node(s) didn't find available persistent volumes to bind";
inline constexpr std::string_view kNotEnoughSpace = "node(s) did not have enough free storage";
inline constexpr std::string_view kVolumeNotExist =
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
// Why no node can.
inline constexpr std::string_view kUnboundImmediate =
    "pod has unbound immediate PersistentVolumeClaims";

}  // namespace berth::volumes
