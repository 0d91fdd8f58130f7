#include "api/rules/node_group.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"

namespace berth::api {

void NodeGroup::resize(std::size_t size) {
  BERTH_ASSERT(size >= size_, "a numbering of nodes only grows");
  size_ = size;
  if (is_dense()) {
    bits_.resize(size);
  }
}

void NodeGroup::insert(std::size_t node) {
  BERTH_ASSERT(node < size_, "a node's number is below the size of its numbering");
  BERTH_ASSERT(!contains(node), "a node joins a group once");
  if (is_dense()) {
    bits_.set(node);
    ++dense_count_;
    return;
  }
  const auto number = static_cast<std::uint32_t>(node);
  list_.insert(std::lower_bound(list_.begin(), list_.end(), number), number);
  if (list_.size() * kNodesPerDenseMember > size_) {
    make_dense();
  }
}

void NodeGroup::erase(std::size_t node) {
  BERTH_ASSERT(contains(node), "a node leaves a group it is in");
  if (!is_dense()) {
    list_.erase(std::lower_bound(list_.begin(), list_.end(), static_cast<std::uint32_t>(node)));
    return;
  }
  bits_.reset(node);
  --dense_count_;
  if (dense_count_ * kNodesPerSparseMember < size_) {
    make_sparse();
  }
}

bool NodeGroup::contains(std::size_t node) const {
  return is_dense()
             ? bits_.test(node)
             : std::binary_search(list_.begin(), list_.end(), static_cast<std::uint32_t>(node));
}

void NodeGroup::add_to(NodeSet& set) const {
  if (is_dense()) {
    set |= bits_;
    return;
  }
  for (const std::uint32_t node : list_) {
    set.set(node);
  }
}

void NodeGroup::narrow(NodeSet& set) const {
  if (is_dense()) {
    set &= bits_;
    return;
  }
  NodeSet kept(set.size());
  for (const std::uint32_t node : list_) {
    if (set.test(node)) {
      kept.set(node);
    }
  }
  set = kept;
}

void NodeGroup::make_dense() {
  bits_ = NodeSet(size_);
  for (const std::uint32_t node : list_) {
    bits_.set(node);
  }
  dense_count_ = list_.size();
  list_ = {};
}

void NodeGroup::make_sparse() {
  list_.reserve(dense_count_);
  bits_.for_each([this](std::size_t node) { list_.push_back(static_cast<std::uint32_t>(node)); });
  bits_ = {};
  dense_count_ = 0;
}

}  // namespace berth::api
