#include "world/direct_watch.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "api/kind.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "world/store.h"

namespace berth::world {
namespace {

// After this many changes that do not concern it, a watch says by a bookmark where it is.
constexpr std::size_t kBookmarkEvery = 100;

}  // namespace

DirectWatch::DirectWatch(Store& store,
                         rt::Runtime& runtime,
                         const api::Kind& kind,
                         std::shared_ptr<const Selector> selector,
                         bool allow_bookmarks)
    : store_(store),
      kind_(kind),
      selector_(std::move(selector)),
      allow_bookmarks_(allow_bookmarks),
      changed_(runtime, "a change in the store") {
  observer_ = store_.on_change([this] { changed_.notify_all(); });
}

DirectWatch::~DirectWatch() {
  store_.forget_observer(observer_);
}

Result<std::unique_ptr<kube::Watch>> DirectWatch::start(Store& store,
                                                        rt::Runtime& runtime,
                                                        const kube::WatchRequest& request,
                                                        std::uint64_t from) {
  BERTH_TRY(auto selector, store.compile(request.of));
  std::unique_ptr<DirectWatch> watch(new DirectWatch(
      store, runtime, *request.of.kind, std::move(selector), request.allow_bookmarks));
  watch->position_ = from;
  if (request.send_initial_events || from == 0) {
    watch->position_ = store.resource_version();
    BERTH_TRY(kube::ListPage page, store.list({.of = request.of}, watch->position_));
    for (kube::Document& object : page.items) {
      watch->initial_.push_back(
          {.type = kube::WatchEventType::kAdded, .object = std::move(object)});
    }
    if (request.send_initial_events && request.allow_bookmarks) {
      watch->initial_.push_back(bookmark_event(*request.of.kind, watch->position_, true));
    }
  }
  if (watch->position_ < store.compacted()) {
    return Error(ErrorCode::kGone, "too old resource version");
  }
  return std::unique_ptr<kube::Watch>(std::move(watch));
}

Result<std::optional<kube::WatchEvent>> DirectWatch::poll() {
  if (!initial_.empty()) {
    std::optional<kube::WatchEvent> first(std::move(initial_.front()));
    initial_.pop_front();
    return first;
  }
  if (position_ < store_.compacted()) {
    return Error(ErrorCode::kGone, "too old resource version");
  }
  while (const Change* change = store_.change_after(position_)) {
    position_ = change->resource_version;
    if (auto event = event_of(*change, *selector_)) {
      changes_not_shown_ = 0;
      return event;
    }
    ++changes_not_shown_;
  }
  if (allow_bookmarks_ && changes_not_shown_ >= kBookmarkEvery) {
    changes_not_shown_ = 0;
    return std::optional(bookmark_event(kind_, position_, false));
  }
  return std::optional<kube::WatchEvent>();
}

rt::Task<Result<std::optional<kube::WatchEvent>>> DirectWatch::next(rt::Until until) {
  while (true) {
    auto event = poll();
    if (!event || event->has_value()) {
      co_return event;
    }
    const rt::Wake wake = co_await changed_.wait(until);
    if (wake == rt::Wake::kCancelled) {
      co_return Error(ErrorCode::kCancelled, "nobody waits for the next event");
    }
    if (wake == rt::Wake::kDeadline) {
      co_return Error(ErrorCode::kTimeout, "no event came in time");
    }
  }
}

}  // namespace berth::world
