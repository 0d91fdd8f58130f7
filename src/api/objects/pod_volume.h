// Volumes of a pod.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/members.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/references.h"
#include "api/objects/volume_sources.h"

namespace berth::api {

struct PersistentVolumeClaimVolumeSource {
  std::string claim_name;
  bool read_only = false;

  static const Table& table();
  bool operator==(const PersistentVolumeClaimVolumeSource&) const = default;
};

struct EphemeralVolumeSource {
  Box<PersistentVolumeClaimTemplate> volume_claim_template;

  static const Table& table();
  bool operator==(const EphemeralVolumeSource&) const = default;
};

struct KeyToPath {
  std::string key;
  std::string path;
  std::optional<std::int32_t> mode;

  static const Table& table();
  bool operator==(const KeyToPath&) const = default;
};

struct ConfigMapVolumeSource {
  LocalObjectReference reference;
  std::vector<KeyToPath> items;
  std::optional<std::int32_t> default_mode;
  std::optional<bool> optional;

  static const Table& table();
  bool operator==(const ConfigMapVolumeSource&) const = default;
};

struct ImageVolumeSource {
  std::string reference;
  std::string pull_policy;

  static const Table& table();
  bool operator==(const ImageVolumeSource&) const = default;
};

struct VolumeSource {
  Box<GCEPersistentDiskVolumeSource> gce_persistent_disk;
  Box<AWSElasticBlockStoreVolumeSource> aws_elastic_block_store;
  Box<ISCSIVolumeSource> iscsi;
  Box<PersistentVolumeClaimVolumeSource> persistent_volume_claim;
  Box<RBDVolumeSource> rbd;
  Box<CinderVolumeSource> cinder;
  Box<FCVolumeSource> fc;
  Box<AzureFileVolumeSource> azure_file;
  Box<ConfigMapVolumeSource> config_map;
  Box<VsphereVirtualDiskVolumeSource> vsphere_volume;
  Box<AzureDiskVolumeSource> azure_disk;
  Box<PortworxVolumeSource> portworx_volume;
  Box<CSIVolumeSource> csi;
  Box<EphemeralVolumeSource> ephemeral;
  Box<ImageVolumeSource> image;

  static const Table& table();
  bool operator==(const VolumeSource&) const = default;
};

struct Volume {
  std::string name;
  VolumeSource source;

  static const Table& table();
  bool operator==(const Volume&) const = default;
};

}  // namespace berth::api
