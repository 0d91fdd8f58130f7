#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/in_process_watch_internal.h"
#include "world/store.h"

namespace berth::world {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr rt::Duration kBookmarkPeriod = minutes(1);

}  // namespace

InProcessWatch::InProcessWatch(Cluster& cluster,
                               ApiServer& server,
                               rt::Runtime& process,
                               kube::WatchRequest request,
                               std::shared_ptr<const Selector> selector,
                               std::uint64_t position)
    : cluster_(cluster),
      server_(server),
      process_(process),
      request_(std::move(request)),
      selector_(std::move(selector)),
      position_(position),
      bookmark_due_(process.now() + kBookmarkPeriod),
      end_(process.now() + cluster.faults().random().between(minutes(5), minutes(10))) {}

void InProcessWatch::begin_with(std::vector<kube::Document> objects) {
  for (kube::Document& object : objects) {
    initial_.push_back({.type = kube::WatchEventType::kAdded, .object = std::move(object)});
  }
  initial_.push_back(bookmark(true));
}

rt::Task<Result<std::optional<kube::WatchEvent>>> InProcessWatch::next(rt::Until until) {
  while (true) {
    if (process_.now() >= end_ || cluster_.faults().hits(Fault::kCutWatch)) {
      end_ = process_.now();
      co_return std::optional<kube::WatchEvent>();
    }
    if (!initial_.empty()) {
      kube::WatchEvent event = std::move(initial_.front());
      initial_.pop_front();
      co_return std::optional(std::move(event));
    }
    if (position_ < cluster_.store().compacted()) {
      co_return Error(ErrorCode::kGone, fmt::format("too old resource version: {}", position_));
    }
    if (auto event = take_event()) {
      co_return event;
    }
    if (request_.allow_bookmarks && process_.now() >= bookmark_due_) {
      bookmark_due_ = process_.now() + kBookmarkPeriod;
      co_return std::optional(bookmark(false));
    }
    const rt::Time deadline = std::min({until.deadline, end_, bookmark_due_});
    const rt::Wake wake = co_await rt::Wait(
        process_, &server_.moved(), "an event", {.token = until.token, .deadline = deadline});
    if (wake == rt::Wake::kCancelled) {
      co_return Error(ErrorCode::kCancelled, "the watch is no longer wanted");
    }
    if (wake == rt::Wake::kDeadline && process_.now() >= until.deadline) {
      co_return Error(ErrorCode::kTimeout, "no event in time");
    }
  }
}

std::optional<kube::WatchEvent> InProcessWatch::take_event() {
  while (true) {
    const Change* change = cluster_.store().change_after(position_);
    if (change == nullptr || change->resource_version > server_.view()) {
      return std::nullopt;
    }
    position_ = change->resource_version;
    if (change->kind != request_.of.kind || is_skipped(*change)) {
      continue;
    }
    if (auto event = event_of(*change, *selector_)) {
      return event;
    }
  }
}

bool InProcessWatch::is_skipped(const Change& change) const {
  // An ADDED is not skipped: the MODIFIED that follows would be of an object nobody has heard of.
  if (change.type != ChangeType::kModified) {
    return false;
  }
  const Change* next = &change;
  do {
    next = cluster_.store().change_after(next->resource_version);
  } while (next != nullptr && next->kind != change.kind);
  // Only the very next event may stand for this one: the stream still shows, up to every version it
  // has reached, what there was at that version.
  return next != nullptr && next->resource_version <= server_.view() && next->key == change.key &&
         cluster_.faults().hits(Fault::kCoalescedEvents);
}

kube::WatchEvent InProcessWatch::bookmark(bool ends_initial_events) const {
  return {
      .type = kube::WatchEventType::kBookmark,
      .object = {.bytes = fmt::format(
                     R"({{"kind":"{}","apiVersion":"{}","metadata":{{"resourceVersion":"{}"{}}}}})",
                     request_.of.kind->name,
                     request_.of.kind->api_version(),
                     position_,
                     ends_initial_events ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})"
                                         : "")}};
}

}  // namespace berth::world
