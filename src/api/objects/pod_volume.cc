#include "api/objects/pod_volume.h"

#include "api/table.h"

namespace berth::api {

const Table& PersistentVolumeClaimVolumeSource::table() {
  using S = PersistentVolumeClaimVolumeSource;
  static const Table table{
      field("claimName", 1, &S::claim_name),
      field("readOnly", 2, &S::read_only),
  };
  return table;
}

const Table& EphemeralVolumeSource::table() {
  using S = EphemeralVolumeSource;
  static const Table table{
      field("volumeClaimTemplate", 1, &S::volume_claim_template),
  };
  return table;
}

const Table& KeyToPath::table() {
  using S = KeyToPath;
  static const Table table{
      field("key", 1, &S::key),
      field("path", 2, &S::path),
      field("mode", 3, &S::mode),
  };
  return table;
}

const Table& ConfigMapVolumeSource::table() {
  using S = ConfigMapVolumeSource;
  static const Table table{
      inlined(1, &S::reference),
      field("items", 2, &S::items),
      field("defaultMode", 3, &S::default_mode),
      field("optional", 4, &S::optional),
  };
  return table;
}

const Table& ImageVolumeSource::table() {
  using S = ImageVolumeSource;
  static const Table table{
      field("reference", 1, &S::reference),
      field("pullPolicy", 2, &S::pull_policy),
  };
  return table;
}

const Table& VolumeSource::table() {
  using S = VolumeSource;
  static const Table table{
      field("gcePersistentDisk", 3, &S::gce_persistent_disk),
      field("awsElasticBlockStore", 4, &S::aws_elastic_block_store),
      field("iscsi", 8, &S::iscsi),
      field("persistentVolumeClaim", 10, &S::persistent_volume_claim),
      field("rbd", 11, &S::rbd),
      field("cinder", 13, &S::cinder),
      field("fc", 17, &S::fc),
      field("azureFile", 18, &S::azure_file),
      field("configMap", 19, &S::config_map),
      field("vsphereVolume", 20, &S::vsphere_volume),
      field("azureDisk", 22, &S::azure_disk),
      field("portworxVolume", 24, &S::portworx_volume),
      field("csi", 28, &S::csi),
      field("ephemeral", 29, &S::ephemeral),
      field("image", 30, &S::image),
  };
  return table;
}

const Table& Volume::table() {
  using S = Volume;
  static const Table table{
      field("name", 1, &S::name),
      inlined(2, &S::source),
  };
  return table;
}

}  // namespace berth::api
