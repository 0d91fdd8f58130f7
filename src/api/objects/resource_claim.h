// Requests for devices and what was allocated (resource.k8s.io/v1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/meta.h"

namespace berth::api {

struct CELDeviceSelector {
  std::string expression;

  static const Table& table();
  bool operator==(const CELDeviceSelector&) const = default;
};

struct DeviceSelector {
  Box<CELDeviceSelector> cel;

  static const Table& table();
  bool operator==(const DeviceSelector&) const = default;
};

struct DeviceToleration {
  std::string key;
  std::string op;
  std::string value;
  std::string effect;
  std::optional<std::int64_t> toleration_seconds;

  static const Table& table();
  bool operator==(const DeviceToleration&) const = default;
};

struct CapacityRequirements {
  ResourceList requests;

  static const Table& table();
  bool operator==(const CapacityRequirements&) const = default;
};

struct ExactDeviceRequest {
  std::string device_class_name;
  std::vector<DeviceSelector> selectors;
  std::string allocation_mode;
  std::int64_t count = 0;
  std::optional<bool> admin_access;
  std::vector<DeviceToleration> tolerations;
  Box<CapacityRequirements> capacity;

  static const Table& table();
  bool operator==(const ExactDeviceRequest&) const = default;
};

struct DeviceSubRequest {
  std::string name;
  std::string device_class_name;
  std::vector<DeviceSelector> selectors;
  std::string allocation_mode;
  std::int64_t count = 0;
  std::vector<DeviceToleration> tolerations;
  Box<CapacityRequirements> capacity;

  static const Table& table();
  bool operator==(const DeviceSubRequest&) const = default;
};

struct DeviceRequest {
  std::string name;
  Box<ExactDeviceRequest> exactly;
  std::vector<DeviceSubRequest> first_available;

  static const Table& table();
  bool operator==(const DeviceRequest&) const = default;
};

struct DeviceConstraint {
  std::vector<std::string> requests;
  std::optional<std::string> match_attribute;
  std::optional<std::string> distinct_attribute;

  static const Table& table();
  bool operator==(const DeviceConstraint&) const = default;
};

struct OpaqueDeviceConfiguration {
  std::string driver;
  RawJson parameters;

  static const Table& table();
  bool operator==(const OpaqueDeviceConfiguration&) const = default;
};

struct DeviceConfiguration {
  Box<OpaqueDeviceConfiguration> opaque;

  static const Table& table();
  bool operator==(const DeviceConfiguration&) const = default;
};

struct DeviceClaimConfiguration {
  std::vector<std::string> requests;
  DeviceConfiguration configuration;

  static const Table& table();
  bool operator==(const DeviceClaimConfiguration&) const = default;
};

struct DeviceClaim {
  std::vector<DeviceRequest> requests;
  std::vector<DeviceConstraint> constraints;
  std::vector<DeviceClaimConfiguration> config;

  static const Table& table();
  bool operator==(const DeviceClaim&) const = default;
};

struct ResourceClaimSpec {
  DeviceClaim devices;

  static const Table& table();
  bool operator==(const ResourceClaimSpec&) const = default;
};

struct DeviceRequestAllocationResult {
  std::string request;
  std::string driver;
  std::string pool;
  std::string device;
  std::optional<bool> admin_access;
  std::vector<DeviceToleration> tolerations;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  std::optional<std::string> share_id;
  ResourceList consumed_capacity;

  static const Table& table();
  bool operator==(const DeviceRequestAllocationResult&) const = default;
};

struct DeviceAllocationConfiguration {
  std::string source;
  std::vector<std::string> requests;
  DeviceConfiguration configuration;

  static const Table& table();
  bool operator==(const DeviceAllocationConfiguration&) const = default;
};

struct DeviceAllocationResult {
  std::vector<DeviceRequestAllocationResult> results;
  std::vector<DeviceAllocationConfiguration> config;

  static const Table& table();
  bool operator==(const DeviceAllocationResult&) const = default;
};

struct AllocationResult {
  DeviceAllocationResult devices;
  Box<NodeSelector> node_selector;
  std::optional<Time> allocation_timestamp;

  static const Table& table();
  bool operator==(const AllocationResult&) const = default;
};

struct ResourceClaimConsumerReference {
  std::string api_group;
  std::string resource;
  std::string name;
  std::string uid;

  static const Table& table();
  bool operator==(const ResourceClaimConsumerReference&) const = default;
};

struct NetworkDeviceData {
  std::string interface_name;
  std::vector<std::string> ips;
  std::string hardware_address;

  static const Table& table();
  bool operator==(const NetworkDeviceData&) const = default;
};

struct AllocatedDeviceStatus {
  std::string driver;
  std::string pool;
  std::string device;
  std::optional<std::string> share_id;
  std::vector<Condition> conditions;
  RawJson data;
  Box<NetworkDeviceData> network_data;

  static const Table& table();
  bool operator==(const AllocatedDeviceStatus&) const = default;
};

struct ResourceClaimStatus {
  Box<AllocationResult> allocation;
  std::vector<ResourceClaimConsumerReference> reserved_for;
  std::vector<AllocatedDeviceStatus> devices;

  static const Table& table();
  bool operator==(const ResourceClaimStatus&) const = default;
};

struct ResourceClaim {
  ObjectMeta metadata;
  ResourceClaimSpec spec;
  ResourceClaimStatus status;

  static constexpr Kind kKind{
      "resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const ResourceClaim&) const = default;
};

struct ResourceClaimTemplateSpec {
  ObjectMeta metadata;
  ResourceClaimSpec spec;

  static const Table& table();
  bool operator==(const ResourceClaimTemplateSpec&) const = default;
};

struct ResourceClaimTemplate {
  ObjectMeta metadata;
  ResourceClaimTemplateSpec spec;

  static constexpr Kind kKind{"resource.k8s.io",
                              "v1",
                              "ResourceClaimTemplate",
                              "resourceclaimtemplates",
                              Scope::kNamespaced};

  static const Table& table();
  bool operator==(const ResourceClaimTemplate&) const = default;
};

}  // namespace berth::api
