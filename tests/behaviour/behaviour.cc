#include "behaviour/behaviour.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "base/error.h"
#include "base/result.h"
#include "behaviour/server.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "rt/wait_queue.h"

namespace berth::tests {
namespace {

constexpr std::chrono::seconds kPatience{10};

Object parsed(const kube::Document& document) {
  return json::parse(document.bytes).as_object();
}

Result<Object> object_of(Result<kube::Document> document) {
  if (!document) {
    return std::move(document).error();
  }
  return parsed(*document);
}

}  // namespace

json::value value(const Object& object, std::string_view pointer) {
  const json::value whole = object;
  json::error_code error;
  const json::value* found = whole.find_pointer(pointer, error);
  return found != nullptr ? *found : json::value();
}

std::string text(const Object& object, std::string_view path) {
  std::string pointer = "/";
  for (const char byte : path) {
    pointer += byte == '.' ? '/' : byte;
  }
  const json::value found = value(object, pointer);
  if (found.is_null()) {
    return {};
  }
  return found.is_string() ? std::string(found.get_string().c_str()) : json::serialize(found);
}

std::string name(const Object& object) {
  return text(object, "metadata.name");
}
std::string uid(const Object& object) {
  return text(object, "metadata.uid");
}
std::string version(const Object& object) {
  return text(object, "metadata.resourceVersion");
}

std::vector<std::string> names(const std::vector<Object>& objects) {
  std::vector<std::string> all;
  all.reserve(objects.size());
  for (const Object& object : objects) {
    all.push_back(name(object));
  }
  return all;
}

void Behaviour::SetUp() {
  auto server = start_server();
  if (!server && server.error().code() == ErrorCode::kNotFound) {
    GTEST_SKIP() << server.error().text();
  }
  ASSERT_TRUE(server.has_value()) << server.error().text();
  server_ = *std::move(server);
  const auto made = create(api::Namespace::kKind, {{"metadata", {{"generateName", "behaviour-"}}}});
  ASSERT_TRUE(made.has_value()) << made.error().text();
  ns_ = name(*made);
  prepare();
}

void Behaviour::TearDown() {
  if (server_ == nullptr) {
    return;
  }
  for (const auto& [kind, name] : shared_) {
    static_cast<void>(merge(*kind, name, R"({"metadata":{"finalizers":null}})"));
    static_cast<void>(remove(*kind, name, 0));
  }
  static_cast<void>(remove(api::Namespace::kKind, ns_));
}

std::string Behaviour::unique(std::string_view what) const {
  return ns_ + "-" + std::string(what);
}

kube::ObjectKey Behaviour::key(const api::Kind& kind, const std::string& name) const {
  return {.ns = kind.scope == api::Scope::kNamespaced ? ns_ : "", .name = name};
}

rt::Until Behaviour::soon() const {
  return {.deadline = server_->runtime().now() + kPatience};
}

Result<Object> Behaviour::get(const api::Kind& kind, const std::string& name) {
  return object_of(wait(server_->client().get({.kind = &kind, .key = key(kind, name)}, soon())));
}

Result<Object> Behaviour::create(const api::Kind& kind, const Object& body) {
  return create_text(kind, json::serialize(body));
}

Result<Object> Behaviour::create_text(const api::Kind& kind, const std::string& body) {
  auto made = object_of(wait(server_->client().create(
      {.kind = &kind, .key = key(kind, ""), .subresource = "", .body = body}, soon())));
  if (made && kind.scope == api::Scope::kCluster && kind != api::Namespace::kKind) {
    shared_.emplace_back(&kind, name(*made));
  }
  return made;
}

Result<Object> Behaviour::merge(const api::Kind& kind,
                                const std::string& name,
                                const std::string& body) {
  return patch(kind, name, kube::PatchType::kMerge, body);
}

Result<Object> Behaviour::merge_status(const api::Kind& kind,
                                       const std::string& name,
                                       const std::string& body) {
  return patch(kind, name, kube::PatchType::kMerge, body, "status");
}

Result<Object> Behaviour::patch(const api::Kind& kind,
                                const std::string& name,
                                kube::PatchType type,
                                const std::string& body,
                                const std::string& subresource) {
  return object_of(wait(server_->client().patch({.kind = &kind,
                                                 .key = key(kind, name),
                                                 .subresource = subresource,
                                                 .type = type,
                                                 .body = body},
                                                soon())));
}

Result<Object> Behaviour::post(const std::string& pod,
                               const std::string& subresource,
                               const Object& body) {
  return object_of(wait(server_->client().create({.kind = &api::Pod::kKind,
                                                  .key = key(api::Pod::kKind, pod),
                                                  .subresource = subresource,
                                                  .body = json::serialize(body)},
                                                 soon())));
}

Result<void> Behaviour::remove(const api::Kind& kind,
                               const std::string& name,
                               std::optional<std::int64_t> grace) {
  return wait(server_->client().remove(
      {.kind = &kind, .key = key(kind, name), .grace_period_seconds = grace}, soon()));
}

Result<void> Behaviour::remove_if(const api::Kind& kind,
                                  const std::string& name,
                                  const std::string& uid,
                                  const std::string& resource_version) {
  return wait(server_->client().remove(
      {.kind = &kind, .key = key(kind, name), .uid = uid, .resource_version = resource_version},
      soon()));
}

Result<Page> Behaviour::list(kube::ListRequest request) {
  auto answer = wait(server_->client().list(std::move(request), soon()));
  if (!answer) {
    return std::move(answer).error();
  }
  Page page{.resource_version = answer->resource_version,
            .continue_token = answer->continue_token,
            .items = {}};
  for (const kube::Document& item : answer->items) {
    page.items.push_back(parsed(item));
  }
  return page;
}

std::vector<std::string> Behaviour::selected(const api::Kind& kind,
                                             const std::string& labels,
                                             const std::string& fields) {
  kube::Selection selection = all(kind);
  selection.label_selector = labels;
  selection.field_selector = fields;
  const auto page = list({.of = selection});
  EXPECT_TRUE(page.has_value()) << page.error().text();
  return page ? names(page->items) : std::vector<std::string>();
}

kube::Selection Behaviour::all(const api::Kind& kind) const {
  return {.kind = &kind, .ns = kind.scope == api::Scope::kNamespaced ? ns_ : ""};
}

Result<std::unique_ptr<kube::Watch>> Behaviour::watch(kube::WatchRequest request) {
  return wait(server_->client().watch(std::move(request), soon()));
}

std::unique_ptr<kube::Watch> Behaviour::watch_from_now(const api::Kind& kind,
                                                       const std::string& labels,
                                                       const std::string& fields) {
  kube::Selection selection = all(kind);
  const auto page = list({.of = selection});
  EXPECT_TRUE(page.has_value());
  selection.label_selector = labels;
  selection.field_selector = fields;
  auto started = watch({.of = selection, .resource_version = page->resource_version});
  EXPECT_TRUE(started.has_value()) << started.error().text();
  return *std::move(started);
}

Result<Event> Behaviour::next_or_bookmark(kube::Watch& watch) {
  auto event = wait(watch.next(soon()));
  if (!event) {
    return std::move(event).error();
  }
  if (!event->has_value()) {
    return Error(ErrorCode::kUnavailable, "the server has ended the watch");
  }
  return Event{.type = (*event)->type, .object = parsed((*event)->object)};
}

Result<Event> Behaviour::next(kube::Watch& watch) {
  auto event = next_or_bookmark(watch);
  while (event && event->type == kube::WatchEventType::kBookmark) {
    event = next_or_bookmark(watch);
  }
  return event;
}

Object Behaviour::expect_event(kube::Watch& watch,
                               kube::WatchEventType type,
                               const std::string& name) {
  auto event = next(watch);
  EXPECT_TRUE(event.has_value()) << event.error().text();
  if (!event) {
    return {};
  }
  EXPECT_EQ(event->type, type) << json::serialize(event->object);
  EXPECT_EQ(tests::name(event->object), name);
  return event->object;
}

Object Behaviour::made(const api::Kind& kind, const Object& body) {
  auto answer = create(kind, body);
  EXPECT_TRUE(answer.has_value()) << answer.error().text();
  return answer ? *answer : Object();
}

Object Behaviour::merged(const api::Kind& kind, const std::string& name, const std::string& body) {
  auto answer = merge(kind, name, body);
  EXPECT_TRUE(answer.has_value()) << answer.error().text();
  return answer ? *answer : Object();
}

Object config_map(std::string_view name) {
  return {{"metadata", {{"name", name}}}, {"data", {{"a", "1"}}}};
}

Object config_map(std::string_view name, std::string_view label, std::string_view value) {
  Object object = config_map(name);
  object["metadata"].as_object()["labels"] = Object{{label, value}};
  return object;
}

Object lease(std::string_view name) {
  return {{"metadata", {{"name", name}}}, {"spec", {{"holderIdentity", "1"}}}};
}

Object lease(std::string_view name, std::string_view label, std::string_view value) {
  Object object = lease(name);
  object["metadata"].as_object()["labels"] = Object{{label, value}};
  return object;
}

Object pod(std::string_view name) {
  return {{"metadata", {{"name", name}}},
          {"spec", {{"containers", {{{"name", "main"}, {"image", "example.com/main:1"}}}}}}};
}

Object pod_on(std::string_view name, std::string_view node) {
  Object object = pod(name);
  object["spec"].as_object()["nodeName"] = node;
  return object;
}

Object with_finalizer(Object object, std::string_view finalizer) {
  object["metadata"].as_object()["finalizers"] = json::array{finalizer};
  return object;
}

Object disruption_budget(std::string_view name) {
  return {{"metadata", {{"name", name}}},
          {"spec", {{"minAvailable", 1}, {"selector", {{"matchLabels", {{"app", "guarded"}}}}}}}};
}

Object binding(std::string_view pod, std::string_view node) {
  return {{"apiVersion", "v1"},
          {"kind", "Binding"},
          {"metadata", {{"name", pod}}},
          {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}};
}

Object eviction(std::string_view pod) {
  return {{"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", {{"name", pod}}}};
}

}  // namespace berth::tests
