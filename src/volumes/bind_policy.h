// How patient a binding is.
#pragma once

#include <chrono>
#include <string_view>

#include "api/objects/storage.h"
#include "volumes/recorded_plan.h"
#include "volumes/view.h"

namespace berth::volumes {

// A moment, counted from whenever the caller's clock began.
using Moment = std::chrono::nanoseconds;

// On a StorageClass: for how many seconds its claims may take to be bound, 0 to a day. What is not
// such a number counts as not there.
inline constexpr std::string_view kBindTimeout = "berth.dev/bind-timeout-seconds";

struct BindPolicy {
  // Of classes that say nothing themselves; upstream's default. 0: the deadline is over as soon as
  // everything is written.
  std::chrono::seconds timeout{600};
  // An object that changes under our hands, or whose answers get lost, is written so often.
  int writes_max = 5;
  // A write that was sent is applied within this time or never: a server ends requests after a
  // minute, and what it has sent to its store by then is not long on its way.
  std::chrono::seconds landing_max{90};
  // What is waited for is looked at so often even if no event comes.
  std::chrono::seconds look_again{30};
};

std::chrono::seconds timeout_of(const api::StorageClass& storage_class, const BindPolicy& policy);
// Of the claim's class; the policy's where claim or class is not known.
std::chrono::seconds timeout_of(std::string_view claim_key,
                                const View& view,
                                const BindPolicy& policy);
// The shortest of all claims of the plan.
std::chrono::seconds shortest_timeout(const RecordedPlan& plan,
                                      const View& view,
                                      const BindPolicy& policy);

}  // namespace berth::volumes
