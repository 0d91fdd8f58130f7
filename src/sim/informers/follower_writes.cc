// What a follower writes while it leads: every kind of write there is, so that every fault can hit
// each of them.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "rt/reactor.h"
#include "rt/task.h"
#include "sim/informers/follower.h"
#include "sim/informers/judge.h"
#include "sim/informers/subject.h"
#include "sim/informers/wish.h"

namespace berth::sim::informers {
namespace {

// Whether a write needs no second try: it was applied, or its object is gone.
template <typename Value>
bool is_settled(const Result<Value>& outcome) {
  return outcome.has_value() || outcome.error().code() == ErrorCode::kNotFound;
}

}  // namespace

template <typename Object>
void Follower::record(const Object& object, std::string reason) {
  judge_.recorded(name(), object.metadata.uid, reason);
  events_.record({.regarding = {.kind = std::string(Object::kKind.name),
                                .ns = object.metadata.ns,
                                .name = object.metadata.name,
                                .uid = object.metadata.uid},
                  .reason = std::move(reason),
                  .action = "Handling",
                  .note = "looked at by the leader"});
}

rt::Task<bool> Follower::handle_config_map(kube::ObjectKey key) {
  auto map = config_maps_.cache().find(key);
  if (map) {
    record(*map, "Handled");
  }
  if (map && seen_by_leader(*map) != value_of_map(*map)) {
    const bool is_marked = co_await mark_config_map(std::move(map));
    if (!is_marked) {
      co_return false;
    }
  }
  if (is_child(key)) {
    co_return true;
  }
  const bool is_done = co_await keep_child(std::move(key));
  co_return is_done;
}

rt::Task<bool> Follower::keep_child(kube::ObjectKey parent) {
  const kube::ObjectKey key = child_of(parent);
  const auto map = config_maps_.cache().find(parent);
  const auto child = config_maps_.cache().find(key);
  const bool is_wanted = map && wants_child(*map);
  if (is_wanted && !child) {
    api::ConfigMap made;
    made.metadata.ns = key.ns;
    made.metadata.name = key.name;
    auto created = co_await kube::create_object(&writes_, std::move(made), soon());
    co_return created.has_value() || created.error().code() == ErrorCode::kExists;
  }
  if (!is_wanted && child) {
    auto removed = co_await kube::remove_object<api::ConfigMap>(
        &writes_, key, {.uid = child->metadata.uid}, soon());
    co_return is_settled(removed);
  }
  co_return true;
}

rt::Task<bool> Follower::mark_config_map(std::shared_ptr<const api::ConfigMap> map) {
  const std::string body =
      fmt::format(R"({{"metadata":{{"annotations":{{"{}":"{}"}}}}}})", kSeen, value_of_map(*map));
  const std::string guarded = kube::guarded_merge(
      body, {.uid = map->metadata.uid, .resource_version = map->metadata.resource_version});
  const kube::ObjectKey key = kube::key_of(*map);
  auto patched = co_await kube::patch_object<api::ConfigMap>(&writes_, key, guarded, soon());
  if (!patched) {
    co_return is_settled(patched);
  }
  const std::string version = patched->metadata.resource_version;
  const rt::Wake wake =
      co_await informers_.wait_until_seen(&api::ConfigMap::kKind, version, soon());
  const auto found = config_maps_.cache().find(key);
  if (wake == rt::Wake::kNotified && found && found->metadata.uid == map->metadata.uid &&
      number_of(found->metadata.resource_version) < number_of(version)) {
    judge_.violation(
        fmt::format("{}: does not see its own write {} of {}", name(), version, key.text()));
  }
  co_return true;
}

rt::Task<bool> Follower::handle_pod(std::shared_ptr<const api::Pod> pod) {
  if (pod->metadata.deletion_timestamp.has_value()) {
    co_return true;
  }
  record(*pod, "Handled");
  const kube::ObjectKey key = kube::key_of(*pod);
  const std::string identity = fmt::format(R"("name":"{}","namespace":"{}")", key.name, key.ns);
  if (is_to_be_evicted(*pod)) {
    kube::CreateRequest request{
        .kind = &api::Pod::kKind,
        .key = key,
        .subresource = "eviction",
        .body = fmt::format(R"({{"apiVersion":"policy/v1","kind":"Eviction","metadata":{{{}}},)"
                            R"("deleteOptions":{{"preconditions":{{"uid":"{}"}}}}}})",
                            identity,
                            pod->metadata.uid)};
    auto evicted = co_await writes_.create(std::move(request), soon());
    co_return is_settled(evicted);
  }
  if (pod->spec.node_name.empty()) {
    kube::CreateRequest request{
        .kind = &api::Pod::kKind,
        .key = key,
        .subresource = "binding",
        .body = fmt::format(R"({{"apiVersion":"v1","kind":"Binding","metadata":{{{},"uid":"{}"}},)"
                            R"("target":{{"kind":"Node","name":"n1"}}}})",
                            identity,
                            pod->metadata.uid)};
    auto bound = co_await writes_.create(std::move(request), soon());
    co_return is_settled(bound);
  }
  if (pod->status.phase != "Running") {
    const std::string body = kube::guarded_merge(
        R"({"status":{"phase":"Running"}})",
        {.uid = pod->metadata.uid, .resource_version = pod->metadata.resource_version});
    auto patched = co_await kube::patch_object<api::Pod>(&writes_, key, body, soon(), "status");
    co_return is_settled(patched);
  }
  co_return true;
}

}  // namespace berth::sim::informers
