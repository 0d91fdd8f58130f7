#include "api/objects/resource_slice.h"

#include "api/table.h"

namespace berth::api {

const Table& ResourcePool::table() {
  using S = ResourcePool;
  static const Table table{
      field("name", 1, &S::name),
      field("generation", 2, &S::generation),
      field("resourceSliceCount", 3, &S::resource_slice_count),
  };
  return table;
}

const Table& Counter::table() {
  using S = Counter;
  static const Table table{
      field("value", 1, &S::value),
  };
  return table;
}

const Table& CounterSet::table() {
  using S = CounterSet;
  static const Table table{
      field("name", 1, &S::name),
      field("counters", 2, &S::counters),
  };
  return table;
}

const Table& CapacityRequestPolicyRange::table() {
  using S = CapacityRequestPolicyRange;
  static const Table table{
      field("min", 1, &S::min),
      field("max", 2, &S::max),
      field("step", 3, &S::step),
  };
  return table;
}

const Table& CapacityRequestPolicy::table() {
  using S = CapacityRequestPolicy;
  static const Table table{
      field("default", 1, &S::default_value),
      field("validValues", 3, &S::valid_values),
      field("validRange", 4, &S::valid_range),
  };
  return table;
}

const Table& DeviceCapacity::table() {
  using S = DeviceCapacity;
  static const Table table{
      field("value", 1, &S::value),
      field("requestPolicy", 2, &S::request_policy),
  };
  return table;
}

const Table& DeviceAttribute::table() {
  using S = DeviceAttribute;
  static const Table table{
      field("int", 2, &S::int_value),
      field("bool", 3, &S::bool_value),
      field("string", 4, &S::string_value),
      field("version", 5, &S::version),
      field("ints", 6, &S::ints),
      field("bools", 7, &S::bools),
      field("strings", 8, &S::strings),
      field("versions", 9, &S::versions),
  };
  return table;
}

const Table& DeviceCounterConsumption::table() {
  using S = DeviceCounterConsumption;
  static const Table table{
      field("counterSet", 1, &S::counter_set),
      field("counters", 2, &S::counters),
  };
  return table;
}

const Table& DeviceTaint::table() {
  using S = DeviceTaint;
  static const Table table{
      field("key", 1, &S::key),
      field("value", 2, &S::value),
      field("effect", 3, &S::effect),
      field("timeAdded", 4, &S::time_added),
  };
  return table;
}

const Table& NodeAllocatableResourceMapping::table() {
  using S = NodeAllocatableResourceMapping;
  static const Table table{
      field("capacityKey", 1, &S::capacity_key),
      field("allocationMultiplier", 2, &S::allocation_multiplier),
  };
  return table;
}

const Table& Device::table() {
  using S = Device;
  static const Table table{
      field("name", 1, &S::name),
      field("attributes", 2, &S::attributes),
      field("capacity", 3, &S::capacity),
      field("consumesCounters", 4, &S::consumes_counters),
      field("nodeName", 5, &S::node_name),
      field("nodeSelector", 6, &S::node_selector),
      field("allNodes", 7, &S::all_nodes),
      field("taints", 8, &S::taints),
      field("bindsToNode", 9, &S::binds_to_node),
      field("bindingConditions", 10, &S::binding_conditions),
      field("bindingFailureConditions", 11, &S::binding_failure_conditions),
      field("allowMultipleAllocations", 12, &S::allow_multiple_allocations),
      field("nodeAllocatableResourceMappings", 13, &S::node_allocatable_resource_mappings),
  };
  return table;
}

const Table& ResourceSliceSpec::table() {
  using S = ResourceSliceSpec;
  static const Table table{
      field("driver", 1, &S::driver),
      field("pool", 2, &S::pool),
      field("nodeName", 3, &S::node_name),
      field("nodeSelector", 4, &S::node_selector),
      field("allNodes", 5, &S::all_nodes),
      field("devices", 6, &S::devices),
      field("perDeviceNodeSelection", 7, &S::per_device_node_selection),
      field("sharedCounters", 8, &S::shared_counters),
  };
  return table;
}

const Table& ResourceSlice::table() {
  using S = ResourceSlice;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
  };
  return table;
}

const Table& DeviceClassConfiguration::table() {
  using S = DeviceClassConfiguration;
  static const Table table{
      inlined(1, &S::configuration),
  };
  return table;
}

const Table& DeviceClassSpec::table() {
  using S = DeviceClassSpec;
  static const Table table{
      field("selectors", 1, &S::selectors),
      field("config", 2, &S::config),
      field("extendedResourceName", 4, &S::extended_resource_name),
  };
  return table;
}

const Table& DeviceClass::table() {
  using S = DeviceClass;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
  };
  return table;
}

}  // namespace berth::api
