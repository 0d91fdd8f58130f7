// One process under test: informers of several kinds, a work queue they feed, an elector, an event
// recorder, and a toy controller that works off the queue and writes while it leads. Destroying it
// is a crash.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api/objects/bind_request.h"
#include "api/objects/config_map.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "kube/cache.h"
#include "kube/client.h"
#include "kube/elector.h"
#include "kube/event_recorder.h"
#include "kube/fence.h"
#include "kube/informer.h"
#include "kube/object_key.h"
#include "kube/work_queue.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "sim/informers/judge.h"
#include "sim/informers/mistakes.h"
#include "sim/informers/subject.h"
#include "sim/machines.h"
#include "world/cluster.h"
#include "world/in_process_client.h"

namespace berth::sim::informers {

class Follower final : public Program {
 public:
  struct Options {
    Mistake mistake = Mistake::kNone;
    bool streams_initial_events = false;
  };

  // All of them outlive it.
  Follower(ProgramStart start, world::Cluster& cluster, Judge& judge, Options options);
  ~Follower() override;

  const std::string& name() const { return name_; }
  // What its stores hold now.
  State holds() const;
  bool has_synced() const { return informers_.has_synced(); }
  bool is_leader() const override { return epoch_ != 0 && leads(); }

  // To give the lease back and to finish what it does.
  void cancel() override { scope_.cancel(); }
  bool has_ended() const override { return scope_.size() == 0; }

 private:
  template <typename Object>
  kube::Informer<Object>& follow();
  template <typename Object>
  static void add_to(State& state, const kube::Cache<Object>& cache);
  rt::Task<void> work();
  rt::Task<void> elect();
  rt::Task<bool> handle(Subject subject);
  Seen look_up(const Subject& subject) const;
  // A child's parent too: whether the child is wanted is the parent's affair.
  void enqueue(const Subject& subject);

  // What the leader wants of each kind; false: failed, to be tried again.
  rt::Task<bool> handle_config_map(kube::ObjectKey key);
  rt::Task<bool> keep_child(kube::ObjectKey parent);
  rt::Task<bool> mark_config_map(std::shared_ptr<const api::ConfigMap> map);
  rt::Task<bool> handle_pod(std::shared_ptr<const api::Pod> pod);
  bool leads() const { return fence_.may_send(process_.now()); }
  template <typename Object>
  void record(const Object& object, std::string reason);
  rt::Until soon();
  void lead();

  rt::Runtime& process_;
  std::string name_;
  std::function<void()> crash_;
  Judge& judge_;
  Options options_;
  std::uint64_t epoch_ = 0;

  world::InProcessClient client_;
  SkippingClient skipping_;
  kube::Informers informers_;
  kube::WorkQueue<Subject, QueueState> queue_;
  kube::Informer<api::Pod>& pods_;
  kube::Informer<api::Node>& nodes_;
  kube::Informer<api::ConfigMap>& config_maps_;
  kube::Informer<api::BindRequest>& bind_requests_;
  kube::Elector elector_;
  kube::Fence open_;    // for Mistake::kHasNoFence
  kube::Fence& fence_;  // of the leader
  kube::FencedClient writes_;
  kube::EventRecorder events_;
  rt::WaitQueue never_;  // for Mistake::kNeverFinishes
  rt::Scope scope_;      // last: what runs in it uses all of the above
};

}  // namespace berth::sim::informers
