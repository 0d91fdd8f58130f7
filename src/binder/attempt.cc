#include "binder/attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/codec.h"
#include "api/objects/bind_request.h"
#include "api/objects/binding.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "binder/landings.h"
#include "binder/order.h"
#include "binder/outcome.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::binder {
namespace {

// Which kind of GPU allocation the pod got; other components read it.
constexpr std::string_view kReceivedType = "received-resource-type";

// Whether an answer says that the same request will be refused for ever. That we may not is not
// among them: a server that has just started does not know yet who may what.
bool is_final(ErrorCode code) {
  return code == ErrorCode::kInvalid || code == ErrorCode::kLimit;
}

void forget_troubles(Memory& memory) {
  memory.refused_since.reset();
  memory.troubled_since.reset();
  memory.given_up.reset();
  memory.has_tried_last = false;
}

}  // namespace

rt::Task<Next> Attempt::run() {
  if (memory_->must_read_order) {
    auto is_open = co_await read_order();
    if (!is_open) {
      co_return unreadable(std::move(is_open).error());
    }
    if (!*is_open) {
      co_return Next{};
    }
  }
  if (memory_->bound_to) {
    co_return co_await say_bound(*memory_->bound_to);
  }
  if (memory_->given_up) {
    co_return co_await fail(*memory_->given_up);
  }
  if (auto flaw = flaw_of(*order_)) {
    co_return co_await say({.reason = *std::move(flaw)});
  }
  const auto cached = place_.pods.find(pod_of(*order_));
  Seen known = seen(cached.get());
  // A cache may be late. What it shows is enough to bind by, since the server looks again; and a
  // pod that is bound stays so, if it is the one that is meant.
  const bool is_enough =
      std::holds_alternative<ToBind>(known.judgement) ||
      (std::holds_alternative<IsBound>(known.judgement) && wanted_uid(*order_).has_value());
  if (memory_->must_look || !is_enough) {
    auto looked = co_await look();
    if (!looked) {
      co_return unreadable(std::move(looked).error());
    }
    known = *std::move(looked);
  }
  co_return co_await act_on(std::move(known));
}

rt::Task<Result<bool>> Attempt::read_order() {
  const kube::ObjectKey key = kube::key_of(*order_);
  auto order = co_await kube::get_object<api::BindRequest>(&place_.client, key, soon());
  if (!order && order.error().code() != ErrorCode::kNotFound) {
    co_return std::move(order).error().in("reading bind request " + key.text());
  }
  if (!order || order->metadata.uid != memory_->uid) {
    co_return false;  // the cache will say so too
  }
  memory_->must_read_order = false;
  const auto perhaps_said = std::exchange(memory_->perhaps_said, std::nullopt);
  if (perhaps_said && order->status == status_after(*order_, *perhaps_said)) {
    // Our status has landed. The cache will bring the order back when it knows of it.
    note_said(order->metadata.resource_version, perhaps_said->is_bound);
    said_ = perhaps_said;
    co_return false;
  }
  order_ = std::make_shared<const api::BindRequest>(*std::move(order));
  if (!is_open(*order_)) {
    // By somebody else. What the cache still shows is not to be acted on.
    memory_->written = order_->metadata.resource_version;
    memory_->written_at = place_.runtime.now();
    co_return false;
  }
  co_return true;
}

Attempt::Seen Attempt::seen(const api::Pod* pod) const {
  return {.judgement = judge(*order_, pod),
          .uid = pod != nullptr ? pod->metadata.uid : std::string()};
}

rt::Task<Result<Attempt::Seen>> Attempt::look() {
  auto pod = co_await kube::get_object<api::Pod>(&place_.client, pod_of(*order_), soon());
  if (!pod && pod.error().code() != ErrorCode::kNotFound) {
    co_return std::move(pod).error().in("reading pod " + pod_of(*order_).text());
  }
  memory_->must_look = false;
  co_return seen(pod ? &*pod : nullptr);
}

rt::Task<Next> Attempt::act_on(Seen seen) {
  if (auto* is_bound = std::get_if<IsBound>(&seen.judgement)) {
    co_return co_await say_bound(std::move(is_bound->node));
  }
  if (auto* refused = std::get_if<IsRefused>(&seen.judgement)) {
    if (refused->is_beyond_binding) {
      co_return co_await say({.reason = std::move(refused->reason)});
    }
    co_return co_await fail(std::move(refused->reason));
  }
  auto exists = co_await node_exists();
  if (!exists) {
    co_return unreadable(std::move(exists).error());
  }
  if (!*exists) {
    co_return co_await fail(not_found("Node", order_->spec.selected_node));
  }
  co_return co_await bind(std::move(seen.uid));
}

rt::Task<Result<bool>> Attempt::node_exists() {
  const kube::ObjectKey key{.name = order_->spec.selected_node};
  if (place_.nodes.find(key)) {
    co_return true;
  }
  auto node = co_await kube::get_object<api::Node>(&place_.client, key, soon());
  if (!node && node.error().code() != ErrorCode::kNotFound) {
    co_return std::move(node).error().in("reading node " + key.name);
  }
  co_return node.has_value();
}

bool Attempt::still_stands() const {
  const auto order = place_.orders.find(kube::key_of(*order_));
  return order && order->metadata.uid == order_->metadata.uid && is_open(*order);
}

rt::Task<Next> Attempt::bind(std::string pod_uid) {
  if (!still_stands()) {
    co_return Next{};
  }
  kube::CreateRequest request{.kind = &api::Pod::kKind,
                              .key = pod_of(*order_),
                              .subresource = "binding",
                              .body = binding_body(pod_uid)};
  auto answer = co_await place_.client.create(std::move(request), soon());
  if (answer) {
    co_return co_await say_bound(order_->spec.selected_node);
  }
  co_return co_await take(std::move(answer).error());
}

rt::Task<Next> Attempt::take(Error refusal) {
  const ErrorCode code = refusal.code();
  const bool is_refused = code == ErrorCode::kConflict || code == ErrorCode::kNotFound;
  if (!is_refused) {
    memory_->refused_since.reset();
  }
  if (is_final(code)) {
    co_return co_await fail(failure(refusal));
  }
  if (code == ErrorCode::kUnknownOutcome) {
    const rt::Time now = place_.runtime.now();
    place_.landings.add(pod_of(*order_), rt::after(now, place_.options.landing_max), now);
  }
  // Also where nothing that we can see stands against it: the next answer may be another one.
  memory_->must_look = is_refused || code == ErrorCode::kUnknownOutcome;
  co_return is_refused
      ? co_await doubt(std::move(refusal), &memory_->refused_since, place_.options.refusal_max)
      : co_await doubt(std::move(refusal), &memory_->troubled_since, place_.options.trouble_max);
}

rt::Task<Next> Attempt::doubt(Error refusal, std::optional<rt::Time>* since, rt::Duration max) {
  const rt::Time now = place_.runtime.now();
  if (!*since) {
    *since = now;
  }
  if (now - **since < max) {
    co_return again(std::move(refusal));
  }
  memory_->given_up = failure(refusal);
  co_return co_await fail(*memory_->given_up);
}

rt::Task<Next> Attempt::fail(std::string reason) {
  const rt::Time now = place_.runtime.now();
  const rt::Time landed_by = place_.landings.of(pod_of(*order_));
  if (now < landed_by) {
    memory_->must_look = true;
    co_return Next{.what = Next::What::kLater, .delay = landed_by - now};
  }
  auto looked = co_await look();
  if (!looked) {
    co_return unreadable(std::move(looked).error());
  }
  if (auto* is_bound = std::get_if<IsBound>(&looked->judgement)) {
    co_return co_await say_bound(std::move(is_bound->node));
  }
  if (memory_->given_up && std::holds_alternative<ToBind>(looked->judgement) &&
      !std::exchange(memory_->has_tried_last, true)) {
    co_return co_await act_on(*std::move(looked));
  }
  co_return co_await say({.reason = std::move(reason)});
}

Next Attempt::unreadable(Error trouble) {
  forget_troubles(*memory_);
  return again(std::move(trouble));
}

rt::Task<Next> Attempt::say_bound(std::string node) {
  memory_->bound_to = node;
  co_return co_await say(bound(*order_, node));
}

rt::Task<Next> Attempt::say(Outcome outcome) {
  auto said = co_await kube::patch_object<api::BindRequest>(
      &place_.client, kube::key_of(*order_), status_patch(*order_, outcome), soon(), "status");
  if (!said) {
    if (said.error().code() == ErrorCode::kNotFound) {
      co_return Next{};
    }
    // It may say so already, or the order has changed since we read it.
    const ErrorCode code = said.error().code();
    memory_->must_read_order =
        code == ErrorCode::kUnknownOutcome || code == ErrorCode::kConflict || is_final(code);
    if (code == ErrorCode::kUnknownOutcome) {
      memory_->perhaps_said = std::move(outcome);
    }
    co_return again(
        std::move(said).error().in("writing the status of " + kube::key_of(*order_).text()));
  }
  note_said(said->metadata.resource_version, outcome.is_bound);
  said_ = std::move(outcome);
  co_return Next{};
}

void Attempt::note_said(const std::string& version, bool is_bound) {
  const rt::Time now = place_.runtime.now();
  memory_->written = version;
  memory_->written_at = now;
  forget_troubles(*memory_);
  const auto delay = delay_after_failure(*order_);
  if (!is_bound && delay) {
    memory_->not_before = rt::after(now, *delay);
  }
}

std::string Attempt::binding_body(const std::string& pod_uid) const {
  api::Binding binding;
  binding.metadata.ns = order_->metadata.ns;
  binding.metadata.name = order_->spec.pod_name;
  binding.metadata.uid = pod_uid;
  // Written into the pod together with its node: a write less than a patch of its own.
  binding.metadata.annotations.insert_or_assign(std::string(kReceivedType),
                                                order_->spec.received_resource_type);
  binding.target.kind = "Node";
  binding.target.name = order_->spec.selected_node;
  return api::to_json(binding);
}

std::string Attempt::failure(const Error& error) const {
  return fmt::format("failed to bind pod <{}> to node <{}>: {}",
                     pod_of(*order_).text(),
                     order_->spec.selected_node,
                     error.text());
}

rt::Until Attempt::soon() const {
  return {.token = give_up_,
          .deadline = rt::after(place_.runtime.now(), place_.options.request_max)};
}

Next Attempt::again(Error trouble) const {
  const rt::Duration delay =
      std::min<rt::Duration>(trouble.retry_after(), place_.options.patience_max);
  return {.what = delay > rt::Duration{} ? Next::What::kLater : Next::What::kRetry,
          .delay = delay,
          .trouble = std::move(trouble)};
}

}  // namespace berth::binder
