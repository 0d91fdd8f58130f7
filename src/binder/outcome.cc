#include "binder/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "api/objects/bind_request.h"
#include "binder/order.h"
#include "kube/json_object.h"
#include "kube/typed.h"
#include "rt/time.h"

namespace berth::binder {
namespace {

// 2^12 seconds are more than an hour: nobody waits longer for a retry.
constexpr std::int32_t kDoublingsMax = 12;

}  // namespace

Outcome bound(const api::BindRequest& order, const std::string& node) {
  Outcome outcome{.is_bound = true};
  if (node != order.spec.selected_node) {
    outcome.reason = fmt::format(
        "pod is bound to node {}, not by this request to {}", node, order.spec.selected_node);
  }
  return outcome;
}

std::int32_t failed_attempts(const api::BindRequest& order) {
  const std::int32_t before = std::max(order.status.failed_attempts, 0);
  return before < order.spec.backoff_limit.value_or(0) ? before + 1 : before;
}

std::optional<rt::Duration> delay_after_failure(const api::BindRequest& order) {
  if (failed_attempts(order) >= order.spec.backoff_limit.value_or(0)) {
    return std::nullopt;
  }
  const std::int32_t doublings =
      std::clamp(order.status.failed_attempts, std::int32_t{0}, kDoublingsMax);
  return std::chrono::seconds(std::int64_t{1} << doublings);
}

std::string status_patch(const api::BindRequest& order, const Outcome& outcome) {
  kube::JsonObject status;
  status.text("phase", outcome.is_bound ? kPhaseSucceeded : kPhaseFailed);
  if (!outcome.reason.empty()) {
    status.text("reason", outcome.reason);
  } else if (!order.status.reason.empty()) {
    status.json("reason", "null");
  }
  const std::int32_t attempts = failed_attempts(order);
  if (!outcome.is_bound && attempts != order.status.failed_attempts) {
    status.number("failedAttempts", attempts);
  }
  return kube::guarded_merge(
      kube::JsonObject().json("status", status.done()).done(),
      {.uid = order.metadata.uid, .resource_version = order.metadata.resource_version});
}

}  // namespace berth::binder
