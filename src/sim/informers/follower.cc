#include "sim/informers/follower.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "api/objects/bind_request.h"
#include "api/objects/config_map.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "kube/cache.h"
#include "kube/change.h"
#include "kube/client.h"
#include "kube/elector.h"
#include "kube/informer.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "sim/informers/judge.h"
#include "sim/informers/mistakes.h"
#include "sim/informers/subject.h"
#include "sim/informers/wish.h"
#include "sim/machines.h"
#include "world/cluster.h"

namespace berth::sim::informers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kWorkers = 3;

template <typename Object>
Subject subject_of(const Object& object) {
  return {.kind = &Object::kKind, .key = kube::key_of(object)};
}

template <typename Object>
Seen seen_of(const Object& object) {
  return {.uid = object.metadata.uid, .version = number_of(object.metadata.resource_version)};
}

template <typename Object>
Seen seen_in(const kube::Cache<Object>& cache, const kube::ObjectKey& key) {
  const auto object = cache.find(key);
  return object ? seen_of(*object) : Seen{};
}

}  // namespace

Follower::Follower(ProgramStart start, world::Cluster& cluster, Judge& judge, Options options)
    : process_(start.process),
      name_(std::move(start.name)),
      crash_(std::move(start.crash)),
      judge_(judge),
      options_(options),
      client_(cluster, process_, name_, crash_),
      skipping_(client_),
      informers_(
          process_,
          options_.mistake == Mistake::kResumesFromWrongVersion
              ? static_cast<kube::Client&>(skipping_)
              : client_,
          {.watcher = {.page_size = 3, .streams_initial_events = options_.streams_initial_events}}),
      queue_(process_, {.is_forgetful = options_.mistake == Mistake::kForgetsWhileHandled}),
      pods_(follow<api::Pod>()),
      nodes_(follow<api::Node>()),
      config_maps_(follow<api::ConfigMap>()),
      bind_requests_(follow<api::BindRequest>()),
      elector_(process_,
               client_,
               {.lease = {.ns = "kube-system", .name = "sim"},
                .identity = name_,
                .renew_deadline = Judge::kRenewDeadline},
               {.on_elected = [this] { lead(); },
                .on_deposed = [this] { judge_.note(name(), "leads no more"); }}),
      open_(process_),
      fence_(options_.mistake == Mistake::kHasNoFence ? open_ : elector_.fence()),
      writes_(process_, client_, fence_),
      events_(process_, writes_, {.component = "sim", .instance = name_}, {}),
      never_(process_, "a partner that never comes"),
      scope_(process_, name_) {
  judge_.started(name_);
  scope_.spawn("informers", informers_.run(scope_.token()));
  scope_.spawn("elector", elect());
  scope_.spawn("events", events_.run(scope_.token()));
  for (int i = 0; i < kWorkers; ++i) {
    scope_.spawn("worker", work());
  }
}

Follower::~Follower() {
  judge_.ended(name_);
}

template <typename Object>
kube::Informer<Object>& Follower::follow() {
  kube::Informer<Object>& informer = options_.mistake == Mistake::kSwapsInPieces
                                         ? informers_.add_as<PiecewiseInformer<Object>>()
                                     : options_.mistake == Mistake::kDeletesToChange
                                         ? informers_.add_as<DeletingInformer<Object>>()
                                         : informers_.add<Object>();
  informer.on_change([this, &informer](const kube::InformerEvent<Object>& event) {
    const Subject subject = subject_of(*event.newest());
    if (event.type != kube::ChangeType::kDeleted) {
      judge_.told(name(), subject, seen_of(*event.newest()));
    } else {
      judge_.told_gone(
          name(), subject, event.before->metadata.uid, number_of(event.resource_version));
    }
    if (event.is_relist) {
      State holds;
      add_to(holds, informer.cache());
      judge_.told_by_relist(name(), Object::kKind, holds);
    }
    enqueue(subject);
  });
  return informer;
}

template <typename Object>
void Follower::add_to(State& state, const kube::Cache<Object>& cache) {
  for (const auto& object : cache.all()) {
    state[subject_of(*object)] = seen_of(*object);
  }
}

State Follower::holds() const {
  State state;
  add_to(state, pods_.cache());
  add_to(state, nodes_.cache());
  add_to(state, config_maps_.cache());
  add_to(state, bind_requests_.cache());
  return state;
}

Seen Follower::look_up(const Subject& subject) const {
  if (*subject.kind == api::Pod::kKind) {
    return seen_in(pods_.cache(), subject.key);
  }
  if (*subject.kind == api::Node::kKind) {
    return seen_in(nodes_.cache(), subject.key);
  }
  if (*subject.kind == api::ConfigMap::kKind) {
    return seen_in(config_maps_.cache(), subject.key);
  }
  return seen_in(bind_requests_.cache(), subject.key);
}

void Follower::lead() {
  epoch_ = judge_.elected(name());
  open_.raise_until(rt::kNever);
  // What was handled while somebody else led is looked at again.
  for (const auto& [subject, seen] : holds()) {
    enqueue(subject);
  }
}

void Follower::enqueue(const Subject& subject) {
  queue_.add(subject);
  if (*subject.kind == api::ConfigMap::kKind && is_child(subject.key)) {
    queue_.add({.kind = subject.kind, .key = parent_of(subject.key)});
  }
}

rt::Task<void> Follower::elect() {
  const rt::CancelToken token = scope_.token();
  co_await elector_.run(token);
  if (token.is_cancelled()) {
    co_return;
  }
  // Who has lost its lease ends and begins anew, but not in the same moment: what it does meanwhile
  // must do no harm.
  const rt::Duration linger = process_.random().between(milliseconds(0), seconds(5));
  co_await rt::sleep_for(process_, linger, token);
  crash_();
}

rt::Until Follower::soon() {
  return {.token = scope_.token(), .deadline = process_.now() + seconds(15)};
}

rt::Task<void> Follower::work() {
  while (true) {
    auto work = co_await queue_.next({.token = scope_.token()});
    if (!work) {
      co_return;
    }
    const Subject subject = work->key();
    judge_.begin_work(name(), subject);
    const Seen seen = look_up(subject);
    const bool is_done = co_await handle(subject);
    judge_.end_work(name(), subject, seen);
    if (is_done) {
      work->done();
    } else {
      work->retry();
    }
  }
}

rt::Task<bool> Follower::handle(Subject subject) {
  const rt::Duration effort = process_.random().between(milliseconds(0), milliseconds(300));
  co_await rt::sleep_for(process_, effort, scope_.token());
  if (options_.mistake == Mistake::kNeverFinishes) {
    co_await never_.wait({});
  }
  if (!leads()) {
    co_return true;
  }
  if (*subject.kind == api::Pod::kKind) {
    auto pod = pods_.cache().find(subject.key);
    const bool is_done = pod ? co_await handle_pod(std::move(pod)) : true;
    co_return is_done;
  }
  if (*subject.kind == api::ConfigMap::kKind) {
    const bool is_done = co_await handle_config_map(subject.key);
    co_return is_done;
  }
  co_return true;
}

}  // namespace berth::sim::informers
