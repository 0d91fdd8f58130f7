// Disks: the volume sources that name a claim or a device, shared by pods and volumes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/members.h"
#include "api/objects/references.h"

namespace berth::api {

struct GCEPersistentDiskVolumeSource {
  std::string pd_name;
  std::string fs_type;
  std::int32_t partition = 0;
  bool read_only = false;

  static const Table& table();
  bool operator==(const GCEPersistentDiskVolumeSource&) const = default;
};

struct AWSElasticBlockStoreVolumeSource {
  std::string volume_id;
  std::string fs_type;
  std::int32_t partition = 0;
  bool read_only = false;

  static const Table& table();
  bool operator==(const AWSElasticBlockStoreVolumeSource&) const = default;
};

struct AzureDiskVolumeSource {
  std::string disk_name;
  std::string disk_uri;
  std::optional<std::string> caching_mode;
  std::optional<std::string> fs_type;
  std::optional<bool> read_only;
  std::optional<std::string> kind;

  static const Table& table();
  bool operator==(const AzureDiskVolumeSource&) const = default;
};

struct AzureFileVolumeSource {
  std::string secret_name;
  std::string share_name;
  bool read_only = false;

  static const Table& table();
  bool operator==(const AzureFileVolumeSource&) const = default;
};

struct AzureFilePersistentVolumeSource {
  std::string secret_name;
  std::string share_name;
  bool read_only = false;
  std::optional<std::string> secret_namespace;

  static const Table& table();
  bool operator==(const AzureFilePersistentVolumeSource&) const = default;
};

struct CinderVolumeSource {
  std::string volume_id;
  std::string fs_type;
  bool read_only = false;
  Box<LocalObjectReference> secret_ref;

  static const Table& table();
  bool operator==(const CinderVolumeSource&) const = default;
};

struct CinderPersistentVolumeSource {
  std::string volume_id;
  std::string fs_type;
  bool read_only = false;
  Box<SecretReference> secret_ref;

  static const Table& table();
  bool operator==(const CinderPersistentVolumeSource&) const = default;
};

struct VsphereVirtualDiskVolumeSource {
  std::string volume_path;
  std::string fs_type;
  std::string storage_policy_name;
  std::string storage_policy_id;

  static const Table& table();
  bool operator==(const VsphereVirtualDiskVolumeSource&) const = default;
};

struct PortworxVolumeSource {
  std::string volume_id;
  std::string fs_type;
  bool read_only = false;

  static const Table& table();
  bool operator==(const PortworxVolumeSource&) const = default;
};

struct ISCSIVolumeSource {
  std::string target_portal;
  std::string iqn;
  std::int32_t lun = 0;
  std::string iscsi_interface;
  std::string fs_type;
  bool read_only = false;
  std::vector<std::string> portals;
  bool chap_auth_discovery = false;
  bool chap_auth_session = false;
  Box<LocalObjectReference> secret_ref;
  std::optional<std::string> initiator_name;

  static const Table& table();
  bool operator==(const ISCSIVolumeSource&) const = default;
};

struct ISCSIPersistentVolumeSource {
  std::string target_portal;
  std::string iqn;
  std::int32_t lun = 0;
  std::string iscsi_interface;
  std::string fs_type;
  bool read_only = false;
  std::vector<std::string> portals;
  bool chap_auth_discovery = false;
  bool chap_auth_session = false;
  Box<SecretReference> secret_ref;
  std::optional<std::string> initiator_name;

  static const Table& table();
  bool operator==(const ISCSIPersistentVolumeSource&) const = default;
};

struct RBDVolumeSource {
  std::vector<std::string> monitors;
  std::string image;
  std::string fs_type;
  std::string pool;
  std::string user;
  std::string keyring;
  Box<LocalObjectReference> secret_ref;
  bool read_only = false;

  static const Table& table();
  bool operator==(const RBDVolumeSource&) const = default;
};

struct RBDPersistentVolumeSource {
  std::vector<std::string> monitors;
  std::string image;
  std::string fs_type;
  std::string pool;
  std::string user;
  std::string keyring;
  Box<SecretReference> secret_ref;
  bool read_only = false;

  static const Table& table();
  bool operator==(const RBDPersistentVolumeSource&) const = default;
};

struct FCVolumeSource {
  std::vector<std::string> target_wwns;
  std::optional<std::int32_t> lun;
  std::string fs_type;
  bool read_only = false;
  std::vector<std::string> wwids;

  static const Table& table();
  bool operator==(const FCVolumeSource&) const = default;
};

struct CSIVolumeSource {
  std::string driver;
  std::optional<bool> read_only;
  std::optional<std::string> fs_type;
  StringMap volume_attributes;
  Box<LocalObjectReference> node_publish_secret_ref;

  static const Table& table();
  bool operator==(const CSIVolumeSource&) const = default;
};

struct CSIPersistentVolumeSource {
  std::string driver;
  std::string volume_handle;
  bool read_only = false;
  std::string fs_type;
  StringMap volume_attributes;
  Box<SecretReference> controller_publish_secret_ref;
  Box<SecretReference> node_stage_secret_ref;
  Box<SecretReference> node_publish_secret_ref;
  Box<SecretReference> controller_expand_secret_ref;
  Box<SecretReference> node_expand_secret_ref;

  static const Table& table();
  bool operator==(const CSIPersistentVolumeSource&) const = default;
};

struct LocalVolumeSource {
  std::string path;
  std::optional<std::string> fs_type;

  static const Table& table();
  bool operator==(const LocalVolumeSource&) const = default;
};

struct HostPathVolumeSource {
  std::string path;
  std::optional<std::string> type;

  static const Table& table();
  bool operator==(const HostPathVolumeSource&) const = default;
};

}  // namespace berth::api
