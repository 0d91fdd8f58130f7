// The watch of a DirectClient: it reads the store's log.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "kube/client.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "world/store.h"
#include "world/watch_cursor_internal.h"

namespace berth::world {

class DirectWatch final : public kube::Watch {
 public:
  // Store and runtime outlive it.
  DirectWatch(Store& store, rt::Runtime& runtime, WatchCursor cursor, bool allow_bookmarks);
  ~DirectWatch() override;

  rt::Task<Result<std::optional<kube::WatchEvent>>> next(rt::Until until) override;

 private:
  // The next event there is now, if any. kGone when the log no longer reaches back far enough.
  Result<std::optional<kube::WatchEvent>> poll();

  Store& store_;
  const bool allow_bookmarks_;
  std::uint64_t observer_;

  rt::WaitQueue changed_;
  WatchCursor cursor_;
  std::uint64_t shown_;  // up to where the reader has been told
};

}  // namespace berth::world
