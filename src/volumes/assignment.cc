#include "volumes/assignment.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace berth::volumes {

Assignment::Assignment(std::vector<std::vector<std::size_t>> candidates)
    : candidates_(std::move(candidates)), volumes_(candidates_.size()) {
  std::size_t limit = 0;
  for (const std::vector<std::size_t>& of_claim : candidates_) {
    for (const std::size_t volume : of_claim) {
      limit = std::max(limit, volume + 1);
    }
  }
  claims_.resize(limit);
}

bool Assignment::place(std::size_t claim) {
  std::vector<bool> tried(claims_.size(), false);
  return place(claim, tried);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as a pod has claims
bool Assignment::place(std::size_t claim, std::vector<bool>& tried) {
  for (const std::size_t volume : candidates_[claim]) {
    if (tried[volume]) {
      continue;
    }
    tried[volume] = true;
    if (!claims_[volume] || place(*claims_[volume], tried)) {
      claims_[volume] = claim;
      volumes_[claim] = volume;
      return true;
    }
  }
  return false;
}

}  // namespace berth::volumes
