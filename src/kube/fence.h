// Until when this process may act as the leader, and a Client that keeps to it.
//
// A leader may send until its renew deadline, counted on its own monotonic clock from the moment it
// SENT the last renewal that was applied. Others wait longer than that from the moment they saw the
// renewal, which is later; so whatever the clocks say, nothing is sent by two leaders at once. That
// clock counts the time a machine sleeps (rt/real/real_runtime.cc).
//
// What remains is one request: a process that is frozen after it has looked at the clock and before
// its bytes have left sends them when it is woken up, however late. Preconditions are for that.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "base/result.h"
#include "kube/client.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube {

// Down until raised. Raised and dropped by an Elector. Outlives every write that passes it.
class Fence {
 public:
  explicit Fence(rt::Runtime& runtime) : runtime_(runtime), idle_(runtime, "writes in flight") {}
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;

  bool may_send(rt::Time now) const { return now < end_; }
  // The first moment at which nothing may be sent.
  rt::Time end() const { return end_; }

  void raise_until(rt::Time end) { end_ = end; }
  void drop() { end_ = rt::Time::min(); }

  // Writes that have been sent and not answered.
  std::size_t writes_in_flight() const { return writes_; }
  // Waits until there are none, or until `until`.
  rt::Task<void> wait_until_idle(rt::Until until);
  // When the last write ended of which nobody knows whether it was applied, or still will be: its
  // answer was lost, or whoever sent it did not wait for one. Nothing when there was none.
  std::optional<rt::Time> last_unknown() const { return last_unknown_; }

 private:
  friend class FencedClient;
  class Write;

  rt::Runtime& runtime_;
  rt::Time end_ = rt::Time::min();
  std::size_t writes_ = 0;
  std::optional<rt::Time> last_unknown_;
  rt::WaitQueue idle_;
};

// Refuses a write with kCancelled once the fence is down, and gives every other one a deadline no
// later than the fence's end. Reads pass. All three outlive it.
class FencedClient final : public Client {
 public:
  FencedClient(rt::Runtime& runtime, Client& client, Fence& fence)
      : runtime_(runtime), client_(client), fence_(fence) {}

  rt::Task<Result<Document>> get(GetRequest request, rt::Until until) override;
  rt::Task<Result<ListPage>> list(ListRequest request, rt::Until until) override;
  rt::Task<Result<std::unique_ptr<Watch>>> watch(WatchRequest request, rt::Until until) override;
  rt::Task<Result<Document>> create(CreateRequest request, rt::Until until) override;
  rt::Task<Result<Document>> patch(PatchRequest request, rt::Until until) override;
  rt::Task<Result<void>> remove(RemoveRequest request, rt::Until until) override;

 private:
  rt::Until before_fence(rt::Until until) const;

  rt::Runtime& runtime_;
  Client& client_;
  Fence& fence_;
};

}  // namespace berth::kube
