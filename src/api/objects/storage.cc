#include "api/objects/storage.h"

#include "api/table.h"

namespace berth::api {

const Table& StorageClass::table() {
  using S = StorageClass;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("provisioner", 2, &S::provisioner),
      field("parameters", 3, &S::parameters),
      field("reclaimPolicy", 4, &S::reclaim_policy),
      field("mountOptions", 5, &S::mount_options),
      field("allowVolumeExpansion", 6, &S::allow_volume_expansion),
      field("volumeBindingMode", 7, &S::volume_binding_mode),
      field("allowedTopologies", 8, &S::allowed_topologies),
  };
  return table;
}

const Table& VolumeNodeResources::table() {
  using S = VolumeNodeResources;
  static const Table table{
      field("count", 1, &S::count),
  };
  return table;
}

const Table& CSINodeDriver::table() {
  using S = CSINodeDriver;
  static const Table table{
      field("name", 1, &S::name),
      field("nodeID", 2, &S::node_id),
      field("topologyKeys", 3, &S::topology_keys),
      field("allocatable", 4, &S::allocatable),
  };
  return table;
}

const Table& CSINodeSpec::table() {
  using S = CSINodeSpec;
  static const Table table{
      field("drivers", 1, &S::drivers).merged_by("name"),
  };
  return table;
}

const Table& CSINode::table() {
  using S = CSINode;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
  };
  return table;
}

const Table& TokenRequest::table() {
  using S = TokenRequest;
  static const Table table{
      field("audience", 1, &S::audience),
      field("expirationSeconds", 2, &S::expiration_seconds),
  };
  return table;
}

const Table& CSIDriverSpec::table() {
  using S = CSIDriverSpec;
  static const Table table{
      field("attachRequired", 1, &S::attach_required),
      field("podInfoOnMount", 2, &S::pod_info_on_mount),
      field("volumeLifecycleModes", 3, &S::volume_lifecycle_modes),
      field("storageCapacity", 4, &S::storage_capacity),
      field("fsGroupPolicy", 5, &S::fs_group_policy),
      field("tokenRequests", 6, &S::token_requests),
      field("requiresRepublish", 7, &S::requires_republish),
      field("seLinuxMount", 8, &S::se_linux_mount),
      field("nodeAllocatableUpdatePeriodSeconds", 9, &S::node_allocatable_update_period_seconds),
      field("serviceAccountTokenInSecrets", 10, &S::service_account_token_in_secrets),
      field("preventPodSchedulingIfMissing", 11, &S::prevent_pod_scheduling_if_missing),
  };
  return table;
}

const Table& CSIDriver::table() {
  using S = CSIDriver;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
  };
  return table;
}

const Table& CSIStorageCapacity::table() {
  using S = CSIStorageCapacity;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("nodeTopology", 2, &S::node_topology),
      field("storageClassName", 3, &S::storage_class_name),
      field("capacity", 4, &S::capacity),
      field("maximumVolumeSize", 5, &S::maximum_volume_size),
  };
  return table;
}

const Table& VolumeAttachmentSource::table() {
  using S = VolumeAttachmentSource;
  static const Table table{
      field("persistentVolumeName", 1, &S::persistent_volume_name),
      field("inlineVolumeSpec", 2, &S::inline_volume_spec),
  };
  return table;
}

const Table& VolumeAttachmentSpec::table() {
  using S = VolumeAttachmentSpec;
  static const Table table{
      field("attacher", 1, &S::attacher),
      field("source", 2, &S::source),
      field("nodeName", 3, &S::node_name),
  };
  return table;
}

const Table& VolumeError::table() {
  using S = VolumeError;
  static const Table table{
      field("time", 1, &S::time),
      field("message", 2, &S::message),
      field("errorCode", 3, &S::error_code),
  };
  return table;
}

const Table& VolumeAttachmentStatus::table() {
  using S = VolumeAttachmentStatus;
  static const Table table{
      field("attached", 1, &S::attached),
      field("attachmentMetadata", 2, &S::attachment_metadata),
      field("attachError", 3, &S::attach_error),
      field("detachError", 4, &S::detach_error),
  };
  return table;
}

const Table& VolumeAttachment::table() {
  using S = VolumeAttachment;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
      field("status", 3, &S::status),
  };
  return table;
}

const Table& VolumeAttributesClass::table() {
  using S = VolumeAttributesClass;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("driverName", 2, &S::driver_name),
      field("parameters", 3, &S::parameters),
  };
  return table;
}

}  // namespace berth::api
