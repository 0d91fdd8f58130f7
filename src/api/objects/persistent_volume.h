// A piece of storage.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/meta.h"
#include "api/objects/references.h"
#include "api/objects/volume_sources.h"

namespace berth::api {

struct VolumeNodeAffinity {
  Box<NodeSelector> required;

  static const Table& table();
  bool operator==(const VolumeNodeAffinity&) const = default;
};

struct PersistentVolumeSource {
  Box<GCEPersistentDiskVolumeSource> gce_persistent_disk;
  Box<AWSElasticBlockStoreVolumeSource> aws_elastic_block_store;
  Box<HostPathVolumeSource> host_path;
  Box<RBDPersistentVolumeSource> rbd;
  Box<ISCSIPersistentVolumeSource> iscsi;
  Box<CinderPersistentVolumeSource> cinder;
  Box<FCVolumeSource> fc;
  Box<AzureFilePersistentVolumeSource> azure_file;
  Box<VsphereVirtualDiskVolumeSource> vsphere_volume;
  Box<AzureDiskVolumeSource> azure_disk;
  Box<PortworxVolumeSource> portworx_volume;
  Box<LocalVolumeSource> local;
  Box<CSIPersistentVolumeSource> csi;

  static const Table& table();
  bool operator==(const PersistentVolumeSource&) const = default;
};

struct PersistentVolumeSpec {
  ResourceList capacity;
  PersistentVolumeSource source;
  std::vector<std::string> access_modes;
  Box<ObjectReference> claim_ref;
  std::string persistent_volume_reclaim_policy;
  std::string storage_class_name;
  std::vector<std::string> mount_options;
  std::optional<std::string> volume_mode;
  Box<VolumeNodeAffinity> node_affinity;
  std::optional<std::string> volume_attributes_class_name;

  static const Table& table();
  bool operator==(const PersistentVolumeSpec&) const = default;
};

struct PersistentVolumeStatus {
  std::string phase;
  std::string message;
  std::string reason;
  std::optional<Time> last_phase_transition_time;

  static const Table& table();
  bool operator==(const PersistentVolumeStatus&) const = default;
};

struct PersistentVolume {
  ObjectMeta metadata;
  PersistentVolumeSpec spec;
  PersistentVolumeStatus status;

  static constexpr Kind kKind{"", "v1", "PersistentVolume", "persistentvolumes", Scope::kCluster};

  static const Table& table();
  bool operator==(const PersistentVolume&) const = default;
};

}  // namespace berth::api
