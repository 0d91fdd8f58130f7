// The scheduler's order to the binder: put this pod onto that node (scheduling.run.ai/v1alpha2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/meta.h"

namespace berth::api {

struct ReceivedGpu {
  std::int64_t count = 0;
  std::string portion;

  static const Table& table();
  bool operator==(const ReceivedGpu&) const = default;
};

struct ResourceClaimAllocation {
  // The pod's own name for the claim (spec.resourceClaims[].name).
  std::string name;
  // A resource.k8s.io/v1 AllocationResult, on its way to the claim's status as it is.
  RawJson allocation;

  static const Table& table();
  bool operator==(const ResourceClaimAllocation&) const = default;
};

struct BindRequestSpec {
  std::string pod_name;
  std::string selected_node;
  std::string received_resource_type;
  Box<ReceivedGpu> received_gpu;
  std::vector<std::string> selected_gpu_groups;
  std::vector<ResourceClaimAllocation> resource_claim_allocations;
  std::optional<std::int32_t> backoff_limit;

  static const Table& table();
  bool operator==(const BindRequestSpec&) const = default;
};

struct BindRequestStatus {
  std::string phase;
  std::string reason;
  std::int32_t failed_attempts = 0;

  static const Table& table();
  bool operator==(const BindRequestStatus&) const = default;
};

struct BindRequest {
  ObjectMeta metadata;
  BindRequestSpec spec;
  BindRequestStatus status;

  static constexpr Kind kKind{"scheduling.run.ai",
                              "v1alpha2",
                              "BindRequest",
                              "bindrequests",
                              Scope::kNamespaced,
                              Wire::kJsonOnly};

  static const Table& table();
  bool operator==(const BindRequest&) const = default;
};

}  // namespace berth::api
