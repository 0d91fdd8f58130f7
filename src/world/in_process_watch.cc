#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/in_process_watch_internal.h"
#include "world/watch_cursor_internal.h"

namespace berth::world {
namespace {

using std::chrono::minutes;

using Next = Result<std::optional<kube::WatchEvent>>;

constexpr rt::Duration kBookmarkPeriod = minutes(1);

}  // namespace

InProcessWatch::InProcessWatch(
    Cluster& cluster, ApiServer& server, rt::Runtime& process, WatchCursor cursor, Options options)
    : cluster_(cluster),
      server_(server),
      process_(process),
      options_(std::move(options)),
      cursor_(std::move(cursor)),
      bookmark_due_(options_.allow_bookmarks ? process.now() + kBookmarkPeriod : rt::kNever),
      end_(process.now() + cluster.faults().random().between(minutes(5), minutes(10))) {}

rt::Task<Next> InProcessWatch::next(rt::Until until) {
  auto event = co_await read(until);
  if (!event || !*event) {
    cluster_.simulation().note(options_.reader,
                               fmt::format("the watch of {} ends at {}{}{}",
                                           cursor_.kind().plural,
                                           cursor_.position(),
                                           event ? "" : ": ",
                                           event ? "" : name_of(event.error().code())));
  }
  co_return event;
}

std::optional<Next> InProcessWatch::cut() {
  if (process_.now() >= end_) {
    return Next(std::optional<kube::WatchEvent>());
  }
  Faults& faults = cluster_.faults();
  if (!faults.hits(Fault::kCutWatch)) {
    return std::nullopt;
  }
  end_ = process_.now();
  if (faults.random().one_in(2)) {
    return Next(std::optional<kube::WatchEvent>());
  }
  return Next(Error(ErrorCode::kUnavailable, "the connection was lost"));
}

rt::Task<Next> InProcessWatch::read(rt::Until until) {
  const auto skips = [this] { return cluster_.faults().hits(Fault::kCoalescedEvents); };
  while (true) {
    if (auto end = cut()) {
      co_return *std::move(end);
    }
    auto event = cursor_.next(server_.view(), skips);
    if (!event || *event) {
      co_return event;
    }
    if (process_.now() >= bookmark_due_) {
      bookmark_due_ = process_.now() + kBookmarkPeriod;
      co_return std::optional(cursor_.bookmark());
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

}  // namespace berth::world
