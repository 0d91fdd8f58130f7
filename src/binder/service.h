// A binder process but for its surroundings: it follows the cluster, stands for election, binds
// while it leads, and ends in order.
//
//   Service service(runtime, client, {.election = kube::ElectorOptions{...}});
//   const Service::End end = co_await service.run(stop);
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "binder/binder.h"
#include "kube/client.h"
#include "kube/elector_state.h"
#include "kube/informer.h"
#include "kube/problem.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::binder {

struct ServiceOptions {
  // Nothing: it acts without asking anybody, which is for who knows that it is the only one.
  std::optional<kube::ElectorOptions> election;
  BinderOptions binder;
  kube::Informers::Options informers;
  // What it has begun when it is asked to end may take so long.
  rt::Duration drain_max = std::chrono::seconds(8);
  // Called between two awaits; may be empty.
  std::function<void()> on_leading;
  // As kube::ElectorHandlers::on_problem.
  std::function<void(const kube::Problem& problem)> on_election_problem;
};

class Service {
 public:
  // How it ended.
  enum class End : std::uint8_t {
    kStopped,  // as it was asked to: nothing of it is under way
    kDeposed,  // its lease was lost: who wants to go on makes another one
  };

  // Runtime and client outlive it.
  Service(rt::Runtime& runtime, kube::Client& client, ServiceOptions options);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  // Until `stop`, or until it is deposed. Once.
  rt::Task<End> run(rt::CancelToken stop);

  bool has_synced() const { return informers_.has_synced(); }
  // It may act now.
  bool is_leader() const;
  // As far as we have seen; empty: nobody, or nobody is elected here.
  std::string leader() const;
  Binder& binder() { return binder_; }
  const Binder& binder() const { return binder_; }

 private:
  struct Election;

  rt::Task<void> elect();
  rt::Task<void> bind();
  void lead();
  void step_down();

  rt::Runtime& runtime_;
  ServiceOptions options_;
  kube::Informers informers_;
  std::unique_ptr<Election> election_;  // nullptr: without
  Binder binder_;
  rt::CancelSource stop_binding_;
  rt::CancelSource give_up_;
  rt::CancelSource stop_electing_;
  bool is_binding_ = false;
  bool is_electing_ = false;
  rt::WaitQueue changed_;  // one of the two
  rt::Scope scope_;        // last: what runs in it uses all of the above
};

}  // namespace berth::binder
