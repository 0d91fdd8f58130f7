// A set of nodes that is small while it has few members: a sorted list of node numbers, and from
// one member in 32 nodes on a NodeSet, which then is the smaller and the faster of the two.
//
// An index has one for each label value. Most values (host names) have one node, a few (zones,
// architectures) have thousands, and the sum of all is what counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/node_set.h"

namespace berth::api {

class NodeGroup {
 public:
  explicit NodeGroup(std::size_t size = 0) : size_(size) {}

  // The size of the numbering. New numbers are not members; `size` is not smaller than before.
  void resize(std::size_t size);

  // `node` is not a member.
  void insert(std::size_t node);
  // `node` is a member.
  void erase(std::size_t node);

  bool empty() const { return count() == 0; }
  std::size_t count() const { return is_dense() ? dense_count_ : list_.size(); }
  bool contains(std::size_t node) const;
  // Adds the members to `set`, which has this group's size.
  void add_to(NodeSet& set) const;
  // Takes out of `set`, which has this group's size, what is not a member.
  void narrow(NodeSet& set) const;

  // Whether it is kept as bits: one member in some dozens of nodes at least.
  bool is_wide() const { return is_dense(); }
  // Calls `visit(std::size_t node)` for every member in ascending order.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    if (is_dense()) {
      bits_.for_each(visit);
      return;
    }
    for (const std::uint32_t node : list_) {
      visit(std::size_t{node});
    }
  }

 private:
  // A list of n members takes 4n bytes, a NodeSet size / 8.
  static constexpr std::size_t kNodesPerDenseMember = 32;
  // Going back only at half of that keeps a group at the border from changing form all the time.
  static constexpr std::size_t kNodesPerSparseMember = 64;

  bool is_dense() const { return dense_count_ > 0; }
  void make_dense();
  void make_sparse();

  // Invariant: the members stand in list_ or in bits_, and the other one is empty.
  std::size_t size_;
  std::vector<std::uint32_t> list_;  // ascending
  NodeSet bits_;
  std::size_t dense_count_ = 0;
};

}  // namespace berth::api
