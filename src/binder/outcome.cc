#include "binder/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "api/objects/bind_request.h"
#include "base/utf8.h"
#include "binder/order.h"
#include "kube/json_object.h"
#include "kube/typed.h"
#include "rt/time.h"

namespace berth::binder {
namespace {

// 2^12 seconds are more than an hour: nobody waits longer for a retry.
constexpr std::int32_t kDoublingsMax = 12;
// What a server or a webhook says goes into the reason, and may be long.
constexpr std::size_t kReasonBytesMax = 4096;

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

api::BindRequestStatus status_after(const api::BindRequest& order, const Outcome& outcome) {
  return {
      .phase = std::string(outcome.is_bound ? kPhaseSucceeded : kPhaseFailed),
      .reason = std::string(cut_utf8(outcome.reason, kReasonBytesMax)),
      .failed_attempts = outcome.is_bound ? order.status.failed_attempts : failed_attempts(order)};
}

std::string status_patch(const api::BindRequest& order, const Outcome& outcome) {
  const api::BindRequestStatus after = status_after(order, outcome);
  kube::JsonObject status;
  status.text("phase", after.phase);
  if (!after.reason.empty()) {
    status.text("reason", after.reason);
  } else if (!order.status.reason.empty()) {
    status.json("reason", "null");
  }
  if (after.failed_attempts != order.status.failed_attempts) {
    status.number("failedAttempts", after.failed_attempts);
  }
  return kube::guarded_merge(
      kube::JsonObject().json("status", status.done()).done(),
      {.uid = order.metadata.uid, .resource_version = order.metadata.resource_version});
}

}  // namespace berth::binder
