#include "framework/plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/checked.h"
#include "base/error.h"
#include "base/node_set.h"
#include "framework/snapshot.h"
#include "framework/status.h"

namespace berth::framework {

Filtered PerNodeFilter::filter(const Cycle& cycle, const NodeSet& candidates) {
  Filtered filtered{.status = {}, .nodes = candidates};
  for (const std::size_t node : candidates) {
    Status status = check(cycle, node);
    if (status.is_success()) {
      continue;
    }
    if (!status.is_rejected()) {
      const std::string& name = cycle.snapshot.node(node).node->metadata.name;
      const std::string what =
          status.is_error() ? status.message() : fmt::format("answered {}", name_of(status.code()));
      filtered.status =
          Status::error(Error(ErrorCode::kInternal, fmt::format("node {}: {}", name, what)));
      return filtered;
    }
    filtered.nodes.reset(node);
  }
  return filtered;
}

void stretch_scores(std::span<std::int64_t> scores, Better better) {
  const auto largest = std::ranges::max_element(scores);
  const std::int64_t max = largest == scores.end() ? 0 : *largest;
  for (std::int64_t& score : scores) {
    // In 128 bits: scores that count bytes would leave the range.
    const auto share =
        max == 0 ? 0 : static_cast<std::int64_t>(static_cast<__int128>(score) * kScoreMax / max);
    score = better == Better::kMore ? share : kScoreMax - share;
  }
}

}  // namespace berth::framework
