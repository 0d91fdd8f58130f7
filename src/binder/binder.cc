#include "binder/binder.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "api/mask.h"
#include "api/objects/bind_request.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "binder/attempt.h"
#include "binder/order.h"
#include "kube/change.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "kube/resource_version.h"
#include "kube/typed.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::binder {
namespace {

// A status of ours that does not come back to us in this time is looked for: a store that was
// restored from a copy counts its versions anew.
constexpr rt::Duration kEchoMax = std::chrono::seconds(60);

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
             .options = options_.attempt},
      queue_(runtime, {.backoff = options_.backoff}) {
  orders_.on_change([this](const auto& event) { follow(event); });
}

void Binder::follow(const kube::InformerEvent<api::BindRequest>& event) {
  const kube::ObjectKey key = kube::key_of(*event.newest());
  if (event.type == kube::ChangeType::kDeleted || !is_open(*event.after)) {
    memories_.erase(key);
    return;
  }
  queue_.add(key);
}

rt::Task<void> Binder::run(Predecessor predecessor, rt::CancelToken stop, rt::CancelToken give_up) {
  if (predecessor == Predecessor::kVanished) {
    place_.others_landed_by = rt::after(runtime_.now(), options_.predecessor_max);
  }
  rt::Scope scope(runtime_, "binder");
  for (std::size_t i = 0; i < options_.workers; ++i) {
    scope.spawn("bind", work(stop, give_up));
  }
  scope.close();
  co_await scope.drain();
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

void Binder::report(const api::BindRequest& order,
                    const Memory& memory,
                    const Attempt& attempt,
                    const Next& next) {
  if (const auto& said = attempt.said()) {
    ++(said->is_bound ? counts_.bound : counts_.failed);
    if (options_.on_said) {
      options_.on_said(order, *said, runtime_.now() - memory.since);
    }
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
