// A stream of one API server's events, as one process sees it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "kube/client.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "world/cluster.h"
#include "world/watch_cursor_internal.h"

namespace berth::world {

class InProcessWatch final : public kube::Watch {
 public:
  struct Options {
    std::string reader;  // for the trace
    bool allow_bookmarks = true;
  };

  // Shows what the server hears from `cursor` on. All but the last two outlive it.
  InProcessWatch(Cluster& cluster,
                 ApiServer& server,
                 rt::Runtime& process,
                 WatchCursor cursor,
                 Options options);

  rt::Task<Result<std::optional<kube::WatchEvent>>> next(rt::Until until) override;

 private:
  rt::Task<Result<std::optional<kube::WatchEvent>>> read(rt::Until until);
  // Whether the stream breaks off here: in order, or as a connection that is lost.
  std::optional<Result<std::optional<kube::WatchEvent>>> cut();

  Cluster& cluster_;
  ApiServer& server_;
  rt::Runtime& process_;
  Options options_;
  WatchCursor cursor_;
  rt::Time bookmark_due_;  // kNever where none is wanted
  rt::Time end_;           // servers close streams after some minutes
};

}  // namespace berth::world
