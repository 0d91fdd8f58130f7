// Rows of the set `selectors`.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/meta.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/pod.h"
#include "api/rules/toleration.h"
#include "base/result.h"
#include "difference.h"

namespace berth::vector_check {

struct Outcome {
  bool is_match = false;
  std::optional<std::string> error;
};

// The rules about one node, given by name and labels.
struct NodeRules {
  std::optional<std::string> (*fault)(const api::NodeSelector&);
  Outcome (*node_selector)(const api::NodeSelector&, const api::Node&);
  Outcome (*required)(const api::PodSpec&, const api::Node&);
  Result<std::int64_t> (*preferred)(const std::vector<api::PreferredSchedulingTerm>&,
                                    const api::Node&);
  Outcome (*volume)(const api::Box<api::VolumeNodeAffinity>&, const api::Node&);
  bool (*topologies)(const std::vector<api::TopologySelectorTerm>&, const api::Node&);
};

// The same rules in the form that narrows sets of nodes, asked about one node of several.
struct NodeSetRules {
  bool (*node_selector)(const api::NodeSelector&, const api::Node&);
  bool (*required)(const api::PodSpec&, const api::Node&);
  std::int64_t (*preferred)(const std::vector<api::PreferredSchedulingTerm>&, const api::Node&);
  bool (*volume)(const api::Box<api::VolumeNodeAffinity>&, const api::Node&);
  bool (*topologies)(const std::vector<api::TopologySelectorTerm>&, const api::Node&);
};

// The rules under test. The defaults are the product's; a test of this checker replaces one by a
// wrong rule and expects the rows that tell.
struct SelectorRules {
  using Comparison = api::ComparisonOperators;

  SelectorRules();

  NodeRules node;
  NodeSetRules node_set;
  Result<bool> (*label_selector)(const api::Box<api::LabelSelector>&, const api::StringMap&);
  bool (*tolerates)(const std::vector<api::Toleration>&, const api::Taint&, Comparison);
  const api::Taint* (*untolerated)(const std::vector<api::Taint>&,
                                   const std::vector<api::Toleration>&,
                                   Comparison);
};

bool is_selector_row(const boost::json::object& row);

// A row about a node is answered in both forms; where the form for sets answers otherwise, the
// difference has the path "onSet".
Differences check_selector_row(const boost::json::object& row, const SelectorRules& rules = {});

}  // namespace berth::vector_check
