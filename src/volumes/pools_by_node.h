// The pools of capacity of one class, node by node: made in one pass over what the pools reach, so
// that whoever asks for many nodes does not ask every pool for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "volumes/view.h"

namespace berth::volumes {

class PoolsByNode {
 public:
  // `view` outlives it.
  PoolsByNode(const View& view, std::string_view class_name);

  // Those that reach the node, in the order of their names.
  std::span<const CapacityEntry* const> on(std::size_t node) const {
    return std::span(pools_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }

 private:
  std::vector<std::uint32_t> begins_;  // by node, of its part of pools_
  std::vector<const CapacityEntry*> pools_;
};

}  // namespace berth::volumes
