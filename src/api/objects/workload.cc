#include "api/objects/workload.h"

#include "api/table.h"

namespace berth::api {

const Table& NamespaceSpec::table() {
  using S = NamespaceSpec;
  static const Table table{
      field("finalizers", 1, &S::finalizers),
  };
  return table;
}

const Table& NamespaceStatus::table() {
  using S = NamespaceStatus;
  static const Table table{
      field("phase", 1, &S::phase),
  };
  return table;
}

const Table& Namespace::table() {
  using S = Namespace;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
      field("status", 3, &S::status),
  };
  return table;
}

const Table& ServiceSpec::table() {
  using S = ServiceSpec;
  static const Table table{
      field("selector", 2, &S::selector),
  };
  return table;
}

const Table& Service::table() {
  using S = Service;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
  };
  return table;
}

const Table& ReplicaSetSpec::table() {
  using S = ReplicaSetSpec;
  static const Table table{
      field("replicas", 1, &S::replicas),
      field("selector", 2, &S::selector),
  };
  return table;
}

const Table& ReplicaSet::table() {
  using S = ReplicaSet;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
  };
  return table;
}

const Table& PodDisruptionBudgetSpec::table() {
  using S = PodDisruptionBudgetSpec;
  static const Table table{
      field("minAvailable", 1, &S::min_available),
      field("selector", 2, &S::selector).replaced(),
      field("maxUnavailable", 3, &S::max_unavailable),
      field("unhealthyPodEvictionPolicy", 4, &S::unhealthy_pod_eviction_policy),
  };
  return table;
}

const Table& PodDisruptionBudgetStatus::table() {
  using S = PodDisruptionBudgetStatus;
  static const Table table{
      field("observedGeneration", 1, &S::observed_generation),
      field("disruptedPods", 2, &S::disrupted_pods),
      field("disruptionsAllowed", 3, &S::disruptions_allowed),
      field("currentHealthy", 4, &S::current_healthy),
      field("desiredHealthy", 5, &S::desired_healthy),
      field("expectedPods", 6, &S::expected_pods),
      field("conditions", 7, &S::conditions).merged_by("type"),
  };
  return table;
}

const Table& PodDisruptionBudget::table() {
  using S = PodDisruptionBudget;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
      field("status", 3, &S::status),
  };
  return table;
}

const Table& Eviction::table() {
  using S = Eviction;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("deleteOptions", 2, &S::delete_options),
  };
  return table;
}

const Table& PriorityClass::table() {
  using S = PriorityClass;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("value", 2, &S::value),
      field("globalDefault", 3, &S::global_default),
      field("description", 4, &S::description),
      field("preemptionPolicy", 5, &S::preemption_policy),
  };
  return table;
}

}  // namespace berth::api
