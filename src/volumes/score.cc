#include "volumes/score.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "volumes/plan.h"
#include "volumes/rules.h"
#include "volumes/sizes.h"
#include "volumes/switches.h"

namespace berth::volumes {
namespace {

constexpr std::int64_t kScale = 10;  // from 0..10 to 0..100

struct Usage {
  std::int64_t requested = 0;
  std::int64_t capacity = 0;
};
using UsageByClass = std::map<std::string_view, Usage>;

std::int64_t value_at(const Shape& shape, std::int64_t utilization) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (utilization > shape[i].utilization) {
      continue;
    }
    const std::int64_t score = shape[i].score * kScale;
    if (i == 0) {
      return score;
    }
    const std::int64_t before = shape[i - 1].score * kScale;
    return before + (score - before) * (utilization - shape[i - 1].utilization) /
                        (shape[i].utilization - shape[i - 1].utilization);
  }
  return shape.back().score * kScale;
}

std::int64_t class_score(const Usage& usage, const Shape& shape, const Switches& switches) {
  if (usage.capacity == 0 || usage.requested > usage.capacity) {
    return value_at(shape, 100);
  }
  return value_at(shape, percent_of_bytes(usage.requested, usage.capacity, switches));
}

UsageByClass usage_of_bindings(const NodePlan& plan, const Switches& switches) {
  UsageByClass usage;
  for (const StaticBinding& binding : plan.bindings) {
    // The field, not the annotation: as upstream has it, and both are the same for a valid volume.
    Usage& of_class = usage[binding.volume->spec.storage_class_name];
    of_class.requested =
        sum_of_bytes(of_class.requested, bytes_of(request_of(*binding.claim), switches), switches);
    of_class.capacity =
        sum_of_bytes(of_class.capacity, bytes_of(capacity_of(*binding.volume), switches), switches);
  }
  return usage;
}

UsageByClass usage_of_provisions(const NodePlan& plan, const Switches& switches) {
  UsageByClass usage;
  for (const Provision& provision : plan.provisions) {
    if (provision.capacity == nullptr || !provision.capacity->capacity) {
      continue;  // no information
    }
    Usage& of_class = usage[class_of(*provision.claim)];
    of_class.requested = sum_of_bytes(
        of_class.requested, bytes_of(request_of(*provision.claim), switches), switches);
    of_class.capacity = bytes_of(*provision.capacity->capacity, switches);
  }
  return usage;
}

}  // namespace

Shape default_shape() {
  return {{.utilization = 0, .score = 10}, {.utilization = 100, .score = 0}};
}

Result<void> check_shape(const Shape& shape) {
  const auto invalid = [](std::size_t index, std::string_view what) {
    return Error(ErrorCode::kInvalid, fmt::format("shape[{}]: {}", index, what));
  };
  if (shape.empty()) {
    return Error(ErrorCode::kInvalid, "shape: at least one point must be specified");
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].utilization < 0 || shape[i].utilization > 100) {
      return invalid(i, "utilization must be in 0..100");
    }
    if (i > 0 && shape[i].utilization <= shape[i - 1].utilization) {
      return invalid(i, "utilization must be greater than that of the point before");
    }
    if (shape[i].score < 0 || shape[i].score > 10) {
      return invalid(i, "score must be in 0..10");
    }
  }
  return {};
}

std::int64_t score(const NodePlan& plan, const Shape& shape, const Switches& switches) {
  const UsageByClass usage = plan.bindings.empty() ? usage_of_provisions(plan, switches)
                                                   : usage_of_bindings(plan, switches);
  if (usage.empty()) {
    return 0;
  }
  std::int64_t sum = 0;
  for (const auto& [name, of_class] : usage) {
    sum += class_score(of_class, shape, switches);
  }
  return std::llround(static_cast<double>(sum) / static_cast<double>(usage.size()));
}

}  // namespace berth::volumes
