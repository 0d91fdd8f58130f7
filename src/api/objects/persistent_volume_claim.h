// A request for storage.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/meta.h"
#include "api/objects/references.h"

namespace berth::api {

struct VolumeResourceRequirements {
  ResourceList limits;
  ResourceList requests;

  static const Table& table();
  bool operator==(const VolumeResourceRequirements&) const = default;
};

struct PersistentVolumeClaimSpec {
  std::vector<std::string> access_modes;
  Box<LabelSelector> selector;
  VolumeResourceRequirements resources;
  std::string volume_name;
  std::optional<std::string> storage_class_name;
  std::optional<std::string> volume_mode;
  Box<TypedLocalObjectReference> data_source;
  Box<TypedObjectReference> data_source_ref;
  std::optional<std::string> volume_attributes_class_name;

  static const Table& table();
  bool operator==(const PersistentVolumeClaimSpec&) const = default;
};

struct PersistentVolumeClaimCondition {
  std::string type;
  std::string status;
  std::optional<Time> last_probe_time;
  std::optional<Time> last_transition_time;
  std::string reason;
  std::string message;

  static const Table& table();
  bool operator==(const PersistentVolumeClaimCondition&) const = default;
};

struct ModifyVolumeStatus {
  std::string target_volume_attributes_class_name;
  std::string status;

  static const Table& table();
  bool operator==(const ModifyVolumeStatus&) const = default;
};

struct PersistentVolumeClaimStatus {
  std::string phase;
  std::vector<std::string> access_modes;
  ResourceList capacity;
  std::vector<PersistentVolumeClaimCondition> conditions;
  ResourceList allocated_resources;
  StringMap allocated_resource_statuses;
  std::optional<std::string> current_volume_attributes_class_name;
  Box<ModifyVolumeStatus> modify_volume_status;

  static const Table& table();
  bool operator==(const PersistentVolumeClaimStatus&) const = default;
};

struct PersistentVolumeClaim {
  ObjectMeta metadata;
  PersistentVolumeClaimSpec spec;
  PersistentVolumeClaimStatus status;

  static constexpr Kind kKind{
      "", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const PersistentVolumeClaim&) const = default;
};

struct PersistentVolumeClaimTemplate {
  ObjectMeta metadata;
  PersistentVolumeClaimSpec spec;

  static const Table& table();
  bool operator==(const PersistentVolumeClaimTemplate&) const = default;
};

}  // namespace berth::api
