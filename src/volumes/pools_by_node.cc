#include "volumes/pools_by_node.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "volumes/view.h"

namespace berth::volumes {

PoolsByNode::PoolsByNode(const View& view, std::string_view class_name)
    : begins_(view.node_limit() + 1) {
  const auto* pools = view.find_capacities(class_name);
  if (pools == nullptr) {
    return;
  }
  for (const auto& [key, pool] : *pools) {
    view.reached(pool.reach).for_each([this](std::size_t node) { ++begins_[node + 1]; });
  }
  for (std::size_t node = 1; node < begins_.size(); ++node) {
    begins_[node] += begins_[node - 1];
  }
  pools_.resize(begins_.back());
  std::vector<std::uint32_t> next = begins_;
  for (const auto& [key, pool] : *pools) {
    view.reached(pool.reach).for_each([this, &next, &pool](std::size_t node) {
      pools_[next[node]++] = &pool;
    });
  }
}

}  // namespace berth::volumes
