#include "sim/informers/traffic.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/kind.h"
#include "api/objects/bind_request.h"
#include "api/objects/config_map.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "rt/cancel.h"
#include "rt/random.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "world/cluster.h"

namespace berth::sim::informers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Few names, so that objects are deleted and made again under the same one.
constexpr std::uint64_t kNames = 6;
constexpr std::array kKinds = {&api::Pod::kKind,
                               &api::Pod::kKind,
                               &api::ConfigMap::kKind,
                               &api::ConfigMap::kKind,
                               &api::Node::kKind,
                               &api::BindRequest::kKind};

std::string_view spec_of(const api::Kind& kind) {
  if (kind == api::Pod::kKind) {
    return R"("spec":{"containers":[{"name":"c","image":"i"}]})";
  }
  if (kind == api::BindRequest::kKind) {
    return R"("spec":{"podName":"p","selectedNode":"n1"})";
  }
  return kind == api::ConfigMap::kKind ? R"("data":{"value":"0"})" : R"("spec":{})";
}

}  // namespace

Traffic::Traffic(world::Cluster& cluster, std::string name)
    : cluster_(cluster),
      runtime_(cluster.simulation()),
      client_(cluster, runtime_, std::move(name), {}) {}

rt::Task<void> Traffic::run(rt::CancelToken token) {
  while (!token.is_cancelled()) {
    co_await write_once({.token = token, .deadline = runtime_.now() + seconds(10)});
    const rt::Duration pause = runtime_.random().between(milliseconds(1), milliseconds(900));
    co_await rt::sleep_for(runtime_, pause, token);
  }
}

rt::Task<void> Traffic::write_once(rt::Until until) {
  rt::Random& random = runtime_.random();
  const api::Kind* kind = kKinds[random.below(kKinds.size())];
  kube::ObjectKey key{.name = std::string(1, static_cast<char>('a' + random.below(kNames)))};
  if (kind->scope == api::Scope::kNamespaced) {
    key.ns = random.one_in(3) ? "kube-system" : "default";
  }
  const std::uint64_t draw = random.below(10);
  if (draw < 3) {
    co_await create(kind, std::move(key), until);
  } else if (draw < 7) {
    co_await change(kind, std::move(key), until);
  } else if (draw < 9 && *kind == api::Pod::kKind) {
    co_await act_on_pod(std::move(key), until);
  } else {
    co_await remove(kind, std::move(key), until);
  }
}

rt::Task<void> Traffic::create(const api::Kind* kind, kube::ObjectKey key, rt::Until until) {
  kube::CreateRequest request{
      .kind = kind,
      .key = key,
      .body =
          fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"{}"{}}},{}}})",
                      kind->api_version(),
                      kind->name,
                      key.name,
                      runtime_.random().one_in(4) ? R"(,"finalizers":["sim.berth.dev/hold"])" : "",
                      spec_of(*kind))};
  // Whatever comes of it: somebody else's writes fail too.
  static_cast<void>(co_await client_.create(std::move(request), until));
}

rt::Task<void> Traffic::change(const api::Kind* kind, kube::ObjectKey key, rt::Until until) {
  rt::Random& random = runtime_.random();
  std::string body;
  if (*kind == api::ConfigMap::kKind && !random.one_in(3)) {
    body = fmt::format(R"({{"data":{{"value":"{}","child":"{}"}}}})",
                       random.below(1000),
                       random.one_in(2) ? "yes" : "no");
  } else if (random.one_in(4)) {
    body = R"({"metadata":{"finalizers":null}})";
  } else {
    body = fmt::format(R"({{"metadata":{{"labels":{{"x":"{}"}}}}}})", random.below(5));
  }
  kube::PatchRequest request{.kind = kind, .key = std::move(key), .body = std::move(body)};
  static_cast<void>(co_await client_.patch(std::move(request), until));
}

rt::Task<void> Traffic::act_on_pod(kube::ObjectKey key, rt::Until until) {
  rt::Random& random = runtime_.random();
  if (random.one_in(2)) {
    // The kubelet of a pod that is being deleted.
    static_cast<void>(cluster_.store().finish_deletion(api::Pod::kKind, key));
    co_return;
  }
  kube::PatchRequest request{.kind = &api::Pod::kKind, .key = std::move(key)};
  if (random.one_in(2)) {
    request.body = R"({"metadata":{"labels":{"evict":"yes"}}})";
  } else {
    request.subresource = "status";
    request.body = R"({"status":{"message":"from elsewhere"}})";
  }
  static_cast<void>(co_await client_.patch(std::move(request), until));
}

rt::Task<void> Traffic::remove(const api::Kind* kind, kube::ObjectKey key, rt::Until until) {
  kube::RemoveRequest request{.kind = kind, .key = std::move(key)};
  if (runtime_.random().one_in(2)) {
    request.grace_period_seconds = 0;
  }
  static_cast<void>(co_await client_.remove(std::move(request), until));
}

}  // namespace berth::sim::informers
