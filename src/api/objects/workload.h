// What selects pods: services, replica sets, disruption budgets; and their classes and evictions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/meta.h"

namespace berth::api {

struct NamespaceSpec {
  std::vector<std::string> finalizers;

  static const Table& table();
  bool operator==(const NamespaceSpec&) const = default;
};

struct NamespaceStatus {
  std::string phase;

  static const Table& table();
  bool operator==(const NamespaceStatus&) const = default;
};

struct Namespace {
  ObjectMeta metadata;
  NamespaceSpec spec;
  NamespaceStatus status;

  static constexpr Kind kKind{"", "v1", "Namespace", "namespaces", Scope::kCluster};

  static const Table& table();
  bool operator==(const Namespace&) const = default;
};

struct ServiceSpec {
  StringMap selector;

  static const Table& table();
  bool operator==(const ServiceSpec&) const = default;
};

struct Service {
  ObjectMeta metadata;
  ServiceSpec spec;

  static constexpr Kind kKind{"", "v1", "Service", "services", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const Service&) const = default;
};

struct ReplicaSetSpec {
  std::optional<std::int32_t> replicas;
  Box<LabelSelector> selector;

  static const Table& table();
  bool operator==(const ReplicaSetSpec&) const = default;
};

struct ReplicaSet {
  ObjectMeta metadata;
  ReplicaSetSpec spec;

  static constexpr Kind kKind{"apps", "v1", "ReplicaSet", "replicasets", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const ReplicaSet&) const = default;
};

struct PodDisruptionBudgetSpec {
  std::optional<IntOrString> min_available;
  Box<LabelSelector> selector;
  std::optional<IntOrString> max_unavailable;
  std::optional<std::string> unhealthy_pod_eviction_policy;

  static const Table& table();
  bool operator==(const PodDisruptionBudgetSpec&) const = default;
};

struct PodDisruptionBudgetStatus {
  std::int64_t observed_generation = 0;
  Map<std::optional<Time>> disrupted_pods;
  std::int32_t disruptions_allowed = 0;
  std::int32_t current_healthy = 0;
  std::int32_t desired_healthy = 0;
  std::int32_t expected_pods = 0;
  std::vector<Condition> conditions;

  static const Table& table();
  bool operator==(const PodDisruptionBudgetStatus&) const = default;
};

struct PodDisruptionBudget {
  ObjectMeta metadata;
  PodDisruptionBudgetSpec spec;
  PodDisruptionBudgetStatus status;

  static constexpr Kind kKind{
      "policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const PodDisruptionBudget&) const = default;
};

struct Eviction {
  ObjectMeta metadata;
  Box<DeleteOptions> delete_options;

  static constexpr Kind kKind{"policy", "v1", "Eviction", "evictions", Scope::kNamespaced};

  static const Table& table();
  bool operator==(const Eviction&) const = default;
};

struct PriorityClass {
  ObjectMeta metadata;
  std::int32_t value = 0;
  bool global_default = false;
  std::string description;
  std::optional<std::string> preemption_policy;

  static constexpr Kind kKind{
      "scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", Scope::kCluster};

  static const Table& table();
  bool operator==(const PriorityClass&) const = default;
};

}  // namespace berth::api
