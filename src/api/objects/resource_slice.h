// Devices that drivers offer, and their classes (resource.k8s.io/v1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/meta.h"
#include "api/objects/resource_claim.h"

namespace berth::api {

struct ResourcePool {
  std::string name;
  std::int64_t generation = 0;
  std::int64_t resource_slice_count = 0;

  static const Table& table();
  bool operator==(const ResourcePool&) const = default;
};

struct Counter {
  Quantity value;

  static const Table& table();
  bool operator==(const Counter&) const = default;
};

struct CounterSet {
  std::string name;
  Map<Counter> counters;

  static const Table& table();
  bool operator==(const CounterSet&) const = default;
};

struct CapacityRequestPolicyRange {
  std::optional<Quantity> min;
  std::optional<Quantity> max;
  std::optional<Quantity> step;

  static const Table& table();
  bool operator==(const CapacityRequestPolicyRange&) const = default;
};

struct CapacityRequestPolicy {
  std::optional<Quantity> default_value;
  std::vector<Quantity> valid_values;
  Box<CapacityRequestPolicyRange> valid_range;

  static const Table& table();
  bool operator==(const CapacityRequestPolicy&) const = default;
};

struct DeviceCapacity {
  Quantity value;
  Box<CapacityRequestPolicy> request_policy;

  static const Table& table();
  bool operator==(const DeviceCapacity&) const = default;
};

struct DeviceAttribute {
  std::optional<std::int64_t> int_value;
  std::optional<bool> bool_value;
  std::optional<std::string> string_value;
  std::optional<std::string> version;
  std::vector<std::int64_t> ints;
  std::vector<Bool> bools;
  std::vector<std::string> strings;
  std::vector<std::string> versions;

  static const Table& table();
  bool operator==(const DeviceAttribute&) const = default;
};

struct DeviceCounterConsumption {
  std::string counter_set;
  Map<Counter> counters;

  static const Table& table();
  bool operator==(const DeviceCounterConsumption&) const = default;
};

struct DeviceTaint {
  std::string key;
  std::string value;
  std::string effect;
  std::optional<Time> time_added;

  static const Table& table();
  bool operator==(const DeviceTaint&) const = default;
};

struct NodeAllocatableResourceMapping {
  std::optional<std::string> capacity_key;
  std::optional<Quantity> allocation_multiplier;

  static const Table& table();
  bool operator==(const NodeAllocatableResourceMapping&) const = default;
};

struct Device {
  std::string name;
  Map<DeviceAttribute> attributes;
  Map<DeviceCapacity> capacity;
  std::vector<DeviceCounterConsumption> consumes_counters;
  std::optional<std::string> node_name;
  Box<NodeSelector> node_selector;
  std::optional<bool> all_nodes;
  std::vector<DeviceTaint> taints;
  std::optional<bool> binds_to_node;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  std::optional<bool> allow_multiple_allocations;
  Map<NodeAllocatableResourceMapping> node_allocatable_resource_mappings;

  static const Table& table();
  bool operator==(const Device&) const = default;
};

struct ResourceSliceSpec {
  std::string driver;
  ResourcePool pool;
  std::optional<std::string> node_name;
  Box<NodeSelector> node_selector;
  std::optional<bool> all_nodes;
  std::vector<Device> devices;
  std::optional<bool> per_device_node_selection;
  std::vector<CounterSet> shared_counters;

  static const Table& table();
  bool operator==(const ResourceSliceSpec&) const = default;
};

struct ResourceSlice {
  ObjectMeta metadata;
  ResourceSliceSpec spec;

  static constexpr Kind kKind{
      "resource.k8s.io", "v1", "ResourceSlice", "resourceslices", Scope::kCluster};

  static const Table& table();
  bool operator==(const ResourceSlice&) const = default;
};

struct DeviceClassConfiguration {
  DeviceConfiguration configuration;

  static const Table& table();
  bool operator==(const DeviceClassConfiguration&) const = default;
};

struct DeviceClassSpec {
  std::vector<DeviceSelector> selectors;
  std::vector<DeviceClassConfiguration> config;
  std::optional<std::string> extended_resource_name;

  static const Table& table();
  bool operator==(const DeviceClassSpec&) const = default;
};

struct DeviceClass {
  ObjectMeta metadata;
  DeviceClassSpec spec;

  static constexpr Kind kKind{
      "resource.k8s.io", "v1", "DeviceClass", "deviceclasses", Scope::kCluster};

  static const Table& table();
  bool operator==(const DeviceClass&) const = default;
};

}  // namespace berth::api
