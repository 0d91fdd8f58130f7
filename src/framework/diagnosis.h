// Which nodes were refused by whom, and, for who asks, why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/node_set.h"
#include "framework/status.h"

namespace berth::framework {

// Nodes that one plugin refused.
struct Refusal {
  std::size_t plugin = 0;  // its number in the runner
  NodeSet nodes;
};

// Nodes that a PreFilter plugin left out, and what they carry.
struct LeftOut {
  NodeSet nodes;
  Status status;
};

// The reasons of all nodes, added up.
struct ReasonCounts {
  std::map<std::string, std::size_t> nodes_by_text;
  // Who refused a node, by what it answered.
  std::set<std::string> unschedulable_plugins;
  std::set<std::string> pending_plugins;
};

// Made by Runner::filter(); valid as long as the cycle it was made in.
class Diagnosis {
 public:
  using Explain = std::function<Status(std::size_t plugin, std::size_t node)>;

  Diagnosis() = default;
  // `nodes` are all of the snapshot.
  Diagnosis(NodeSet nodes, Explain explain)
      : nodes_(std::move(nodes)), explain_(std::move(explain)) {}

  // The whole pod was rejected before any node was looked at: every node carries this.
  void reject_all(Status status) { for_all_ = std::move(status); }
  // Nodes that a PreFilter plugin left out carry this.
  void leave_out(NodeSet nodes, Status status);
  void refuse(std::size_t plugin, NodeSet nodes);
  // One node whose answer is known already.
  void refuse(std::size_t node, Status status);

  std::size_t node_count() const { return nodes_.count(); }
  const NodeSet& nodes() const { return nodes_; }
  // Success where PreFilter rejected nothing.
  const Status& for_all() const { return for_all_; }
  const std::vector<Refusal>& refusals() const { return refusals_; }
  // Nodes for which it may help that other pods go.
  NodeSet resolvable() const;

  // Why the node was refused; success for one that was not. An error where its plugin, asked for
  // its reason, has none.
  Status status_of(std::size_t node) const;
  ReasonCounts count_reasons() const;
  // "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) ..." and, behind it, what PostFilter
  // said.
  std::string text(const std::string& post_filter_message) const;

 private:
  NodeSet nodes_;
  Explain explain_;
  Status for_all_;
  std::vector<LeftOut> left_out_;
  std::vector<Refusal> refusals_;
  std::vector<std::pair<std::size_t, Status>> known_;
};

}  // namespace berth::framework
