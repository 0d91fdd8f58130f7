// A pod: every field that scheduling, binding or admission reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/container.h"
#include "api/objects/meta.h"
#include "api/objects/pod_volume.h"
#include "api/objects/references.h"
#include "api/objects/resources.h"

namespace berth::api {

struct HostAlias {
  std::string ip;
  std::vector<std::string> hostnames;

  static const Table& table();
  bool operator==(const HostAlias&) const = default;
};

struct PodReadinessGate {
  std::string condition_type;

  static const Table& table();
  bool operator==(const PodReadinessGate&) const = default;
};

struct PodOS {
  std::string name;

  static const Table& table();
  bool operator==(const PodOS&) const = default;
};

struct PodSchedulingGate {
  std::string name;

  static const Table& table();
  bool operator==(const PodSchedulingGate&) const = default;
};

struct PodResourceClaim {
  std::string name;
  std::optional<std::string> resource_claim_name;
  std::optional<std::string> resource_claim_template_name;

  static const Table& table();
  bool operator==(const PodResourceClaim&) const = default;
};

struct PodSchedulingGroup {
  std::optional<std::string> pod_group_name;

  static const Table& table();
  bool operator==(const PodSchedulingGroup&) const = default;
};

struct PodSpec {
  std::vector<Volume> volumes;
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  std::vector<EphemeralContainer> ephemeral_containers;
  std::string restart_policy;
  std::optional<std::int64_t> termination_grace_period_seconds;
  std::optional<std::int64_t> active_deadline_seconds;
  StringMap node_selector;
  std::string service_account_name;
  std::string node_name;
  bool host_network = false;
  std::vector<LocalObjectReference> image_pull_secrets;
  Box<Affinity> affinity;
  std::string scheduler_name;
  std::vector<Toleration> tolerations;
  std::vector<HostAlias> host_aliases;
  std::string priority_class_name;
  std::optional<std::int32_t> priority;
  std::vector<PodReadinessGate> readiness_gates;
  std::optional<std::string> runtime_class_name;
  std::optional<std::string> preemption_policy;
  ResourceList overhead;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  Box<PodOS> os;
  std::optional<bool> host_users;
  std::vector<PodSchedulingGate> scheduling_gates;
  std::vector<PodResourceClaim> resource_claims;
  Box<ResourceRequirements> resources;
  Box<PodSchedulingGroup> scheduling_group;

  static const Table& table();
  bool operator==(const PodSpec&) const = default;
};

struct PodCondition {
  std::string type;
  std::int64_t observed_generation = 0;
  std::string status;
  std::optional<Time> last_probe_time;
  std::optional<Time> last_transition_time;
  std::string reason;
  std::string message;

  static const Table& table();
  bool operator==(const PodCondition&) const = default;
};

struct HostIP {
  std::string ip;

  static const Table& table();
  bool operator==(const HostIP&) const = default;
};

struct PodIP {
  std::string ip;

  static const Table& table();
  bool operator==(const PodIP&) const = default;
};

struct PodResourceClaimStatus {
  std::string name;
  std::optional<std::string> resource_claim_name;

  static const Table& table();
  bool operator==(const PodResourceClaimStatus&) const = default;
};

struct ContainerExtendedResourceRequest {
  std::string container_name;
  std::string resource_name;
  std::string request_name;

  static const Table& table();
  bool operator==(const ContainerExtendedResourceRequest&) const = default;
};

struct PodExtendedResourceClaimStatus {
  std::vector<ContainerExtendedResourceRequest> request_mappings;
  std::string resource_claim_name;

  static const Table& table();
  bool operator==(const PodExtendedResourceClaimStatus&) const = default;
};

struct NodeAllocatableResourceClaimStatus {
  std::string resource_claim_name;
  std::vector<std::string> containers;
  ResourceList resources;

  static const Table& table();
  bool operator==(const NodeAllocatableResourceClaimStatus&) const = default;
};

struct PodStatus {
  std::int64_t observed_generation = 0;
  std::string phase;
  std::vector<PodCondition> conditions;
  std::string message;
  std::string reason;
  std::string nominated_node_name;
  std::string host_ip;
  std::vector<HostIP> host_ips;
  std::string pod_ip;
  std::vector<PodIP> pod_ips;
  std::optional<Time> start_time;
  std::vector<ContainerStatus> init_container_statuses;
  std::vector<ContainerStatus> container_statuses;
  std::string qos_class;
  std::string resize;
  std::vector<PodResourceClaimStatus> resource_claim_statuses;
  Box<PodExtendedResourceClaimStatus> extended_resource_claim_status;
  ResourceList allocated_resources;
  Box<ResourceRequirements> resources;
  std::vector<NodeAllocatableResourceClaimStatus> node_allocatable_resource_claim_statuses;

  static const Table& table();
  bool operator==(const PodStatus&) const = default;
};

struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;

  static constexpr Kind kKind{"", "v1", "Pod", "pods", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const Pod&) const = default;
};

}  // namespace berth::api
