// Reserve, Unreserve, Permit, and what events can help.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/objects/pod.h"
#include "base/result.h"
#include "framework/bind_context.h"
#include "framework/cluster_event.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/runner.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "framework/waiting_pods.h"
#include "rt/time.h"

namespace berth::framework {

ReserveOutcome Runner::reserve(const Cycle& cycle, std::size_t node) {
  const rt::Time began = calls_.runtime().now();
  const std::string& name = cycle.snapshot.node(node).node->metadata.name;
  BindContext context{.pod = cycle.pod, .node = name, .parts = {}};
  Status status;
  for (const Asked<ReservePoint>& asked : reserves_) {
    auto answer =
        calls_.call(asked.plugin, Point::kReserve, [&] { return asked.at->reserve(cycle, node); });
    status = answer ? checked(asked.plugin, Point::kReserve, std::move(answer->status))
                    : failure(asked.plugin, Point::kReserve, answer.error());
    if (status.is_success() && answer->part.size() > RecordedContext::kPartTextMax) {
      status = blame(asked.plugin,
                     Point::kReserve,
                     fmt::format("its part of the plan has {} bytes, more than {}",
                                 answer->part.size(),
                                 RecordedContext::kPartTextMax));
    }
    if (!status.is_success()) {
      break;
    }
    if (!answer->part.empty()) {
      context.parts.push_back(
          {.plugin = calls_.name(asked.plugin), .text = std::move(answer->part)});
    }
  }
  calls_.observe_point(Point::kReserve, status.code(), began);
  if (!status.is_success()) {
    unreserve({.pod = cycle.pod, .node = name, .state = cycle.state});
    return {.status = std::move(status), .context = nullptr};
  }
  return {.status = {}, .context = std::make_shared<const BindContext>(std::move(context))};
}

void Runner::unreserve(const Placement& placement) {
  const rt::Time began = calls_.runtime().now();
  for (auto asked = reserves_.rbegin(); asked != reserves_.rend(); ++asked) {
    const auto done = calls_.call(asked->plugin, Point::kUnreserve, [&asked, &placement] {
      asked->at->unreserve(placement);
      return std::monostate{};
    });
    // It was counted and named there; the others give back what is theirs all the same.
    static_cast<void>(done);
  }
  calls_.observe_point(Point::kUnreserve, Code::kSuccess, began);
}

Status Runner::permit(const Cycle& cycle, std::size_t node) {
  const rt::Time began = calls_.runtime().now();
  std::vector<WaitingPods::Awaited> awaited;
  Status status;
  for (const Asked<PermitPoint>& asked : permits_) {
    auto answer =
        calls_.call(asked.plugin, Point::kPermit, [&] { return asked.at->permit(cycle, node); });
    status = answer ? checked(asked.plugin, Point::kPermit, std::move(answer->status))
                    : failure(asked.plugin, Point::kPermit, answer.error());
    if (status.is_wait()) {
      awaited.push_back({.plugin = calls_.name(asked.plugin), .timeout = answer->timeout});
    } else if (!status.is_success()) {
      calls_.observe_point(Point::kPermit, status.code(), began);
      return status;
    }
  }
  status = awaited.empty() ? Status::success() : Status::wait();
  if (status.is_wait()) {
    waiting_.add(cycle.pod, awaited);
  }
  calls_.observe_point(Point::kPermit, status.code(), began);
  return status;
}

Hint Runner::hint(std::span<const std::string> rejectors,
                  const api::Pod& pod,
                  const ClusterEvent& event) {
  if (event.resource() == Resource::kAny) {
    return Hint::kQueue;
  }
  for (const std::string& rejector : rejectors) {
    const auto asked = std::ranges::find_if(hints_, [this, &rejector](const auto& each) {
      return calls_.name(each.plugin) == rejector;
    });
    // Who says nothing is interested in everything.
    if (asked == hints_.end()) {
      return Hint::kQueue;
    }
    const auto answer = calls_.call(asked->plugin, Point::kQueueingHint, [&] {
      const std::vector<EventInterest> interests = asked->at->interests();
      const bool is_covered = std::ranges::any_of(
          interests, [&event](const EventInterest& interest) { return interest.covers(event); });
      return is_covered ? asked->at->hint(pod, event) : Result<Hint>(Hint::kSkip);
    });
    // A pod that is looked at for nothing costs less than one that is forgotten.
    if (!answer || !*answer || **answer == Hint::kQueue) {
      return Hint::kQueue;
    }
  }
  return Hint::kSkip;
}

}  // namespace berth::framework
