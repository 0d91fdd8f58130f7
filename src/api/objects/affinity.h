// Where a pod may go: node selectors, affinity, taints and tolerations, spread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/members.h"
#include "api/objects/meta.h"

namespace berth::api {

struct NodeSelectorRequirement {
  std::string key;
  std::string op;
  std::vector<std::string> values;

  static const Table& table();
  bool operator==(const NodeSelectorRequirement&) const = default;
};

struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions;
  std::vector<NodeSelectorRequirement> match_fields;

  static const Table& table();
  bool operator==(const NodeSelectorTerm&) const = default;
};

struct NodeSelector {
  std::vector<NodeSelectorTerm> node_selector_terms;

  static const Table& table();
  bool operator==(const NodeSelector&) const = default;
};

struct PreferredSchedulingTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm preference;

  static const Table& table();
  bool operator==(const PreferredSchedulingTerm&) const = default;
};

struct NodeAffinity {
  Box<NodeSelector> required_during_scheduling_ignored_during_execution;
  std::vector<PreferredSchedulingTerm> preferred_during_scheduling_ignored_during_execution;

  static const Table& table();
  bool operator==(const NodeAffinity&) const = default;
};

struct PodAffinityTerm {
  Box<LabelSelector> label_selector;
  std::vector<std::string> namespaces;
  std::string topology_key;
  Box<LabelSelector> namespace_selector;
  std::vector<std::string> match_label_keys;
  std::vector<std::string> mismatch_label_keys;

  static const Table& table();
  bool operator==(const PodAffinityTerm&) const = default;
};

struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;
  PodAffinityTerm pod_affinity_term;

  static const Table& table();
  bool operator==(const WeightedPodAffinityTerm&) const = default;
};

struct PodAffinity {
  std::vector<PodAffinityTerm> required_during_scheduling_ignored_during_execution;
  std::vector<WeightedPodAffinityTerm> preferred_during_scheduling_ignored_during_execution;

  static const Table& table();
  bool operator==(const PodAffinity&) const = default;
};

struct PodAntiAffinity {
  std::vector<PodAffinityTerm> required_during_scheduling_ignored_during_execution;
  std::vector<WeightedPodAffinityTerm> preferred_during_scheduling_ignored_during_execution;

  static const Table& table();
  bool operator==(const PodAntiAffinity&) const = default;
};

struct Affinity {
  Box<NodeAffinity> node_affinity;
  Box<PodAffinity> pod_affinity;
  Box<PodAntiAffinity> pod_anti_affinity;

  static const Table& table();
  bool operator==(const Affinity&) const = default;
};

struct Taint {
  std::string key;
  std::string value;
  std::string effect;
  std::optional<Time> time_added;

  static const Table& table();
  bool operator==(const Taint&) const = default;
};

struct Toleration {
  std::string key;
  std::string op;
  std::string value;
  std::string effect;
  std::optional<std::int64_t> toleration_seconds;

  static const Table& table();
  bool operator==(const Toleration&) const = default;
};

struct TopologySpreadConstraint {
  std::int32_t max_skew = 0;
  std::string topology_key;
  std::string when_unsatisfiable;
  Box<LabelSelector> label_selector;
  std::optional<std::int32_t> min_domains;
  std::optional<std::string> node_affinity_policy;
  std::optional<std::string> node_taints_policy;
  std::vector<std::string> match_label_keys;

  static const Table& table();
  bool operator==(const TopologySpreadConstraint&) const = default;
};

struct TopologySelectorLabelRequirement {
  std::string key;
  std::vector<std::string> values;

  static const Table& table();
  bool operator==(const TopologySelectorLabelRequirement&) const = default;
};

struct TopologySelectorTerm {
  std::vector<TopologySelectorLabelRequirement> match_label_expressions;

  static const Table& table();
  bool operator==(const TopologySelectorTerm&) const = default;
};

}  // namespace berth::api
