#include "volumes/node_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/assert.h"
#include "volumes/view.h"

namespace berth::volumes {

void NodeTable::grow() {
  const std::size_t before = view_.node_limit_;
  view_.node_limit_ = std::max(kFirstLimit, before * 2);
  labels_.resize(view_.node_limit_);
  for (std::size_t number = before; number < view_.node_limit_; ++number) {
    view_.nodes_.push_back(nullptr);
  }
  for (std::size_t number = view_.node_limit_; number > before; --number) {
    unused_.push_back(static_cast<std::uint32_t>(number - 1));
  }
  std::ranges::sort(unused_, std::greater<>());
}

std::size_t NodeTable::set(NodePtr node) {
  std::size_t number = 0;
  if (const auto known = view_.find_node_number(node->metadata.name)) {
    number = *known;
  } else {
    BERTH_ASSERT(has_room(), "the numbering has grown before a node comes that it has no room for");
    number = unused_.back();
    unused_.pop_back();
    view_.node_numbers_.set(node->metadata.name, static_cast<std::uint32_t>(number));
  }
  labels_.set(number, node->metadata.name, node->metadata.labels);
  view_.nodes_.edit(number) = std::move(node);
  return number;
}

void NodeTable::remove(std::size_t number) {
  labels_.remove(number);
  view_.node_numbers_.erase(view_.nodes_[number]->metadata.name);
  view_.nodes_.edit(number) = nullptr;
  unused_.push_back(static_cast<std::uint32_t>(number));
}

}  // namespace berth::volumes
