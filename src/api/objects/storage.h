// Storage classes, CSI drivers and what they report, attachments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"

namespace berth::api {

struct StorageClass {
  ObjectMeta metadata;
  std::string provisioner;
  StringMap parameters;
  std::optional<std::string> reclaim_policy;
  std::vector<std::string> mount_options;
  std::optional<bool> allow_volume_expansion;
  std::optional<std::string> volume_binding_mode;
  std::vector<TopologySelectorTerm> allowed_topologies;

  static constexpr Kind kKind{
      "storage.k8s.io", "v1", "StorageClass", "storageclasses", Scope::kCluster};

  static const Table& table();
  bool operator==(const StorageClass&) const = default;
};

struct VolumeNodeResources {
  std::optional<std::int32_t> count;

  static const Table& table();
  bool operator==(const VolumeNodeResources&) const = default;
};

struct CSINodeDriver {
  std::string name;
  std::string node_id;
  std::vector<std::string> topology_keys;
  Box<VolumeNodeResources> allocatable;

  static const Table& table();
  bool operator==(const CSINodeDriver&) const = default;
};

struct CSINodeSpec {
  std::vector<CSINodeDriver> drivers;

  static const Table& table();
  bool operator==(const CSINodeSpec&) const = default;
};

struct CSINode {
  ObjectMeta metadata;
  CSINodeSpec spec;

  static constexpr Kind kKind{"storage.k8s.io", "v1", "CSINode", "csinodes", Scope::kCluster};

  static const Table& table();
  bool operator==(const CSINode&) const = default;
};

struct TokenRequest {
  std::string audience;
  std::optional<std::int64_t> expiration_seconds;

  static const Table& table();
  bool operator==(const TokenRequest&) const = default;
};

struct CSIDriverSpec {
  std::optional<bool> attach_required;
  std::optional<bool> pod_info_on_mount;
  std::vector<std::string> volume_lifecycle_modes;
  std::optional<bool> storage_capacity;
  std::optional<std::string> fs_group_policy;
  std::vector<TokenRequest> token_requests;
  std::optional<bool> requires_republish;
  std::optional<bool> se_linux_mount;
  std::optional<std::int64_t> node_allocatable_update_period_seconds;
  std::optional<bool> service_account_token_in_secrets;
  std::optional<bool> prevent_pod_scheduling_if_missing;

  static const Table& table();
  bool operator==(const CSIDriverSpec&) const = default;
};

struct CSIDriver {
  ObjectMeta metadata;
  CSIDriverSpec spec;

  static constexpr Kind kKind{"storage.k8s.io", "v1", "CSIDriver", "csidrivers", Scope::kCluster};

  static const Table& table();
  bool operator==(const CSIDriver&) const = default;
};

struct CSIStorageCapacity {
  ObjectMeta metadata;
  Box<LabelSelector> node_topology;
  std::string storage_class_name;
  std::optional<Quantity> capacity;
  std::optional<Quantity> maximum_volume_size;

  static constexpr Kind kKind{
      "storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const CSIStorageCapacity&) const = default;
};

struct VolumeAttachmentSource {
  std::optional<std::string> persistent_volume_name;
  Box<PersistentVolumeSpec> inline_volume_spec;

  static const Table& table();
  bool operator==(const VolumeAttachmentSource&) const = default;
};

struct VolumeAttachmentSpec {
  std::string attacher;
  VolumeAttachmentSource source;
  std::string node_name;

  static const Table& table();
  bool operator==(const VolumeAttachmentSpec&) const = default;
};

struct VolumeError {
  std::optional<Time> time;
  std::string message;
  std::optional<std::int32_t> error_code;

  static const Table& table();
  bool operator==(const VolumeError&) const = default;
};

struct VolumeAttachmentStatus {
  bool attached = false;
  StringMap attachment_metadata;
  Box<VolumeError> attach_error;
  Box<VolumeError> detach_error;

  static const Table& table();
  bool operator==(const VolumeAttachmentStatus&) const = default;
};

struct VolumeAttachment {
  ObjectMeta metadata;
  VolumeAttachmentSpec spec;
  VolumeAttachmentStatus status;

  static constexpr Kind kKind{
      "storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", Scope::kCluster};

  static const Table& table();
  bool operator==(const VolumeAttachment&) const = default;
};

struct VolumeAttributesClass {
  ObjectMeta metadata;
  std::string driver_name;
  StringMap parameters;

  static constexpr Kind kKind{
      "storage.k8s.io", "v1", "VolumeAttributesClass", "volumeattributesclasses", Scope::kCluster};

  static const Table& table();
  bool operator==(const VolumeAttributesClass&) const = default;
};

}  // namespace berth::api
