// How well a plan suits a node's storage: 0 to 100, more for what the shape of utilization prefers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "volumes/plan.h"
#include "volumes/switches.h"

namespace berth::volumes {

// A point of a function that is straight between its points.
struct ShapePoint {
  std::int32_t utilization = 0;  // percent
  std::int32_t score = 0;        // 0 to 10

  bool operator==(const ShapePoint&) const = default;
};
using Shape = std::vector<ShapePoint>;

// The emptier the better.
Shape default_shape();
// kInvalid with what is wrong: no points, utilizations that do not rise or are not in 0..100,
// scores not in 0..10.
Result<void> check_shape(const Shape& shape);

// `shape` was checked.
std::int64_t score(const NodePlan& plan, const Shape& shape, const Switches& switches = {});

}  // namespace berth::volumes
