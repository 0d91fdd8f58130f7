#include "binder/harbour.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec.h"
#include "api/kind.h"
#include "api/objects/bind_request.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/result.h"
#include "binder/binder.h"
#include "kube/client.h"
#include "net/wake_error.h"
#include "rt/reactor.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::binder {

class FatedClient::HeldWatch final : public kube::Watch {
 public:
  HeldWatch(std::unique_ptr<kube::Watch> watch, const api::Kind& kind, FatedClient& client)
      : watch_(std::move(watch)), kind_(kind), client_(client) {}

  rt::Task<Result<std::optional<kube::WatchEvent>>> next(rt::Until until) override {
    auto event = co_await watch_->next(until);
    if (event) {
      const rt::Wake wake = co_await client_.open(kind_).wait({.token = until.token});
      if (wake != rt::Wake::kNotified) {
        co_return Error(ErrorCode::kCancelled, "cancelled");
      }
      if (client_.passes_one_ == kind_.name) {
        client_.passes_one_ = {};
        client_.hold(kind_);
      }
    }
    co_return std::move(event);
  }

 private:
  std::unique_ptr<kube::Watch> watch_;
  const api::Kind& kind_;
  FatedClient& client_;
};

void FatedClient::pass_one(const api::Kind& kind) {
  passes_one_ = kind.name;
  release(kind);
}

rt::Event& FatedClient::open(const api::Kind& kind) {
  const auto [place, is_new] = open_.try_emplace(kind.name, runtime_, "a watch to go on");
  if (is_new) {
    place->second.set();
  }
  return place->second;
}

Fate FatedClient::fate_of(std::string call) {
  calls.push_back(call);
  return fate(call);
}

// Wake::kNotified once the time has passed; otherwise why it was cut short.
rt::Task<rt::Wake> FatedClient::take_time(rt::Duration takes, rt::Until until) {
  const rt::Time done = rt::after(runtime_.now(), takes);
  const rt::Wake wake =
      co_await rt::sleep_until(runtime_, std::min(done, until.deadline), until.token);
  co_return wake == rt::Wake::kDeadline&& done <= until.deadline ? rt::Wake::kNotified : wake;
}

rt::Task<Result<kube::Document>> FatedClient::get(kube::GetRequest request, rt::Until until) {
  const Fate drawn = fate_of(fmt::format("get {} {}", request.kind->name, request.key.name));
  const rt::Wake cut = co_await take_time(drawn.takes, until);
  if (cut != rt::Wake::kNotified) {
    co_return net::error_of(cut);
  }
  if (drawn.refused) {
    co_return *drawn.refused;
  }
  auto answer = co_await direct_.get(std::move(request), until);
  co_return std::move(answer);
}

rt::Task<Result<std::unique_ptr<kube::Watch>>> FatedClient::watch(kube::WatchRequest request,
                                                                  rt::Until until) {
  const api::Kind& kind = *request.of.kind;
  auto opened = co_await direct_.watch(std::move(request), until);
  if (!opened) {
    co_return std::move(opened).error();
  }
  co_return std::unique_ptr<kube::Watch>(
      std::make_unique<HeldWatch>(*std::move(opened), kind, *this));
}

rt::Task<Result<kube::Document>> FatedClient::create(kube::CreateRequest request, rt::Until until) {
  std::string call = "bind " + request.key.name;
  auto shared = std::make_shared<kube::CreateRequest>(std::move(request));
  return write(
      std::move(call),
      [this, shared](rt::Until when) { return direct_.create(*shared, when); },
      until);
}

rt::Task<Result<kube::Document>> FatedClient::patch(kube::PatchRequest request, rt::Until until) {
  std::string call = "status " + request.key.name;
  auto shared = std::make_shared<kube::PatchRequest>(std::move(request));
  return write(
      std::move(call),
      [this, shared](rt::Until when) { return direct_.patch(*shared, when); },
      until);
}

rt::Task<Result<kube::Document>> FatedClient::write(std::string call,
                                                    Write write,
                                                    rt::Until until) {
  const Fate drawn = fate_of(std::move(call));
  const rt::Wake cut = co_await take_time(drawn.takes, until);
  if (cut != rt::Wake::kNotified) {
    co_return Error(ErrorCode::kUnknownOutcome, "nobody waited for the answer");
  }
  if (drawn.refused) {
    co_return *drawn.refused;
  }
  if (drawn.lands_in) {
    scope_.spawn("late write", land(&runtime_, write, *drawn.lands_in));
    co_return Error(ErrorCode::kUnknownOutcome, "the answer was lost");
  }
  auto answer = co_await write(until);
  if (drawn.is_lost) {
    co_return Error(ErrorCode::kUnknownOutcome, "the answer was lost");
  }
  co_return std::move(answer);
}

rt::Task<void> FatedClient::land(rt::Runtime* runtime, Write write, rt::Duration delay) {
  co_await rt::sleep_for(*runtime, delay, {});
  static_cast<void>(co_await write({}));
}

Harbour::Harbour(BinderOptions options, Predecessor predecessor)
    : predecessor_(predecessor),
      store_({.clock = [this] { return simulation_.wall_now(); }}),
      client_(simulation_, store_),
      informers_(simulation_, client_, {}),
      binder_(std::make_unique<Binder>(simulation_, client_, informers_, std::move(options))),
      scope_(simulation_, "harbour") {}

void Harbour::start(rt::Duration standby) {
  scope_.spawn("informers", informers_.run(scope_.token()));
  scope_.spawn("binder", run_binder(standby));
}

rt::Task<void> Harbour::run_binder(rt::Duration standby) {
  const rt::Wake wake = co_await informers_.wait_until_synced({});
  BERTH_ASSERT(wake == rt::Wake::kNotified, "the store can be followed");
  co_await rt::sleep_for(simulation_, standby, {});
  co_await binder_->run(predecessor_, stop_.token(), {});
  has_ended_ = true;
}

void Harbour::create(const std::string& kind, const std::string& body) {
  const api::Kind* of = kind == "Pod"    ? &api::Pod::kKind
                        : kind == "Node" ? &api::Node::kKind
                                         : &api::BindRequest::kKind;
  const bool has_namespace = of->scope == api::Scope::kNamespaced;
  const auto made =
      store_.create({.kind = of, .key = {.ns = has_namespace ? "default" : ""}, .body = body});
  BERTH_ASSERT(made.has_value(), "the objects of a test are valid");
}

void Harbour::make_node(const std::string& name) {
  create("Node", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
}

void Harbour::make_pod(const std::string& name, std::string_view spec, std::string_view meta) {
  create("Pod",
         fmt::format(R"({{"metadata":{{"name":"{}"{}}},)"
                     R"("spec":{{"containers":[{{"name":"c","image":"i"}}]{}}}}})",
                     name,
                     meta,
                     spec));
}

void Harbour::order(const std::string& pod, const std::string& node, std::string_view spec) {
  create("BindRequest",
         fmt::format(R"({{"metadata":{{"name":"{0}"}},)"
                     R"("spec":{{"podName":"{0}","selectedNode":"{1}"{2}}}}})",
                     pod,
                     node,
                     spec));
}

void Harbour::bind_by_hand(const std::string& pod, const std::string& node) {
  const auto made = store_.create(
      {.kind = &api::Pod::kKind,
       .key = {.ns = "default", .name = pod},
       .subresource = "binding",
       .body = fmt::format(
           R"({{"metadata":{{"name":"{}"}},"target":{{"kind":"Node","name":"{}"}}}})", pod, node)});
  BERTH_ASSERT(made.has_value(), "the pod can be bound");
}

void Harbour::remove_pod(const std::string& name) {
  const auto removed = store_.remove({.kind = &api::Pod::kKind,
                                      .key = {.ns = "default", .name = name},
                                      .grace_period_seconds = 0});
  BERTH_ASSERT(removed.has_value(), "the pod can be removed");
}

void Harbour::remove_node(const std::string& name) {
  const auto removed = store_.remove({.kind = &api::Node::kKind, .key = {.name = name}});
  BERTH_ASSERT(removed.has_value(), "the node can be removed");
}

void Harbour::remove_order(const std::string& name) {
  const auto removed =
      store_.remove({.kind = &api::BindRequest::kKind, .key = {.ns = "default", .name = name}});
  BERTH_ASSERT(removed.has_value(), "the order can be removed");
}

void Harbour::touch_order(const std::string& name) {
  const auto patched = store_.patch({.kind = &api::BindRequest::kKind,
                                     .key = {.ns = "default", .name = name},
                                     .body = R"({"metadata":{"labels":{"touched":"yes"}}})"});
  BERTH_ASSERT(patched.has_value(), "the order can be changed");
}

void Harbour::close_order(const std::string& name) {
  const auto patched = store_.patch({.kind = &api::BindRequest::kKind,
                                     .key = {.ns = "default", .name = name},
                                     .subresource = "status",
                                     .body = R"({"status":{"phase":"Failed"}})"});
  BERTH_ASSERT(patched.has_value(), "the order can be closed");
}

template <typename Object>
Object Harbour::read(const std::string& name) const {
  const auto text = store_.get({.kind = &Object::kKind, .key = {.ns = "default", .name = name}},
                               store_.resource_version());
  BERTH_ASSERT(text.has_value(), "what a test asks for is there");
  return *api::from_json<Object>(*text);
}

api::Pod Harbour::pod(const std::string& name) const {
  return read<api::Pod>(name);
}

api::BindRequest Harbour::order_of(const std::string& name) const {
  return read<api::BindRequest>(name);
}

std::size_t Harbour::count(const std::string& call) const {
  return static_cast<std::size_t>(std::ranges::count(client_.calls, call));
}

}  // namespace berth::binder
