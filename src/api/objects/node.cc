#include "api/objects/node.h"

#include "api/table.h"

namespace berth::api {

const Table& NodeSpec::table() {
  using S = NodeSpec;
  static const Table table{
      field("podCIDR", 1, &S::pod_cidr),
      field("podCIDRs", 7, &S::pod_cidrs).merged(),
      field("providerID", 3, &S::provider_id),
      field("unschedulable", 4, &S::unschedulable),
      field("taints", 5, &S::taints),
  };
  return table;
}

const Table& NodeCondition::table() {
  using S = NodeCondition;
  static const Table table{
      field("type", 1, &S::type),
      field("status", 2, &S::status),
      field("lastHeartbeatTime", 3, &S::last_heartbeat_time),
      field("lastTransitionTime", 4, &S::last_transition_time),
      field("reason", 5, &S::reason),
      field("message", 6, &S::message),
  };
  return table;
}

const Table& NodeAddress::table() {
  using S = NodeAddress;
  static const Table table{
      field("type", 1, &S::type),
      field("address", 2, &S::address),
  };
  return table;
}

const Table& ContainerImage::table() {
  using S = ContainerImage;
  static const Table table{
      field("names", 1, &S::names),
      field("sizeBytes", 2, &S::size_bytes),
  };
  return table;
}

const Table& AttachedVolume::table() {
  using S = AttachedVolume;
  static const Table table{
      field("name", 1, &S::name),
      field("devicePath", 2, &S::device_path),
  };
  return table;
}

const Table& NodeStatus::table() {
  using S = NodeStatus;
  static const Table table{
      field("capacity", 1, &S::capacity),
      field("allocatable", 2, &S::allocatable),
      field("conditions", 4, &S::conditions).merged_by("type"),
      field("addresses", 5, &S::addresses).merged_by("type"),
      field("images", 8, &S::images),
      field("volumesInUse", 9, &S::volumes_in_use),
      field("volumesAttached", 10, &S::volumes_attached),
      field("declaredFeatures", 14, &S::declared_features),
  };
  return table;
}

const Table& Node::table() {
  using S = Node;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
      field("status", 3, &S::status),
  };
  return table;
}

}  // namespace berth::api
