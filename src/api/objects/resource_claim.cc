#include "api/objects/resource_claim.h"

#include "api/table.h"

namespace berth::api {

const Table& CELDeviceSelector::table() {
  using S = CELDeviceSelector;
  static const Table table{
      field("expression", 1, &S::expression),
  };
  return table;
}

const Table& DeviceSelector::table() {
  using S = DeviceSelector;
  static const Table table{
      field("cel", 1, &S::cel),
  };
  return table;
}

const Table& DeviceToleration::table() {
  using S = DeviceToleration;
  static const Table table{
      field("key", 1, &S::key),
      field("operator", 2, &S::op),
      field("value", 3, &S::value),
      field("effect", 4, &S::effect),
      field("tolerationSeconds", 5, &S::toleration_seconds),
  };
  return table;
}

const Table& CapacityRequirements::table() {
  using S = CapacityRequirements;
  static const Table table{
      field("requests", 1, &S::requests),
  };
  return table;
}

const Table& ExactDeviceRequest::table() {
  using S = ExactDeviceRequest;
  static const Table table{
      field("deviceClassName", 1, &S::device_class_name),
      field("selectors", 2, &S::selectors),
      field("allocationMode", 3, &S::allocation_mode),
      field("count", 4, &S::count),
      field("adminAccess", 5, &S::admin_access),
      field("tolerations", 6, &S::tolerations),
      field("capacity", 7, &S::capacity),
  };
  return table;
}

const Table& DeviceSubRequest::table() {
  using S = DeviceSubRequest;
  static const Table table{
      field("name", 1, &S::name),
      field("deviceClassName", 2, &S::device_class_name),
      field("selectors", 3, &S::selectors),
      field("allocationMode", 4, &S::allocation_mode),
      field("count", 5, &S::count),
      field("tolerations", 6, &S::tolerations),
      field("capacity", 7, &S::capacity),
  };
  return table;
}

const Table& DeviceRequest::table() {
  using S = DeviceRequest;
  static const Table table{
      field("name", 1, &S::name),
      field("exactly", 2, &S::exactly),
      field("firstAvailable", 3, &S::first_available),
  };
  return table;
}

const Table& DeviceConstraint::table() {
  using S = DeviceConstraint;
  static const Table table{
      field("requests", 1, &S::requests),
      field("matchAttribute", 2, &S::match_attribute),
      field("distinctAttribute", 3, &S::distinct_attribute),
  };
  return table;
}

const Table& OpaqueDeviceConfiguration::table() {
  using S = OpaqueDeviceConfiguration;
  static const Table table{
      field("driver", 1, &S::driver),
      field("parameters", 2, &S::parameters),
  };
  return table;
}

const Table& DeviceConfiguration::table() {
  using S = DeviceConfiguration;
  static const Table table{
      field("opaque", 1, &S::opaque),
  };
  return table;
}

const Table& DeviceClaimConfiguration::table() {
  using S = DeviceClaimConfiguration;
  static const Table table{
      field("requests", 1, &S::requests),
      inlined(2, &S::configuration),
  };
  return table;
}

const Table& DeviceClaim::table() {
  using S = DeviceClaim;
  static const Table table{
      field("requests", 1, &S::requests),
      field("constraints", 2, &S::constraints),
      field("config", 3, &S::config),
  };
  return table;
}

const Table& ResourceClaimSpec::table() {
  using S = ResourceClaimSpec;
  static const Table table{
      field("devices", 1, &S::devices),
  };
  return table;
}

const Table& DeviceRequestAllocationResult::table() {
  using S = DeviceRequestAllocationResult;
  static const Table table{
      field("request", 1, &S::request),
      field("driver", 2, &S::driver),
      field("pool", 3, &S::pool),
      field("device", 4, &S::device),
      field("adminAccess", 5, &S::admin_access),
      field("tolerations", 6, &S::tolerations),
      field("bindingConditions", 7, &S::binding_conditions),
      field("bindingFailureConditions", 8, &S::binding_failure_conditions),
      field("shareID", 9, &S::share_id),
      field("consumedCapacity", 10, &S::consumed_capacity),
  };
  return table;
}

const Table& DeviceAllocationConfiguration::table() {
  using S = DeviceAllocationConfiguration;
  static const Table table{
      field("source", 1, &S::source),
      field("requests", 2, &S::requests),
      inlined(3, &S::configuration),
  };
  return table;
}

const Table& DeviceAllocationResult::table() {
  using S = DeviceAllocationResult;
  static const Table table{
      field("results", 1, &S::results),
      field("config", 2, &S::config),
  };
  return table;
}

const Table& AllocationResult::table() {
  using S = AllocationResult;
  static const Table table{
      field("devices", 1, &S::devices),
      field("nodeSelector", 3, &S::node_selector),
      field("allocationTimestamp", 5, &S::allocation_timestamp),
  };
  return table;
}

const Table& ResourceClaimConsumerReference::table() {
  using S = ResourceClaimConsumerReference;
  static const Table table{
      field("apiGroup", 1, &S::api_group),
      field("resource", 3, &S::resource),
      field("name", 4, &S::name),
      field("uid", 5, &S::uid),
  };
  return table;
}

const Table& NetworkDeviceData::table() {
  using S = NetworkDeviceData;
  static const Table table{
      field("interfaceName", 1, &S::interface_name),
      field("ips", 2, &S::ips),
      field("hardwareAddress", 3, &S::hardware_address),
  };
  return table;
}

const Table& AllocatedDeviceStatus::table() {
  using S = AllocatedDeviceStatus;
  static const Table table{
      field("driver", 1, &S::driver),
      field("pool", 2, &S::pool),
      field("device", 3, &S::device),
      field("shareID", 7, &S::share_id),
      field("conditions", 4, &S::conditions),
      field("data", 5, &S::data),
      field("networkData", 6, &S::network_data),
  };
  return table;
}

const Table& ResourceClaimStatus::table() {
  using S = ResourceClaimStatus;
  static const Table table{
      field("allocation", 1, &S::allocation),
      field("reservedFor", 2, &S::reserved_for).merged_by("uid"),
      field("devices", 4, &S::devices),
  };
  return table;
}

const Table& ResourceClaim::table() {
  using S = ResourceClaim;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
      field("status", 3, &S::status),
  };
  return table;
}

const Table& ResourceClaimTemplateSpec::table() {
  using S = ResourceClaimTemplateSpec;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
  };
  return table;
}

const Table& ResourceClaimTemplate::table() {
  using S = ResourceClaimTemplate;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
  };
  return table;
}

}  // namespace berth::api
