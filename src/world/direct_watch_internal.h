// The watch of a DirectClient: it reads the store's log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "api/kind.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "world/store.h"

namespace berth::world {

class DirectWatch final : public kube::Watch {
 public:
  // `from` is the resourceVersion of the request as a number, 0 if it says nothing. Then, and with
  // initial events, the stream begins with the newest state.
  static Result<std::unique_ptr<kube::Watch>> start(Store& store,
                                                    rt::Runtime& runtime,
                                                    const kube::WatchRequest& request,
                                                    std::uint64_t from);
  ~DirectWatch() override;

  rt::Task<Result<std::optional<kube::WatchEvent>>> next(rt::Until until) override;

 private:
  DirectWatch(Store& store,
              rt::Runtime& runtime,
              const api::Kind& kind,
              std::shared_ptr<const Selector> selector,
              bool allow_bookmarks);

  // The next event there is now, if any. kGone when the log no longer reaches back far enough.
  Result<std::optional<kube::WatchEvent>> poll();

  // Constant after start.
  Store& store_;
  const api::Kind& kind_;
  const std::shared_ptr<const Selector> selector_;
  const bool allow_bookmarks_;
  std::uint64_t observer_ = 0;

  rt::WaitQueue changed_;
  std::uint64_t position_ = 0;
  std::deque<kube::WatchEvent> initial_;
  std::size_t changes_not_shown_ = 0;
};

}  // namespace berth::world
