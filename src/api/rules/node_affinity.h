// Which nodes a pod must and would like to run on, and which nodes can reach a volume, as far as
// labels and names of nodes decide.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "api/box.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/pod.h"
#include "api/rules/label_selector.h"
#include "api/rules/node_label_index.h"
#include "api/rules/node_selector.h"
#include "base/error.h"
#include "base/node_set.h"
#include "base/result.h"

namespace berth::api {

// spec.nodeSelector and the required node affinity, both of which must match.
class RequiredNodeAffinity {
 public:
  static RequiredNodeAffinity compile(const PodSpec& spec);

  // What is wrong with the affinity; the pod can still go where one of its valid terms matches.
  const Error* fault() const;

  // The error is the fault, where the affinity alone keeps the pod away.
  NodeMatch match(std::string_view name, const StringMap& labels) const;
  // Takes out of `nodes` what does not match or is not in the index.
  void narrow(const NodeLabelIndex& index, NodeSet& nodes, NodeScratch& scratch) const;

 private:
  explicit RequiredNodeAffinity(CompiledLabelSelector labels) : labels_(std::move(labels)) {}

  CompiledLabelSelector labels_;
  std::optional<CompiledNodeSelector> affinity_;
};

// Preferred node affinity: a node's score is the sum of the weights of the terms it matches.
class PreferredNodeAffinity {
 public:
  // kInvalid with all faults if any term has one: unlike required affinity, it then counts nowhere.
  // Terms of weight zero and terms without requirements are not looked at.
  static Result<PreferredNodeAffinity> compile(const std::vector<PreferredSchedulingTerm>& terms);

  std::int64_t score(std::string_view name, const StringMap& labels) const;
  // Adds each node's score to `scores`, which has a place for each number of the index.
  void add_scores(const NodeLabelIndex& index,
                  const NodeSet& nodes,
                  std::span<std::int64_t> scores,
                  NodeScratch& scratch) const;

 private:
  struct Term {
    std::int64_t weight;
    CompiledNodeSelectorTerm term;
  };

  std::vector<Term> terms_;
};

// A volume's node affinity. Only labels are looked at: requirements on fields are ignored, so that
// a term of nothing else matches every node.
class CompiledVolumeNodeAffinity {
 public:
  static CompiledVolumeNodeAffinity compile(const Box<VolumeNodeAffinity>& affinity);

  // Where it does not match there always is an error: the fault, or that no term matches.
  NodeMatch match(const StringMap& labels) const;
  void narrow(const NodeLabelIndex& index, NodeSet& nodes, NodeScratch& scratch) const;

 private:
  std::optional<CompiledNodeSelector> required_;
  Error no_match_{ErrorCode::kInvalid, "no matching NodeSelectorTerms"};
};

}  // namespace berth::api
