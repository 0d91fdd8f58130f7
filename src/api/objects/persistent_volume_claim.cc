#include "api/objects/persistent_volume_claim.h"

#include "api/table.h"

namespace berth::api {

const Table& VolumeResourceRequirements::table() {
  using S = VolumeResourceRequirements;
  static const Table table{
      field("limits", 1, &S::limits),
      field("requests", 2, &S::requests),
  };
  return table;
}

const Table& PersistentVolumeClaimSpec::table() {
  using S = PersistentVolumeClaimSpec;
  static const Table table{
      field("accessModes", 1, &S::access_modes),
      field("selector", 4, &S::selector),
      field("resources", 2, &S::resources),
      field("volumeName", 3, &S::volume_name),
      field("storageClassName", 5, &S::storage_class_name),
      field("volumeMode", 6, &S::volume_mode),
      field("dataSource", 7, &S::data_source),
      field("dataSourceRef", 8, &S::data_source_ref),
      field("volumeAttributesClassName", 9, &S::volume_attributes_class_name),
  };
  return table;
}

const Table& PersistentVolumeClaimCondition::table() {
  using S = PersistentVolumeClaimCondition;
  static const Table table{
      field("type", 1, &S::type),
      field("status", 2, &S::status),
      field("lastProbeTime", 3, &S::last_probe_time),
      field("lastTransitionTime", 4, &S::last_transition_time),
      field("reason", 5, &S::reason),
      field("message", 6, &S::message),
  };
  return table;
}

const Table& ModifyVolumeStatus::table() {
  using S = ModifyVolumeStatus;
  static const Table table{
      field("targetVolumeAttributesClassName", 1, &S::target_volume_attributes_class_name),
      field("status", 2, &S::status),
  };
  return table;
}

const Table& PersistentVolumeClaimStatus::table() {
  using S = PersistentVolumeClaimStatus;
  static const Table table{
      field("phase", 1, &S::phase),
      field("accessModes", 2, &S::access_modes),
      field("capacity", 3, &S::capacity),
      field("conditions", 4, &S::conditions).merged_by("type"),
      field("allocatedResources", 5, &S::allocated_resources),
      field("allocatedResourceStatuses", 7, &S::allocated_resource_statuses),
      field("currentVolumeAttributesClassName", 8, &S::current_volume_attributes_class_name),
      field("modifyVolumeStatus", 9, &S::modify_volume_status),
  };
  return table;
}

const Table& PersistentVolumeClaim::table() {
  using S = PersistentVolumeClaim;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
      field("status", 3, &S::status),
  };
  return table;
}

const Table& PersistentVolumeClaimTemplate::table() {
  using S = PersistentVolumeClaimTemplate;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
  };
  return table;
}

}  // namespace berth::api
