#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "api/objects/bind_request.h"
#include "api/objects/config_map.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "wire/work.h"

namespace berth::bench {
namespace {

constexpr std::size_t kNodes = 100;

using MakeOne = rt::Task<Result<void>> (*)(kube::Client* client, std::size_t item);

// Shared by all that are in flight.
struct Line {
  std::size_t next = 0;
  std::size_t end = 0;
  std::optional<Error> failure;
};

rt::Task<void> work_off(kube::Client* client, MakeOne make, Line* line) {
  while (line->next < line->end && !line->failure) {
    auto made = co_await make(client, line->next++);
    if (!made) {
      line->failure = std::move(made).error();
    }
  }
}

rt::Task<Result<void>> make_all(rt::RealRuntime* runtime,
                                kube::Client* client,
                                MakeOne make,
                                std::size_t count,
                                std::size_t in_flight) {
  Line line{.end = count};
  rt::Scope scope(*runtime, "posts");
  for (std::size_t i = 0; i < in_flight; ++i) {
    scope.spawn("post", work_off(client, make, &line));
  }
  scope.close();
  co_await scope.drain();
  if (line.failure) {
    co_return *line.failure;
  }
  co_return Result<void>();
}

rt::Task<Result<void>> create(kube::Client* client, const api::Kind* kind, std::string body) {
  const std::string ns = kind->scope == api::Scope::kNamespaced ? "default" : "";
  auto made =
      co_await client->create({.kind = kind, .key = {.ns = ns}, .body = std::move(body)}, {});
  if (!made && made.error().code() != ErrorCode::kExists) {
    co_return std::move(made).error();
  }
  co_return Result<void>();
}

std::string name_of(std::size_t item) {
  return fmt::format("wire-{}-{}", ::getpid(), item);
}

rt::Task<Result<void>> make_config_map(kube::Client* client, std::size_t item) {
  return create(client,
                &api::ConfigMap::kKind,
                fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}"}},)"
                            R"("data":{{"number":"{}"}}}})",
                            name_of(item),
                            item));
}

rt::Task<Result<void>> make_node(kube::Client* client, std::size_t item) {
  return create(
      client,
      &api::Node::kKind,
      fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"node-{}"}}}})", item));
}

rt::Task<Result<void>> make_order(kube::Client* client, std::size_t item) {
  auto pod = co_await create(
      client,
      &api::Pod::kKind,
      fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}",)"
                  R"("labels":{{"app":"wire"}}}},"spec":{{"schedulerName":"wire",)"
                  R"("containers":[{{"name":"main","image":"example.com/main:1"}}]}}}})",
                  name_of(item)));
  if (!pod) {
    co_return std::move(pod).error();
  }
  co_return co_await create(
      client,
      &api::BindRequest::kKind,
      fmt::format(R"({{"apiVersion":"scheduling.run.ai/v1alpha2","kind":"BindRequest",)"
                  R"("metadata":{{"name":"{0}"}},"spec":{{"podName":"{0}",)"
                  R"("selectedNode":"node-{1}","receivedResourceType":"Regular"}}}})",
                  name_of(item),
                  item % kNodes));
}

rt::Task<Result<void>> post_all(rt::RealRuntime* runtime,
                                kube::Client* client,
                                const WireOptions* options) {
  const Stopwatch watch(*runtime);
  auto made =
      co_await make_all(runtime, client, &make_config_map, options->count, options->in_flight);
  if (made) {
    std::cout << watch.stop("configmaps", options->count, options->count).json() << "\n";
  }
  co_return made;
}

rt::Task<Result<void>> make_all_orders(rt::RealRuntime* runtime,
                                       kube::Client* client,
                                       const WireOptions* options) {
  auto nodes = co_await make_all(runtime, client, &make_node, kNodes, options->in_flight);
  if (!nodes) {
    co_return nodes;
  }
  co_return co_await make_all(runtime, client, &make_order, options->count, options->in_flight);
}

}  // namespace

Result<void> post(const WireOptions& options) {
  return run_on_server(options, &post_all);
}

Result<void> make_orders(const WireOptions& options) {
  return run_on_server(options, &make_all_orders);
}

}  // namespace berth::bench
