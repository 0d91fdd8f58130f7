// The cluster as one attempt sees it: nodes by number, with the pods that are on them or expected
// there.
//
// Whoever runs cycles makes snapshots; plugins read them. A snapshot does not change and may be
// read on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/meta.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "api/rules/node_label_index.h"
#include "api/rules/node_selector.h"
#include "api/rules/resource_amounts.h"
#include "base/node_set.h"
#include "framework/cycle_state.h"

namespace berth::framework {

using PodPtr = std::shared_ptr<const api::Pod>;
using NodePtr = std::shared_ptr<const api::Node>;

struct NodeState {
  NodePtr node;  // never null
  std::vector<PodPtr> pods;
  api::ResourceAmounts allocatable;
  api::ResourceAmounts requested;  // by its pods; requested.pods is their number
  // What scores go by: as requested, but a container that asks for no cpu or no memory counts with
  // 100m and 200Mi.
  std::int64_t scored_milli_cpu = 0;
  std::int64_t scored_memory_bytes = 0;
};

class Snapshot {
 public:
  Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  virtual ~Snapshot() = default;

  // Numbers are below this; sets of nodes have this size.
  virtual std::size_t node_limit() const = 0;
  // The numbers in use.
  virtual const NodeSet& nodes() const = 0;
  // `number` is one of nodes().
  virtual const NodeState& node(std::size_t number) const = 0;
  virtual std::optional<std::size_t> find_number(std::string_view name) const = 0;
  // Two snapshots of one maker with the same numbering have the same numbers for the same names:
  // what a plugin derives from numbers may be kept as long as this stays.
  virtual std::uint64_t numbering() const = 0;
  // The labels of its nodes, to answer a selector for all of them at once; nullptr where the maker
  // keeps none. It has the size node_limit().
  virtual const api::NodeLabelIndex* labels() const { return nullptr; }
};

// One attempt to find a place for one pod. What plugins are given at the points of the decision.
struct Cycle {
  PodPtr pod;
  const Snapshot& snapshot;
  CycleState& state;
};

// Takes out of `nodes`, a set of the snapshot's, those that a compiled selector (of
// api/rules/node_affinity.h or api/rules/node_selector.h) does not match.
template <typename Selector>
void narrow(const Snapshot& snapshot, const Selector& selector, NodeSet& nodes) {
  if (const api::NodeLabelIndex* labels = snapshot.labels()) {
    api::NodeScratch scratch;
    selector.narrow(*labels, nodes, scratch);
    return;
  }
  NodeSet left(nodes.size());
  nodes.for_each([&](std::size_t number) {
    const api::ObjectMeta& metadata = snapshot.node(number).node->metadata;
    if (selector.match(metadata.name, metadata.labels).is_match) {
      left.set(number);
    }
  });
  nodes = std::move(left);
}

// A snapshot in which one node is supposed to have more pods than it has. `below` outlives it.
class SupposedSnapshot final : public Snapshot {
 public:
  // The pods are added to the node's list and to what is requested of it; scores are not: nobody
  // scores a supposition.
  SupposedSnapshot(const Snapshot& below, std::size_t number, const std::vector<PodPtr>& added);

  std::size_t node_limit() const override { return below_.node_limit(); }
  const NodeSet& nodes() const override { return below_.nodes(); }
  const NodeState& node(std::size_t number) const override {
    return number == number_ ? state_ : below_.node(number);
  }
  std::optional<std::size_t> find_number(std::string_view name) const override {
    return below_.find_number(name);
  }
  std::uint64_t numbering() const override { return below_.numbering(); }
  const api::NodeLabelIndex* labels() const override { return below_.labels(); }

 private:
  const Snapshot& below_;
  std::size_t number_;
  NodeState state_;
};

}  // namespace berth::framework
