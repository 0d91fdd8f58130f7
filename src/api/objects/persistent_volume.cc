#include "api/objects/persistent_volume.h"

#include "api/table.h"

namespace berth::api {

const Table& VolumeNodeAffinity::table() {
  using S = VolumeNodeAffinity;
  static const Table table{
      field("required", 1, &S::required),
  };
  return table;
}

const Table& PersistentVolumeSource::table() {
  using S = PersistentVolumeSource;
  static const Table table{
      field("gcePersistentDisk", 1, &S::gce_persistent_disk),
      field("awsElasticBlockStore", 2, &S::aws_elastic_block_store),
      field("hostPath", 3, &S::host_path),
      field("rbd", 6, &S::rbd),
      field("iscsi", 7, &S::iscsi),
      field("cinder", 8, &S::cinder),
      field("fc", 10, &S::fc),
      field("azureFile", 13, &S::azure_file),
      field("vsphereVolume", 14, &S::vsphere_volume),
      field("azureDisk", 16, &S::azure_disk),
      field("portworxVolume", 18, &S::portworx_volume),
      field("local", 20, &S::local),
      field("csi", 22, &S::csi),
  };
  return table;
}

const Table& PersistentVolumeSpec::table() {
  using S = PersistentVolumeSpec;
  static const Table table{
      field("capacity", 1, &S::capacity),
      inlined(2, &S::source),
      field("accessModes", 3, &S::access_modes),
      field("claimRef", 4, &S::claim_ref),
      field("persistentVolumeReclaimPolicy", 5, &S::persistent_volume_reclaim_policy),
      field("storageClassName", 6, &S::storage_class_name),
      field("mountOptions", 7, &S::mount_options),
      field("volumeMode", 8, &S::volume_mode),
      field("nodeAffinity", 9, &S::node_affinity),
      field("volumeAttributesClassName", 10, &S::volume_attributes_class_name),
  };
  return table;
}

const Table& PersistentVolumeStatus::table() {
  using S = PersistentVolumeStatus;
  static const Table table{
      field("phase", 1, &S::phase),
      field("message", 2, &S::message),
      field("reason", 3, &S::reason),
      field("lastPhaseTransitionTime", 4, &S::last_phase_transition_time),
  };
  return table;
}

const Table& PersistentVolume::table() {
  using S = PersistentVolume;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
      field("status", 3, &S::status),
  };
  return table;
}

}  // namespace berth::api
