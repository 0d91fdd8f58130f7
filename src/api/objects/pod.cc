#include "api/objects/pod.h"

#include "api/table.h"

namespace berth::api {

const Table& HostAlias::table() {
  using S = HostAlias;
  static const Table table{
      field("ip", 1, &S::ip),
      field("hostnames", 2, &S::hostnames),
  };
  return table;
}

const Table& PodReadinessGate::table() {
  using S = PodReadinessGate;
  static const Table table{
      field("conditionType", 1, &S::condition_type),
  };
  return table;
}

const Table& PodOS::table() {
  using S = PodOS;
  static const Table table{
      field("name", 1, &S::name),
  };
  return table;
}

const Table& PodSchedulingGate::table() {
  using S = PodSchedulingGate;
  static const Table table{
      field("name", 1, &S::name),
  };
  return table;
}

const Table& PodResourceClaim::table() {
  using S = PodResourceClaim;
  static const Table table{
      field("name", 1, &S::name),
      field("resourceClaimName", 3, &S::resource_claim_name),
      field("resourceClaimTemplateName", 4, &S::resource_claim_template_name),
  };
  return table;
}

const Table& PodSchedulingGroup::table() {
  using S = PodSchedulingGroup;
  static const Table table{
      field("podGroupName", 1, &S::pod_group_name),
  };
  return table;
}

const Table& PodSpec::table() {
  using S = PodSpec;
  static const Table table{
      field("volumes", 1, &S::volumes).merged_by("name").retaining_keys(),
      field("initContainers", 20, &S::init_containers).merged_by("name"),
      field("containers", 2, &S::containers).merged_by("name"),
      field("ephemeralContainers", 34, &S::ephemeral_containers).merged_by("name"),
      field("restartPolicy", 3, &S::restart_policy),
      field("terminationGracePeriodSeconds", 4, &S::termination_grace_period_seconds),
      field("activeDeadlineSeconds", 5, &S::active_deadline_seconds),
      field("nodeSelector", 7, &S::node_selector),
      field("serviceAccountName", 8, &S::service_account_name),
      field("nodeName", 10, &S::node_name),
      field("hostNetwork", 11, &S::host_network),
      field("imagePullSecrets", 15, &S::image_pull_secrets).merged_by("name"),
      field("affinity", 18, &S::affinity),
      field("schedulerName", 19, &S::scheduler_name),
      field("tolerations", 22, &S::tolerations),
      field("hostAliases", 23, &S::host_aliases).merged_by("ip"),
      field("priorityClassName", 24, &S::priority_class_name),
      field("priority", 25, &S::priority),
      field("readinessGates", 28, &S::readiness_gates),
      field("runtimeClassName", 29, &S::runtime_class_name),
      field("preemptionPolicy", 31, &S::preemption_policy),
      field("overhead", 32, &S::overhead),
      field("topologySpreadConstraints", 33, &S::topology_spread_constraints)
          .merged_by("topologyKey"),
      field("os", 36, &S::os),
      field("hostUsers", 37, &S::host_users),
      field("schedulingGates", 38, &S::scheduling_gates).merged_by("name"),
      field("resourceClaims", 39, &S::resource_claims).merged_by("name").retaining_keys(),
      field("resources", 40, &S::resources),
      field("schedulingGroup", 43, &S::scheduling_group),
  };
  return table;
}

const Table& PodCondition::table() {
  using S = PodCondition;
  static const Table table{
      field("type", 1, &S::type),
      field("observedGeneration", 7, &S::observed_generation),
      field("status", 2, &S::status),
      field("lastProbeTime", 3, &S::last_probe_time),
      field("lastTransitionTime", 4, &S::last_transition_time),
      field("reason", 5, &S::reason),
      field("message", 6, &S::message),
  };
  return table;
}

const Table& HostIP::table() {
  using S = HostIP;
  static const Table table{
      field("ip", 1, &S::ip),
  };
  return table;
}

const Table& PodIP::table() {
  using S = PodIP;
  static const Table table{
      field("ip", 1, &S::ip),
  };
  return table;
}

const Table& PodResourceClaimStatus::table() {
  using S = PodResourceClaimStatus;
  static const Table table{
      field("name", 1, &S::name),
      field("resourceClaimName", 2, &S::resource_claim_name),
  };
  return table;
}

const Table& ContainerExtendedResourceRequest::table() {
  using S = ContainerExtendedResourceRequest;
  static const Table table{
      field("containerName", 1, &S::container_name),
      field("resourceName", 2, &S::resource_name),
      field("requestName", 3, &S::request_name),
  };
  return table;
}

const Table& PodExtendedResourceClaimStatus::table() {
  using S = PodExtendedResourceClaimStatus;
  static const Table table{
      field("requestMappings", 1, &S::request_mappings),
      field("resourceClaimName", 2, &S::resource_claim_name),
  };
  return table;
}

const Table& NodeAllocatableResourceClaimStatus::table() {
  using S = NodeAllocatableResourceClaimStatus;
  static const Table table{
      field("resourceClaimName", 1, &S::resource_claim_name),
      field("containers", 2, &S::containers),
      field("resources", 3, &S::resources),
  };
  return table;
}

const Table& PodStatus::table() {
  using S = PodStatus;
  static const Table table{
      field("observedGeneration", 17, &S::observed_generation),
      field("phase", 1, &S::phase),
      field("conditions", 2, &S::conditions).merged_by("type"),
      field("message", 3, &S::message),
      field("reason", 4, &S::reason),
      field("nominatedNodeName", 11, &S::nominated_node_name),
      field("hostIP", 5, &S::host_ip),
      field("hostIPs", 16, &S::host_ips).merged_by("ip"),
      field("podIP", 6, &S::pod_ip),
      field("podIPs", 12, &S::pod_ips).merged_by("ip"),
      field("startTime", 7, &S::start_time),
      field("initContainerStatuses", 10, &S::init_container_statuses),
      field("containerStatuses", 8, &S::container_statuses),
      field("qosClass", 9, &S::qos_class),
      field("resize", 14, &S::resize),
      field("resourceClaimStatuses", 15, &S::resource_claim_statuses)
          .merged_by("name")
          .retaining_keys(),
      field("extendedResourceClaimStatus", 18, &S::extended_resource_claim_status),
      field("allocatedResources", 19, &S::allocated_resources),
      field("resources", 20, &S::resources),
      field(
          "nodeAllocatableResourceClaimStatuses", 21, &S::node_allocatable_resource_claim_statuses),
  };
  return table;
}

const Table& Pod::table() {
  using S = Pod;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
      field("status", 3, &S::status),
  };
  return table;
}

}  // namespace berth::api
