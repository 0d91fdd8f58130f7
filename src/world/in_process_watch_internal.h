// A stream of one API server's events, as one process sees it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "kube/client.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "world/cluster.h"
#include "world/store.h"

namespace berth::world {

class InProcessWatch final : public kube::Watch {
 public:
  // Shows what the server hears after `position`, behind the initial events.
  InProcessWatch(Cluster& cluster,
                 ApiServer& server,
                 rt::Runtime& process,
                 kube::WatchRequest request,
                 std::shared_ptr<const Selector> selector,
                 std::uint64_t position);

  // The initial events, sent before anything else and followed by their bookmark.
  void begin_with(std::vector<kube::Document> objects);

  rt::Task<Result<std::optional<kube::WatchEvent>>> next(rt::Until until) override;

 private:
  // The next event that can be shown now.
  std::optional<kube::WatchEvent> take_event();
  // Whether the change is not shown because the next one of the same object is known already.
  bool is_skipped(const Change& change) const;
  kube::WatchEvent bookmark(bool ends_initial_events) const;

  Cluster& cluster_;
  ApiServer& server_;
  rt::Runtime& process_;
  kube::WatchRequest request_;
  std::shared_ptr<const Selector> selector_;
  std::uint64_t position_;
  std::deque<kube::WatchEvent> initial_;
  rt::Time bookmark_due_;
  rt::Time end_;  // servers close streams after some minutes
};

}  // namespace berth::world
