// What came of an attempt, as it is written into the status of its order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/objects/bind_request.h"
#include "rt/time.h"

namespace berth::binder {

struct Outcome {
  bool is_bound = false;
  // Why not; of a pod that is bound to another node, which one.
  std::string reason;
};

Outcome bound(const api::BindRequest& order, const std::string& node);

// The body of a merge patch of the status, under the uid and version the order was read with.
std::string status_patch(const api::BindRequest& order, const Outcome& outcome);

// Attempts that have failed once this one has: what the status will say. They are counted only
// where the order allows more than one.
std::int32_t failed_attempts(const api::BindRequest& order);

// How long after this failure the next attempt may begin; nothing when it was the last.
std::optional<rt::Duration> delay_after_failure(const api::BindRequest& order);

}  // namespace berth::binder
