// The numbering of nodes, and their labels by label. Numbers are dense; that of a node that went is
// given to the next one that comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "api/rules/node_label_index.h"
#include "volumes/view.h"

namespace berth::volumes {

class NodeTable {
 public:
  // Keeps the nodes of `view`, which outlives it.
  explicit NodeTable(View& view) : view_(view) {}

  // Room for one more node: false when the numbering has to grow first.
  bool has_room() const { return !unused_.empty(); }
  // Doubles the numbering. Sets of nodes that others keep have to be resized to the view's limit.
  void grow();

  // The node's number; a new node gets one. There is room.
  std::size_t set(NodePtr node);
  // The node is known.
  void remove(std::size_t number);

  const api::NodeLabelIndex& labels() const { return labels_; }

 private:
  static constexpr std::size_t kFirstLimit = 64;

  View& view_;
  api::NodeLabelIndex labels_;
  std::vector<std::uint32_t> unused_;  // the lowest number last
};

}  // namespace berth::volumes
