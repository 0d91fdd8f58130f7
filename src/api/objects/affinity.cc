#include "api/objects/affinity.h"

#include "api/table.h"

namespace berth::api {

const Table& NodeSelectorRequirement::table() {
  using S = NodeSelectorRequirement;
  static const Table table{
      field("key", 1, &S::key),
      field("operator", 2, &S::op),
      field("values", 3, &S::values),
  };
  return table;
}

const Table& NodeSelectorTerm::table() {
  using S = NodeSelectorTerm;
  static const Table table{
      field("matchExpressions", 1, &S::match_expressions),
      field("matchFields", 2, &S::match_fields),
  };
  return table;
}

const Table& NodeSelector::table() {
  using S = NodeSelector;
  static const Table table{
      field("nodeSelectorTerms", 1, &S::node_selector_terms),
  };
  return table;
}

const Table& PreferredSchedulingTerm::table() {
  using S = PreferredSchedulingTerm;
  static const Table table{
      field("weight", 1, &S::weight),
      field("preference", 2, &S::preference),
  };
  return table;
}

const Table& NodeAffinity::table() {
  using S = NodeAffinity;
  static const Table table{
      field("requiredDuringSchedulingIgnoredDuringExecution",
            1,
            &S::required_during_scheduling_ignored_during_execution),
      field("preferredDuringSchedulingIgnoredDuringExecution",
            2,
            &S::preferred_during_scheduling_ignored_during_execution),
  };
  return table;
}

const Table& PodAffinityTerm::table() {
  using S = PodAffinityTerm;
  static const Table table{
      field("labelSelector", 1, &S::label_selector),
      field("namespaces", 2, &S::namespaces),
      field("topologyKey", 3, &S::topology_key),
      field("namespaceSelector", 4, &S::namespace_selector),
      field("matchLabelKeys", 5, &S::match_label_keys),
      field("mismatchLabelKeys", 6, &S::mismatch_label_keys),
  };
  return table;
}

const Table& WeightedPodAffinityTerm::table() {
  using S = WeightedPodAffinityTerm;
  static const Table table{
      field("weight", 1, &S::weight),
      field("podAffinityTerm", 2, &S::pod_affinity_term),
  };
  return table;
}

const Table& PodAffinity::table() {
  using S = PodAffinity;
  static const Table table{
      field("requiredDuringSchedulingIgnoredDuringExecution",
            1,
            &S::required_during_scheduling_ignored_during_execution),
      field("preferredDuringSchedulingIgnoredDuringExecution",
            2,
            &S::preferred_during_scheduling_ignored_during_execution),
  };
  return table;
}

const Table& PodAntiAffinity::table() {
  using S = PodAntiAffinity;
  static const Table table{
      field("requiredDuringSchedulingIgnoredDuringExecution",
            1,
            &S::required_during_scheduling_ignored_during_execution),
      field("preferredDuringSchedulingIgnoredDuringExecution",
            2,
            &S::preferred_during_scheduling_ignored_during_execution),
  };
  return table;
}

const Table& Affinity::table() {
  using S = Affinity;
  static const Table table{
      field("nodeAffinity", 1, &S::node_affinity),
      field("podAffinity", 2, &S::pod_affinity),
      field("podAntiAffinity", 3, &S::pod_anti_affinity),
  };
  return table;
}

const Table& Taint::table() {
  using S = Taint;
  static const Table table{
      field("key", 1, &S::key),
      field("value", 2, &S::value),
      field("effect", 3, &S::effect),
      field("timeAdded", 4, &S::time_added),
  };
  return table;
}

const Table& Toleration::table() {
  using S = Toleration;
  static const Table table{
      field("key", 1, &S::key),
      field("operator", 2, &S::op),
      field("value", 3, &S::value),
      field("effect", 4, &S::effect),
      field("tolerationSeconds", 5, &S::toleration_seconds),
  };
  return table;
}

const Table& TopologySpreadConstraint::table() {
  using S = TopologySpreadConstraint;
  static const Table table{
      field("maxSkew", 1, &S::max_skew),
      field("topologyKey", 2, &S::topology_key),
      field("whenUnsatisfiable", 3, &S::when_unsatisfiable),
      field("labelSelector", 4, &S::label_selector),
      field("minDomains", 5, &S::min_domains),
      field("nodeAffinityPolicy", 6, &S::node_affinity_policy),
      field("nodeTaintsPolicy", 7, &S::node_taints_policy),
      field("matchLabelKeys", 8, &S::match_label_keys),
  };
  return table;
}

const Table& TopologySelectorLabelRequirement::table() {
  using S = TopologySelectorLabelRequirement;
  static const Table table{
      field("key", 1, &S::key),
      field("values", 2, &S::values),
  };
  return table;
}

const Table& TopologySelectorTerm::table() {
  using S = TopologySelectorTerm;
  static const Table table{
      field("matchLabelExpressions", 1, &S::match_label_expressions),
  };
  return table;
}

}  // namespace berth::api
