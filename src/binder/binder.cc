#include "binder/binder.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "api/mask.h"
#include "api/objects/bind_request.h"
#include "api/objects/meta.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "binder/attempt.h"
#include "binder/order.h"
#include "binder/outcome.h"
#include "kube/change.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "kube/object_key.h"
#include "kube/resource_version.h"
#include "kube/typed.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::binder {
namespace {

// A status of ours that does not come back to us in this time is looked for: a store that was
// restored from a copy counts its versions anew.
constexpr rt::Duration kEchoMax = std::chrono::seconds(60);
constexpr std::int64_t kPageSize = 500;

api::Mask pod_mask() {
  return api::Mask::keeping<api::Pod>({"metadata.name",
                                       "metadata.namespace",
                                       "metadata.uid",
                                       "metadata.resourceVersion",
                                       "metadata.deletionTimestamp",
                                       "spec.nodeName",
                                       "spec.volumes.persistentVolumeClaim",
                                       "spec.volumes.ephemeral",
                                       "spec.resourceClaims",
                                       "status.phase"});
}

api::Mask node_mask() {
  return api::Mask::keeping<api::Node>(
      {"metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion"});
}

api::Mask order_mask() {
  return api::Mask::dropping<api::BindRequest>({"metadata.managedFields"});
}

}  // namespace

Binder::Binder(rt::Runtime& runtime,
               kube::Client& client,
               kube::Informers& informers,
               BinderOptions options)
    : runtime_(runtime),
      options_(std::move(options)),
      pods_(informers.add<api::Pod>({.mask = pod_mask()})),
      nodes_(informers.add<api::Node>({.mask = node_mask()})),
      orders_(informers.add<api::BindRequest>({.mask = order_mask()})),
      place_{.runtime = runtime,
             .client = client,
             .pods = pods_.cache(),
             .nodes = nodes_.cache(),
             .orders = orders_.cache(),
             .landings = landings_,
             .options = options_.attempt},
      queue_(runtime, {.backoff = options_.backoff}) {
  orders_.on_change([this](const auto& event) { follow(event); });
}

void Binder::follow(const kube::InformerEvent<api::BindRequest>& event) {
  const kube::ObjectKey key = kube::key_of(*event.newest());
  note_echo(event);
  if (event.type == kube::ChangeType::kDeleted || !is_open(*event.after)) {
    memories_.erase(key);
    return;
  }
  if (is_running_) {
    queue_.add(key);
  }
}

// A status whose answer was lost comes back to us after all.
void Binder::note_echo(const kube::InformerEvent<api::BindRequest>& event) {
  const auto found = memories_.find(kube::key_of(*event.newest()));
  if (found == memories_.end() || event.type != kube::ChangeType::kUpdated) {
    return;
  }
  Memory& memory = *found->second;
  if (memory.perhaps_said && event.after->status != event.before->status &&
      event.after->status == status_after(*event.before, *memory.perhaps_said)) {
    count(*event.before, *memory.perhaps_said, memory);
    memory.perhaps_said.reset();
    memory.must_read_order = false;
  }
}

rt::Task<void> Binder::run(Predecessor predecessor, rt::CancelToken stop, rt::CancelToken give_up) {
  if (predecessor == Predecessor::kVanished) {
    landings_.add_others(rt::after(runtime_.now(), options_.predecessor_max));
  }
  const bool has_caught_up = co_await catch_up(stop);
  if (!has_caught_up) {
    co_return;
  }
  is_running_ = true;
  for (const auto& order : orders_.cache().all()) {
    if (is_open(*order)) {
      queue_.add(kube::key_of(*order));
    }
  }
  rt::Scope scope(runtime_, "binder");
  for (std::size_t i = 0; i < options_.workers; ++i) {
    scope.spawn("bind", work(stop, give_up));
  }
  scope.close();
  co_await scope.drain();
}

rt::Task<bool> Binder::catch_up(rt::CancelToken stop) {
  kube::ListRequest request{.of = {.kind = &api::BindRequest::kKind}, .limit = kPageSize};
  for (std::uint32_t failures = 0; !stop.is_cancelled();) {
    const rt::Until until{.token = stop,
                          .deadline = rt::after(runtime_.now(), options_.attempt.request_max)};
    auto page = co_await place_.client.list(request, until);
    if (page) {
      note_versions(*page);
      request.continue_token = page->continue_token;
      if (request.continue_token.empty()) {
        problem_.reset();
        co_return true;
      }
      continue;
    }
    note_problem(std::move(page).error().in("listing the bind requests"));
    request.continue_token.clear();  // it may be that which is too old
    co_await rt::sleep_for(runtime_, options_.backoff.after(++failures), stop);
  }
  co_return false;
}

void Binder::note_problem(Error problem) {
  // Who gives up its requests has no trouble with them.
  if (problem.code() == ErrorCode::kCancelled) {
    return;
  }
  problem_ = std::move(problem);
  ++counts_.problems;
  if (options_.on_problem) {
    options_.on_problem(*problem_);
  }
}

void Binder::note_versions(const kube::ListPage& page) {
  for (const kube::Document& item : page.items) {
    const auto head = kube::read_head(item);
    if (!head) {
      continue;  // our informer says so too
    }
    const api::ObjectMeta& there = head->metadata;
    const auto known = orders_.cache().find(there.ns, there.name);
    if (known && known->metadata.uid == there.uid &&
        kube::includes_version(known->metadata.resource_version, there.resource_version)) {
      continue;
    }
    memories_[{.ns = there.ns, .name = there.name}] =
        std::make_shared<Memory>(Memory{.uid = there.uid,
                                        .since = runtime_.now(),
                                        .written = there.resource_version,
                                        .written_at = runtime_.now()});
  }
}

rt::Task<void> Binder::work(rt::CancelToken stop, rt::CancelToken give_up) {
  while (true) {
    auto work = co_await queue_.next({.token = stop});
    if (!work) {
      co_return;
    }
    co_await handle(*std::move(work), give_up);
  }
}

rt::Task<void> Binder::handle(Queue::Work work, rt::CancelToken give_up) {
  const auto order = orders_.cache().find(work.key());
  if (!order || !is_open(*order)) {
    work.done();
    co_return;
  }
  const auto memory = memory_of(*order);
  if (const auto delay = too_early(*order, *memory)) {
    work.again_after(*delay);
    co_return;
  }
  ++in_work_;
  ++counts_.attempts;
  Attempt attempt(place_, order, memory, give_up);
  const Next next = co_await attempt.run();
  --in_work_;
  report(*order, *memory, attempt, next);
  switch (next.what) {
    case Next::What::kDone:
      work.done();
      break;
    case Next::What::kRetry:
      work.retry();
      break;
    case Next::What::kLater:
      work.again_after(next.delay);
      break;
  }
}

std::shared_ptr<Memory> Binder::memory_of(const api::BindRequest& order) {
  auto& memory = memories_[kube::key_of(order)];
  if (!memory || memory->uid != order.metadata.uid) {
    memory = std::make_shared<Memory>(Memory{.uid = order.metadata.uid, .since = runtime_.now()});
  }
  return memory;
}

std::optional<rt::Duration> Binder::too_early(const api::BindRequest& order, Memory& memory) const {
  const rt::Time now = runtime_.now();
  // What we know is older than what we wrote; when it comes back to us it brings its key along.
  if (!memory.written.empty() &&
      !kube::includes_version(order.metadata.resource_version, memory.written)) {
    const rt::Duration waited = now - memory.written_at;
    if (waited < kEchoMax) {
      return kEchoMax - waited;
    }
    memory.written.clear();
    memory.must_read_order = true;
  }
  if (now < memory.not_before) {
    return memory.not_before - now;
  }
  return std::nullopt;
}

void Binder::count(const api::BindRequest& order, const Outcome& outcome, const Memory& memory) {
  ++(outcome.is_bound ? counts_.bound : counts_.failed);
  if (options_.on_said) {
    options_.on_said(order, outcome, runtime_.now() - memory.since);
  }
}

void Binder::report(const api::BindRequest& order,
                    const Memory& memory,
                    const Attempt& attempt,
                    const Next& next) {
  if (const auto& said = attempt.said()) {
    count(order, *said, memory);
  }
  // Who gives up its requests has no trouble with them.
  if (next.trouble && next.trouble->code() != ErrorCode::kCancelled) {
    ++counts_.troubles;
    if (options_.on_trouble) {
      options_.on_trouble(order, *next.trouble);
    }
  }
}

}  // namespace berth::binder
