#include "sim/binding/orders.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec.h"
#include "api/kind.h"
#include "api/objects/bind_request.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "binder/order.h"
#include "kube/object_key.h"
#include "rt/cancel.h"
#include "rt/random.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "world/cluster.h"
#include "world/store.h"

namespace berth::sim::binding {
namespace {

using std::chrono::milliseconds;

// Few names, so that pods are deleted and made again under the same one.
constexpr std::uint64_t kPods = 8;
constexpr std::uint64_t kNodes = 3;
// Comes and goes.
constexpr std::string_view kFlakyNode = "n3";

kube::ObjectKey in_default(const std::string& name) {
  return {.ns = "default", .name = name};
}

}  // namespace

void Orders::make_nodes() {
  for (std::uint64_t i = 1; i <= kNodes; ++i) {
    create(api::Node::kKind, {}, "", fmt::format(R"({{"metadata":{{"name":"n{}"}}}})", i));
  }
}

rt::Task<void> Orders::run(rt::CancelToken token) {
  rt::Random& random = cluster_.simulation().random();
  while (!token.is_cancelled()) {
    act();
    const rt::Duration pause = random.between(milliseconds(20), milliseconds(1500));
    co_await rt::sleep_for(cluster_.simulation(), pause, token);
  }
}

void Orders::act() {
  rt::Random& random = cluster_.simulation().random();
  const std::uint64_t draw = random.below(18);
  if (draw < 8) {
    const std::string pod = draw_pod();
    make_pod(pod);
    order(pod, draw_node());
  } else if (draw < 10) {
    replan();
  } else if (draw < 12) {
    remove_pod(draw_pod());
  } else if (draw < 13) {
    bind_elsewhere(draw_pod());
  } else if (draw < 16) {
    toggle_node();
  } else {
    touch_order(draw_pod());
  }
}

std::string Orders::draw_pod() {
  return fmt::format("p{}", cluster_.simulation().random().below(kPods));
}

// Half of the time the one that comes and goes: a binding that is under way while its node leaves
// is what orders fail by.
std::string Orders::draw_node() {
  rt::Random& random = cluster_.simulation().random();
  return random.one_in(2) ? std::string(kFlakyNode) : fmt::format("n{}", 1 + random.below(kNodes));
}

void Orders::make_pod(const std::string& name) {
  create(api::Pod::kKind,
         in_default(""),
         "",
         fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"containers":)"
                     R"([{{"name":"c","image":"i"}}]}}}})",
                     name));
}

void Orders::order(const std::string& pod, const std::string& node) {
  rt::Random& random = cluster_.simulation().random();
  std::string owner;
  const std::string text = read(api::Pod::kKind, in_default(pod));
  if (!text.empty() && !random.one_in(5)) {
    owner = fmt::format(
        R"(,"ownerReferences":[{{"apiVersion":"v1","kind":"Pod","name":"{}","uid":"{}"}}])",
        pod,
        api::from_json<api::Pod>(text)->metadata.uid);
  }
  create(api::BindRequest::kKind,
         in_default(""),
         "",
         fmt::format(R"({{"metadata":{{"name":"{0}"{1}}},)"
                     R"("spec":{{"podName":"{0}","selectedNode":"{2}"{3}}}}})",
                     pod,
                     owner,
                     node,
                     random.one_in(3) ? R"(,"backoffLimit":3)" : ""));
}

void Orders::replan() {
  for (std::uint64_t i = 0; i < kPods; ++i) {
    const std::string name = fmt::format("p{}", i);
    const std::string text = read(api::BindRequest::kKind, in_default(name));
    if (text.empty()) {
      continue;
    }
    const auto failed = *api::from_json<api::BindRequest>(text);
    if (failed.status.phase == binder::kPhaseFailed && !binder::is_open(failed)) {
      remove(api::BindRequest::kKind, in_default(name));
      order(name, failed.spec.selected_node == "n1" ? "n2" : "n1");
      return;
    }
  }
}

void Orders::remove_pod(const std::string& name) {
  remove(api::Pod::kKind, in_default(name));
  // The garbage collector is not always quick.
  if (!cluster_.simulation().random().one_in(3)) {
    remove(api::BindRequest::kKind, in_default(name));
  }
}

void Orders::bind_elsewhere(const std::string& pod) {
  create(api::Pod::kKind,
         in_default(pod),
         "binding",
         fmt::format(R"({{"metadata":{{"name":"{}"}},"target":{{"kind":"Node","name":"{}"}}}})",
                     pod,
                     draw_node()));
}

void Orders::toggle_node() {
  const kube::ObjectKey key{.name = std::string(kFlakyNode)};
  if (read(api::Node::kKind, key).empty()) {
    create(api::Node::kKind, {}, "", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", kFlakyNode));
  } else {
    remove(api::Node::kKind, key);
  }
}

// What somebody else writes into an order makes our status meet another version.
void Orders::touch_order(const std::string& name) {
  static_cast<void>(
      cluster_.store().patch({.kind = &api::BindRequest::kKind,
                              .key = in_default(name),
                              .body = fmt::format(R"({{"metadata":{{"labels":{{"x":"{}"}}}}}})",
                                                  cluster_.simulation().random().below(1000))}));
}

std::string Orders::read(const api::Kind& kind, const kube::ObjectKey& key) const {
  const world::Store& store = cluster_.store();
  auto text = store.get({.kind = &kind, .key = key}, store.resource_version());
  return text ? *std::move(text) : std::string();
}

// Whatever comes of it: much of what is drawn is there already, or is gone.
void Orders::create(const api::Kind& kind,
                    const kube::ObjectKey& key,
                    std::string_view subresource,
                    std::string body) {
  static_cast<void>(cluster_.store().create({.kind = &kind,
                                             .key = key,
                                             .subresource = std::string(subresource),
                                             .body = std::move(body)}));
}

void Orders::remove(const api::Kind& kind, const kube::ObjectKey& key) {
  static_cast<void>(
      cluster_.store().remove({.kind = &kind, .key = key, .grace_period_seconds = 0}));
}

}  // namespace berth::sim::binding
