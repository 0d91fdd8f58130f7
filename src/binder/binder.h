// Fulfils BindRequests: follows them, binds their pods, and says in their status what came of it.
//
// service.h is a whole process around it.
//
// Any process may run one at any time after another, in whatever way that one ended: all that
// counts is in the cluster.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "api/objects/bind_request.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/hash_map.h"
#include "binder/attempt.h"
#include "binder/landings.h"
#include "binder/outcome.h"
#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "kube/object_key.h"
#include "kube/work_queue.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::binder {

// Who bound before us.
enum class Predecessor : std::uint8_t {
  kNone,      // nobody, or who ended in order: nothing of it is under way
  kVanished,  // nobody knows: a binding of it may still be applied
};

struct BinderOptions {
  // Orders that are worked on at once. One that waits for a server costs no more than its memory.
  std::size_t workers = 128;
  kube::Backoff backoff{.min = std::chrono::milliseconds(20), .max = std::chrono::seconds(10)};
  AttemptOptions attempt;
  // What a predecessor that vanished has sent is applied within this time or never.
  rt::Duration predecessor_max = std::chrono::seconds(90);
  // Called between two awaits; may be empty. The status of an order now says this; `took` is since
  // the first attempt.
  std::function<void(const api::BindRequest& order, const Outcome& outcome, rt::Duration took)>
      on_said;
  // An attempt ended without an outcome, and will be made again.
  std::function<void(const api::BindRequest& order, const Error& trouble)> on_trouble;
  // It cannot begin: the orders cannot be listed. Tried again.
  std::function<void(const Error& problem)> on_problem;
};

struct BinderCounts {
  std::uint64_t attempts = 0;
  std::uint64_t bound = 0;   // orders that were said to be
  std::uint64_t failed = 0;  // likewise; one that may be tried again counts each time
  std::uint64_t troubles = 0;
  std::uint64_t problems = 0;  // lists of orders that failed when it began
};

class Binder {
 public:
  // Adds pods, nodes and BindRequests to `informers`, which have not run yet. All of them outlive
  // it; a `client` that is fenced keeps it from acting when it must not.
  Binder(rt::Runtime& runtime,
         kube::Client& client,
         kube::Informers& informers,
         BinderOptions options);

  // Works until `stop`, and then on what it has begun, until `give_up`. Once, and when the
  // informers have synced.
  rt::Task<void> run(Predecessor predecessor, rt::CancelToken stop, rt::CancelToken give_up);

  // When no binding that was sent, by us or before us, can be applied any more.
  rt::Time settled_at() const { return landings_.last(); }

  // What keeps it from beginning, while something does.
  const std::optional<Error>& problem() const { return problem_; }
  const BinderCounts& counts() const { return counts_; }
  // Orders in line, waiting or worked on.
  std::size_t open() const { return queue_.size(); }
  std::size_t in_work() const { return in_work_; }

  kube::Informer<api::Pod>& pods() { return pods_; }
  kube::Informer<api::Node>& nodes() { return nodes_; }
  kube::Informer<api::BindRequest>& orders() { return orders_; }

 private:
  using Queue = kube::WorkQueue<kube::ObjectKey>;

  void follow(const kube::InformerEvent<api::BindRequest>& event);
  void note_echo(const kube::InformerEvent<api::BindRequest>& event);
  // Learns which orders are closed already, however late our cache is. False when it is to stop.
  rt::Task<bool> catch_up(rt::CancelToken stop);
  void note_problem(Error problem);
  void note_versions(const kube::ListPage& page);
  rt::Task<void> work(rt::CancelToken stop, rt::CancelToken give_up);
  rt::Task<void> handle(Queue::Work work, rt::CancelToken give_up);
  std::shared_ptr<Memory> memory_of(const api::BindRequest& order);
  // How long the order is to be left alone; nothing when it is its turn.
  std::optional<rt::Duration> too_early(const api::BindRequest& order, Memory& memory) const;
  void count(const api::BindRequest& order, const Outcome& outcome, const Memory& memory);
  void report(const api::BindRequest& order,
              const Memory& memory,
              const Attempt& attempt,
              const Next& next);

  rt::Runtime& runtime_;
  BinderOptions options_;
  kube::Informer<api::Pod>& pods_;
  kube::Informer<api::Node>& nodes_;
  kube::Informer<api::BindRequest>& orders_;
  Landings landings_;
  Attempt::Place place_;
  Queue queue_;
  HashMap<kube::ObjectKey, std::shared_ptr<Memory>> memories_;
  std::optional<Error> problem_;
  BinderCounts counts_;
  std::size_t in_work_ = 0;
  bool is_running_ = false;
};

}  // namespace berth::binder
