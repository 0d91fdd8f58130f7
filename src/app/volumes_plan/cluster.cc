#include "app/volumes_plan/cluster.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/codec/json.h"
#include "api/objects/pod.h"
#include "app/real_server.h"
#include "app/volumes_plan/objects.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/config/server_config.h"
#include "kube/server_connection.h"
#include "kube/typed.h"
#include "rt/real/real_runtime.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::app {
namespace {

// As kubectl and client-go ask.
constexpr std::int64_t kPageSize = 500;
constexpr auto kPageMax = std::chrono::seconds(30);
// A server forgets the state a list began with after some minutes.
constexpr int kListsMax = 3;

template <typename Object>
using Objects = std::vector<std::shared_ptr<Object>>;

template <api::TopLevel Object>
rt::Task<Result<void>> list_once(kube::Client* client,
                                 rt::Runtime* runtime,
                                 std::string ns,
                                 Objects<Object>* objects,
                                 std::vector<std::string>* skipped) {
  api::codec::JsonReader reader;
  kube::ListRequest request{.of = {.kind = &Object::kKind, .ns = std::move(ns)},
                            .limit = kPageSize};
  do {
    auto page = co_await client->list(request, {.deadline = rt::after(runtime->now(), kPageMax)});
    if (!page) {
      co_return std::move(page).error();
    }
    for (const kube::Document& document : page->items) {
      auto object = kube::decode<Object>(reader, document);
      if (object) {
        objects->push_back(std::make_shared<Object>(*std::move(object)));
      } else {
        skipped->push_back(object.error().text());
      }
    }
    request.continue_token = page->continue_token;
  } while (!request.continue_token.empty());
  co_return Result<void>();
}

template <api::TopLevel Object>
rt::Task<Result<void>> list_all(kube::Client* client,
                                rt::Runtime* runtime,
                                std::string ns,
                                Objects<Object>* objects,
                                std::vector<std::string>* skipped) {
  for (int tries = 1;; ++tries) {
    const std::size_t skipped_before = skipped->size();
    auto listed = co_await list_once<Object>(client, runtime, ns, objects, skipped);
    const bool is_too_old = !listed && listed.error().code() == ErrorCode::kGone;
    if (!is_too_old || tries == kListsMax) {
      co_return listed;
    }
    objects->clear();
    skipped->resize(skipped_before);
  }
}

rt::Task<void> ask_and_stop(rt::RealRuntime* runtime,
                            kube::ServerConnection* server,
                            ClusterQuestion question,
                            std::optional<Result<ClusterAnswer>>* answer) {
  auto prepared = co_await server->prepare({});
  if (prepared) {
    answer->emplace(co_await ask_cluster(&server->client(), runtime, std::move(question)));
  } else {
    answer->emplace(std::move(prepared).error());
  }
  if (!**answer) {
    const Error error = (*answer)->error();
    answer->emplace(Error(error.code(), server->explain(error)));
  }
  runtime->stop();
}

}  // namespace

rt::Task<Result<ClusterAnswer>> ask_cluster(kube::Client* client,
                                            rt::Runtime* runtime,
                                            ClusterQuestion question) {
  ClusterAnswer answer;
  PlanObjects& objects = answer.objects;
  std::vector<std::string>* skipped = &answer.skipped;
  if (!question.pod_name.empty()) {
    auto pod =
        co_await kube::get_object<api::Pod>(client,
                                            {.ns = question.ns, .name = question.pod_name},
                                            {.deadline = rt::after(runtime->now(), kPageMax)});
    if (!pod) {
      co_return std::move(pod).error();
    }
    answer.pod = *std::move(pod);
  }
  auto listed = co_await list_all(client, runtime, question.ns, &objects.claims, skipped);
  if (listed) {
    listed = co_await list_all(client, runtime, "", &objects.nodes, skipped);
  }
  if (listed) {
    listed = co_await list_all(client, runtime, "", &objects.volumes, skipped);
  }
  if (listed) {
    listed = co_await list_all(client, runtime, "", &objects.classes, skipped);
  }
  if (listed) {
    listed = co_await list_all(client, runtime, "", &objects.drivers, skipped);
  }
  if (listed) {
    listed = co_await list_all(client, runtime, "", &objects.csi_nodes, skipped);
  }
  if (listed) {
    listed = co_await list_all(client, runtime, "", &objects.capacities, skipped);
  }
  if (!listed) {
    co_return std::move(listed).error();
  }
  co_return answer;
}

Result<ClusterAnswer> ask_server(kube::config::ServerConfig config, ClusterQuestion question) {
  rt::RealRuntime runtime(1);
  RealServer server(runtime, std::move(config));
  std::optional<Result<ClusterAnswer>> answer;
  rt::Scope scope(runtime, "volumes plan");
  scope.spawn("ask the cluster",
              ask_and_stop(&runtime, &server.connection(), std::move(question), &answer));
  runtime.run();
  return *std::move(answer);
}

}  // namespace berth::app
