// The topologies a storage class allows for its volumes.
#pragma once

#include <vector>

#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/rules/node_label_index.h"
#include "api/rules/node_selector.h"
#include "api/rules/requirement.h"
#include "base/node_set.h"

namespace berth::api {

// One term must match; no terms at all allow every node. A term without requirements, or with a
// fault (a key that is no label key, no values), matches no node and says nothing about it.
class CompiledTopologies {
 public:
  static CompiledTopologies compile(const std::vector<TopologySelectorTerm>& terms);

  bool is_everything() const { return is_everything_; }
  // Those that can match.
  const std::vector<std::vector<Requirement>>& terms() const { return terms_; }

  // Allocates nothing.
  bool matches(const StringMap& labels) const;
  // Takes out of `nodes` what does not match or is not in the index. `nodes` has the index's size.
  void narrow(const NodeLabelIndex& index, NodeSet& nodes, NodeScratch& scratch) const;

 private:
  bool is_everything_ = false;
  std::vector<std::vector<Requirement>> terms_;
};

}  // namespace berth::api
