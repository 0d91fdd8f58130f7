#include "storm/writers.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/kind.h"
#include "api/objects/bind_request.h"
#include "api/objects/config_map.h"
#include "api/objects/lease.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "rt/cancel.h"
#include "rt/random.h"
#include "rt/runtime.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::tests {
namespace {

constexpr std::chrono::seconds kPatience{10};
// After a failure: the server may be starting.
constexpr std::chrono::milliseconds kPause{50};

std::string metadata(std::string_view name, std::uint64_t value) {
  return fmt::format(
      R"("metadata":{{"name":"{}","labels":{{"value":"{}"}},"annotations":{{"text":"{:0>200}"}}}})",
      name,
      value,
      value);
}

constexpr std::array<WrittenKind, 6> kKinds = {{
    {&api::ConfigMap::kKind,
     [](std::string_view name, std::uint64_t value) {
       return fmt::format(R"({{{},"data":{{"value":"{}"}}}})", metadata(name, value), value);
     }},
    {&api::Pod::kKind,
     [](std::string_view name, std::uint64_t value) {
       return fmt::format(
           R"({{{},"spec":{{"containers":[{{"name":"main","image":"example.com/main:1"}}]}}}})",
           metadata(name, value));
     }},
    {&api::Lease::kKind,
     [](std::string_view name, std::uint64_t value) {
       return fmt::format(
           R"({{{},"spec":{{"holderIdentity":"{}"}}}})", metadata(name, value), value);
     }},
    {&api::PersistentVolumeClaim::kKind,
     [](std::string_view name, std::uint64_t value) {
       return fmt::format(R"({{{},"spec":{{"accessModes":["ReadWriteOnce"],)"
                          R"("resources":{{"requests":{{"storage":"1Gi"}}}}}}}})",
                          metadata(name, value));
     }},
    {&api::Node::kKind,
     [](std::string_view name, std::uint64_t value) {
       return fmt::format(R"({{{},"status":{{"capacity":{{"cpu":"{}"}}}}}})",
                          metadata(name, value),
                          1 + value % 64);
     }},
    {&api::BindRequest::kKind,
     [](std::string_view name, std::uint64_t value) {
       return fmt::format(R"({{"apiVersion":"scheduling.run.ai/v1alpha2","kind":"BindRequest",{},)"
                          R"("spec":{{"podName":"{}","selectedNode":"node-{}"}}}})",
                          metadata(name, value),
                          name,
                          value);
     }},
}};

}  // namespace

rt::Task<void> Writers::write(std::size_t number,
                              rt::Random random,
                              std::uint64_t enough,
                              rt::CancelToken token) {
  // What this writer believes. After a lost answer it may be wrong; the next answer tells.
  std::array<std::array<bool, kNames>, kKinds.size()> exists{};
  while (done_ < enough && !token.is_cancelled()) {
    const std::size_t kind = random.below(kKinds.size());
    const std::size_t name = random.below(kNames);
    bool& is_there = exists[kind][name];
    const Operation operation = !is_there          ? Operation::kCreate
                                : random.one_in(3) ? Operation::kDelete
                                                   : Operation::kChange;
    const bool is_done = co_await write_once(&kKinds[kind],
                                             fmt::format("object-{}-{}", number, name),
                                             operation,
                                             random.below(1'000'000),
                                             &is_there);
    if (is_done) {
      ++done_;
    } else {
      static_cast<void>(co_await rt::sleep_for(runtime_, kPause, token));
    }
  }
}

rt::Task<void> Writers::write_last(std::map<const api::Kind*, std::string>* versions,
                                   rt::CancelToken token) {
  for (const WrittenKind& kind : kKinds) {
    const bool is_cluster_wide = kind.kind->scope == api::Scope::kCluster;
    const kube::CreateRequest request{.kind = kind.kind,
                                      .key = {.ns = is_cluster_wide ? "" : ns_, .name = ""},
                                      .body = kind.body("last", 0)};
    while (!token.is_cancelled()) {
      auto made = co_await client_.create(request, {.deadline = runtime_.now() + kPatience});
      if (made) {
        auto head = kube::read_head(*made);
        (*versions)[kind.kind] = head ? head->metadata.resource_version : "";
        break;
      }
      count("create", "last", name_of(made.error().code()));
      static_cast<void>(co_await rt::sleep_for(runtime_, kPause, token));
    }
  }
}

rt::Task<bool> Writers::write_once(const WrittenKind* kind,
                                   std::string name,
                                   Operation operation,
                                   std::uint64_t value,
                                   bool* exists) {
  const bool is_cluster_wide = kind->kind->scope == api::Scope::kCluster;
  const kube::ObjectKey key{.ns = is_cluster_wide ? "" : ns_, .name = name};
  const rt::Until until{.deadline = runtime_.now() + kPatience};
  std::optional<ErrorCode> failure;
  std::string_view what;
  switch (operation) {
    case Operation::kCreate: {
      what = "create";
      auto made = co_await client_.create(
          {.kind = kind->kind, .key = {.ns = key.ns, .name = ""}, .body = kind->body(name, value)},
          until);
      failure = made ? std::nullopt : std::optional(made.error().code());
      *exists = made || made.error().code() == ErrorCode::kExists;
      break;
    }
    case Operation::kChange: {
      what = "change";
      auto changed = co_await client_.patch(
          {.kind = kind->kind, .key = key, .body = fmt::format("{{{}}}", metadata(name, value))},
          until);
      failure = changed ? std::nullopt : std::optional(changed.error().code());
      *exists = changed || changed.error().code() != ErrorCode::kNotFound;
      break;
    }
    case Operation::kDelete: {
      what = "delete";
      auto removed = co_await client_.remove(
          {.kind = kind->kind, .key = key, .grace_period_seconds = 0}, until);
      failure = removed ? std::nullopt : std::optional(removed.error().code());
      *exists = !removed && removed.error().code() != ErrorCode::kNotFound;
      break;
    }
  }
  count(what, kind->kind->name, failure ? name_of(*failure) : "done");
  co_return !failure;
}

void Writers::count(std::string_view what, std::string_view kind, std::string_view outcome) {
  ++counts_[outcome == "done" ? fmt::format("{} {}", what, kind)
                              : fmt::format("failed: {}", outcome)];
}

}  // namespace berth::tests
