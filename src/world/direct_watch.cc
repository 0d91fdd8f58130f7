#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "world/direct_watch_internal.h"
#include "world/store.h"
#include "world/watch_cursor_internal.h"

namespace berth::world {
namespace {

// After this many changes that do not concern it, a watch says by a bookmark where it is.
constexpr std::uint64_t kBookmarkEvery = 100;

}  // namespace

DirectWatch::DirectWatch(Store& store,
                         rt::Runtime& runtime,
                         WatchCursor cursor,
                         bool allow_bookmarks)
    : store_(store),
      allow_bookmarks_(allow_bookmarks),
      observer_(store.on_change([this] { changed_.notify_all(); })),
      changed_(runtime, "a change in the store"),
      cursor_(std::move(cursor)),
      shown_(cursor_.position()) {}

DirectWatch::~DirectWatch() {
  store_.forget_observer(observer_);
}

Result<std::optional<kube::WatchEvent>> DirectWatch::poll() {
  auto event = cursor_.next(store_.resource_version());
  if (!event || *event) {
    shown_ = cursor_.position();
    return event;
  }
  if (allow_bookmarks_ && cursor_.position() - shown_ >= kBookmarkEvery) {
    shown_ = cursor_.position();
    return std::optional(cursor_.bookmark());
  }
  return event;
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
