#include "api/objects/bind_request.h"

#include "api/table.h"

namespace berth::api {

const Table& ReceivedGpu::table() {
  using S = ReceivedGpu;
  static const Table table{
      json_field("count", &S::count),
      json_field("portion", &S::portion),
  };
  return table;
}

const Table& ResourceClaimAllocation::table() {
  using S = ResourceClaimAllocation;
  static const Table table{
      json_field("name", &S::name),
      json_field("allocation", &S::allocation),
  };
  return table;
}

const Table& BindRequestSpec::table() {
  using S = BindRequestSpec;
  static const Table table{
      json_field("podName", &S::pod_name),
      json_field("selectedNode", &S::selected_node),
      json_field("receivedResourceType", &S::received_resource_type),
      json_field("receivedGPU", &S::received_gpu),
      json_field("selectedGPUGroups", &S::selected_gpu_groups),
      json_field("resourceClaimAllocations", &S::resource_claim_allocations),
      json_field("backoffLimit", &S::backoff_limit),
  };
  return table;
}

const Table& BindRequestStatus::table() {
  using S = BindRequestStatus;
  static const Table table{
      json_field("phase", &S::phase),
      json_field("reason", &S::reason),
      json_field("failedAttempts", &S::failed_attempts),
  };
  return table;
}

const Table& BindRequest::table() {
  using S = BindRequest;
  static const Table table{
      json_field("metadata", &S::metadata),
      json_field("spec", &S::spec),
      json_field("status", &S::status),
  };
  return table;
}

}  // namespace berth::api
