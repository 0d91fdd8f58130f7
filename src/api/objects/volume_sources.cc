#include "api/objects/volume_sources.h"

#include "api/table.h"

namespace berth::api {

const Table& GCEPersistentDiskVolumeSource::table() {
  using S = GCEPersistentDiskVolumeSource;
  static const Table table{
      field("pdName", 1, &S::pd_name),
      field("fsType", 2, &S::fs_type),
      field("partition", 3, &S::partition),
      field("readOnly", 4, &S::read_only),
  };
  return table;
}

const Table& AWSElasticBlockStoreVolumeSource::table() {
  using S = AWSElasticBlockStoreVolumeSource;
  static const Table table{
      field("volumeID", 1, &S::volume_id),
      field("fsType", 2, &S::fs_type),
      field("partition", 3, &S::partition),
      field("readOnly", 4, &S::read_only),
  };
  return table;
}

const Table& AzureDiskVolumeSource::table() {
  using S = AzureDiskVolumeSource;
  static const Table table{
      field("diskName", 1, &S::disk_name),
      field("diskURI", 2, &S::disk_uri),
      field("cachingMode", 3, &S::caching_mode),
      field("fsType", 4, &S::fs_type),
      field("readOnly", 5, &S::read_only),
      field("kind", 6, &S::kind),
  };
  return table;
}

const Table& AzureFileVolumeSource::table() {
  using S = AzureFileVolumeSource;
  static const Table table{
      field("secretName", 1, &S::secret_name),
      field("shareName", 2, &S::share_name),
      field("readOnly", 3, &S::read_only),
  };
  return table;
}

const Table& AzureFilePersistentVolumeSource::table() {
  using S = AzureFilePersistentVolumeSource;
  static const Table table{
      field("secretName", 1, &S::secret_name),
      field("shareName", 2, &S::share_name),
      field("readOnly", 3, &S::read_only),
      field("secretNamespace", 4, &S::secret_namespace),
  };
  return table;
}

const Table& CinderVolumeSource::table() {
  using S = CinderVolumeSource;
  static const Table table{
      field("volumeID", 1, &S::volume_id),
      field("fsType", 2, &S::fs_type),
      field("readOnly", 3, &S::read_only),
      field("secretRef", 4, &S::secret_ref),
  };
  return table;
}

const Table& CinderPersistentVolumeSource::table() {
  using S = CinderPersistentVolumeSource;
  static const Table table{
      field("volumeID", 1, &S::volume_id),
      field("fsType", 2, &S::fs_type),
      field("readOnly", 3, &S::read_only),
      field("secretRef", 4, &S::secret_ref),
  };
  return table;
}

const Table& VsphereVirtualDiskVolumeSource::table() {
  using S = VsphereVirtualDiskVolumeSource;
  static const Table table{
      field("volumePath", 1, &S::volume_path),
      field("fsType", 2, &S::fs_type),
      field("storagePolicyName", 3, &S::storage_policy_name),
      field("storagePolicyID", 4, &S::storage_policy_id),
  };
  return table;
}

const Table& PortworxVolumeSource::table() {
  using S = PortworxVolumeSource;
  static const Table table{
      field("volumeID", 1, &S::volume_id),
      field("fsType", 2, &S::fs_type),
      field("readOnly", 3, &S::read_only),
  };
  return table;
}

const Table& ISCSIVolumeSource::table() {
  using S = ISCSIVolumeSource;
  static const Table table{
      field("targetPortal", 1, &S::target_portal),
      field("iqn", 2, &S::iqn),
      field("lun", 3, &S::lun),
      field("iscsiInterface", 4, &S::iscsi_interface),
      field("fsType", 5, &S::fs_type),
      field("readOnly", 6, &S::read_only),
      field("portals", 7, &S::portals),
      field("chapAuthDiscovery", 8, &S::chap_auth_discovery),
      field("chapAuthSession", 11, &S::chap_auth_session),
      field("secretRef", 10, &S::secret_ref),
      field("initiatorName", 12, &S::initiator_name),
  };
  return table;
}

const Table& ISCSIPersistentVolumeSource::table() {
  using S = ISCSIPersistentVolumeSource;
  static const Table table{
      field("targetPortal", 1, &S::target_portal),
      field("iqn", 2, &S::iqn),
      field("lun", 3, &S::lun),
      field("iscsiInterface", 4, &S::iscsi_interface),
      field("fsType", 5, &S::fs_type),
      field("readOnly", 6, &S::read_only),
      field("portals", 7, &S::portals),
      field("chapAuthDiscovery", 8, &S::chap_auth_discovery),
      field("chapAuthSession", 11, &S::chap_auth_session),
      field("secretRef", 10, &S::secret_ref),
      field("initiatorName", 12, &S::initiator_name),
  };
  return table;
}

const Table& RBDVolumeSource::table() {
  using S = RBDVolumeSource;
  static const Table table{
      field("monitors", 1, &S::monitors),
      field("image", 2, &S::image),
      field("fsType", 3, &S::fs_type),
      field("pool", 4, &S::pool),
      field("user", 5, &S::user),
      field("keyring", 6, &S::keyring),
      field("secretRef", 7, &S::secret_ref),
      field("readOnly", 8, &S::read_only),
  };
  return table;
}

const Table& RBDPersistentVolumeSource::table() {
  using S = RBDPersistentVolumeSource;
  static const Table table{
      field("monitors", 1, &S::monitors),
      field("image", 2, &S::image),
      field("fsType", 3, &S::fs_type),
      field("pool", 4, &S::pool),
      field("user", 5, &S::user),
      field("keyring", 6, &S::keyring),
      field("secretRef", 7, &S::secret_ref),
      field("readOnly", 8, &S::read_only),
  };
  return table;
}

const Table& FCVolumeSource::table() {
  using S = FCVolumeSource;
  static const Table table{
      field("targetWWNs", 1, &S::target_wwns),
      field("lun", 2, &S::lun),
      field("fsType", 3, &S::fs_type),
      field("readOnly", 4, &S::read_only),
      field("wwids", 5, &S::wwids),
  };
  return table;
}

const Table& CSIVolumeSource::table() {
  using S = CSIVolumeSource;
  static const Table table{
      field("driver", 1, &S::driver),
      field("readOnly", 2, &S::read_only),
      field("fsType", 3, &S::fs_type),
      field("volumeAttributes", 4, &S::volume_attributes),
      field("nodePublishSecretRef", 5, &S::node_publish_secret_ref),
  };
  return table;
}

const Table& CSIPersistentVolumeSource::table() {
  using S = CSIPersistentVolumeSource;
  static const Table table{
      field("driver", 1, &S::driver),
      field("volumeHandle", 2, &S::volume_handle),
      field("readOnly", 3, &S::read_only),
      field("fsType", 4, &S::fs_type),
      field("volumeAttributes", 5, &S::volume_attributes),
      field("controllerPublishSecretRef", 6, &S::controller_publish_secret_ref),
      field("nodeStageSecretRef", 7, &S::node_stage_secret_ref),
      field("nodePublishSecretRef", 8, &S::node_publish_secret_ref),
      field("controllerExpandSecretRef", 9, &S::controller_expand_secret_ref),
      field("nodeExpandSecretRef", 10, &S::node_expand_secret_ref),
  };
  return table;
}

const Table& LocalVolumeSource::table() {
  using S = LocalVolumeSource;
  static const Table table{
      field("path", 1, &S::path),
      field("fsType", 2, &S::fs_type),
  };
  return table;
}

const Table& HostPathVolumeSource::table() {
  using S = HostPathVolumeSource;
  static const Table table{
      field("path", 1, &S::path),
      field("type", 2, &S::type),
  };
  return table;
}

}  // namespace berth::api
