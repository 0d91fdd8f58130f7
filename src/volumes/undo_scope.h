// How much of a plan may have been written, for whoever takes it back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "volumes/bind_policy.h"
#include "volumes/recorded_plan.h"

namespace berth::volumes {

struct UndoScope {
  // Item by item as in the plan: whether something of ours may be on it. Nothing is on those it
  // does not speak of.
  std::vector<bool> bindings;
  std::vector<bool> provisions;
  // Until then a write may still be applied whose answer nobody got.
  Moment landed_by{};

  bool empty() const {
    return std::ranges::find(bindings, true) == bindings.end() &&
           std::ranges::find(provisions, true) == provisions.end();
  }
  bool has_binding(std::size_t index) const { return index < bindings.size() && bindings[index]; }
  bool has_provision(std::size_t index) const {
    return index < provisions.size() && provisions[index];
  }
};

// Everything the plan calls ours: nothing is known of what became of it. `landed_by` as far as the
// process that had it may have sent something last.
UndoScope whole_scope(const RecordedPlan& plan, Moment landed_by);

}  // namespace berth::volumes
