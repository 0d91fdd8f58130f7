#include "binder/yard.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/mask.h"
#include "api/objects/bind_request.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "kube/typed.h"
#include "net/byte_stream.h"
#include "net/tcp.h"
#include "peers/child.h"
#include "peers/cluster_client.h"
#include "peers/real_cluster.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kNodes = 5;
constexpr std::size_t kWriters = 32;

std::string node_of(std::size_t number) {
  return fmt::format("node-{}", number % kNodes);
}

template <typename Value>
rt::Task<void> keep(rt::Task<Value> task, std::optional<Value>* kept) {
  kept->emplace(co_await std::move(task));
}

rt::Task<std::string> fetch(rt::RealRuntime* runtime, std::uint16_t port, std::string path) {
  const rt::Until until{.deadline = runtime->now() + seconds(10)};
  auto stream = co_await net::connect_tcp(runtime, {.host = "127.0.0.1", .port = port}, until);
  if (!stream) {
    co_return stream.error().text();
  }
  const std::string request =
      fmt::format("GET {} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n", path);
  auto written = co_await (*stream)->write(request, until);
  std::string answer;
  std::array<char, 4096> buffer{};
  while (written) {
    const auto count = co_await (*stream)->read(buffer, until);
    if (!count || *count == 0) {
      break;
    }
    answer.append(buffer.data(), *count);
  }
  co_return answer;
}

// "… for=SERVER port=1234" of the log.
std::uint16_t port_in(const std::string& log, const std::string& server) {
  const std::string mark = fmt::format("for={} port=", server);
  const std::size_t place = log.find(mark);
  return place == std::string::npos
             ? std::uint16_t{0}
             : static_cast<std::uint16_t>(std::stoi(log.substr(place + mark.size())));
}

using Orders = std::vector<std::shared_ptr<const api::BindRequest>>;
using Pods = std::vector<std::shared_ptr<const api::Pod>>;

// Adds what one order and its pod have come to.
void add(const api::BindRequest& order, const api::Pod& pod, Progress& progress) {
  const bool is_bound = pod.spec.node_name == order.spec.selected_node;
  const std::string& phase = order.status.phase;
  progress.succeeded += phase == "Succeeded" ? 1 : 0;
  progress.failed += phase == "Failed" ? 1 : 0;
  if (phase.empty() && is_bound) {
    progress.half_done.insert(order.metadata.name);
  }
  progress.untouched += phase.empty() && !is_bound ? 1 : 0;
  const auto type = pod.metadata.annotations.find("received-resource-type");
  const bool has_type =
      type != pod.metadata.annotations.end() && type->second == order.spec.received_resource_type;
  if ((phase == "Succeeded" && (!is_bound || !has_type)) ||
      (!is_bound && !pod.spec.node_name.empty())) {
    progress.wrong.push_back(fmt::format("{}: {} says '{}', the pod is on '{}'",
                                         order.metadata.name,
                                         order.spec.selected_node,
                                         phase,
                                         pod.spec.node_name));
  }
}

Progress progress_of(const Orders& orders, const Pods& pods) {
  std::map<std::string, std::shared_ptr<const api::Pod>> by_name;
  for (const auto& pod : pods) {
    by_name[pod->metadata.name] = pod;
  }
  Progress progress;
  for (const auto& order : orders) {
    if (const auto& pod = by_name[order->metadata.name]) {
      add(*order, *pod, progress);
    }
  }
  return progress;
}

}  // namespace

Result<std::unique_ptr<Yard>> Yard::open() {
  auto cluster = RealCluster::start({});
  if (!cluster) {
    return std::move(cluster).error();
  }
  std::unique_ptr<Yard> yard(new Yard);
  yard->cluster_ = *std::move(cluster);
  auto defined = yard->cluster_->define(BERTH_BIND_REQUESTS);
  if (!defined) {
    return std::move(defined).error();
  }
  for (std::size_t i = 0; i < kNodes; ++i) {
    auto made = yard->cluster_->kubectl(
        {"create", "-f", "-"},
        fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{}"}}}})",
                    node_of(i)));
    if (!made) {
      return std::move(made).error();
    }
  }
  yard->client_.emplace(yard->runtime_, *yard->cluster_);
  yard->informers_.emplace(yard->runtime_, yard->client(), kube::Informers::Options{});
  auto& pods = yard->informers_->add<api::Pod>(
      {.mask = api::Mask::keeping<api::Pod>({"metadata.name",
                                             "metadata.namespace",
                                             "metadata.uid",
                                             "metadata.resourceVersion",
                                             "spec.nodeName"})});
  pods.on_change([at = yard.get()](const kube::InformerEvent<api::Pod>& event) {
    const auto is_bound = [](const auto& pod) { return pod && !pod->spec.node_name.empty(); };
    at->bound_ += !is_bound(event.before) && is_bound(event.after) ? 1 : 0;
  });
  yard->scope_.emplace(yard->runtime_, "yard");
  yard->scope_->spawn("informers", yard->informers_->run(yard->scope_->token()));
  return yard;
}

bool Yard::run_until(const std::function<bool()>& is_done, rt::Duration patience) {
  return tests::run_until(runtime_, is_done, patience);
}

void Yard::pause(rt::Duration duration) {
  const rt::Time end = runtime_.now() + duration;
  run_until([&] { return runtime_.now() >= end; }, duration + minutes(1));
}

void Yard::order(std::size_t count) {
  std::size_t next = ordered_;
  std::size_t left = kWriters;
  ordered_ += count;
  rt::Scope scope(runtime_, "yard");
  for (std::size_t i = 0; i < kWriters; ++i) {
    scope.spawn("writer", make_pods(&next, ordered_, &left));
  }
  BERTH_ASSERT(run_until([&] { return left == 0; }), "the server takes what is written");
}

rt::Task<void> Yard::make_pods(std::size_t* next, std::size_t end, std::size_t* left) {
  while (*next < end) {
    const auto made = co_await make((*next)++);
    BERTH_ASSERT(made.has_value(), "pods and orders of a test are valid");
  }
  --*left;
}

rt::Task<Result<void>> Yard::make(std::size_t number) {
  const std::string name = fmt::format("pod-{}", number);
  const rt::Until until{.deadline = runtime_.now() + minutes(1)};
  auto pod = co_await client().create(
      {.kind = &api::Pod::kKind,
       .key = {.ns = "default"},
       .body = fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}"}},)"
                           R"("spec":{{"containers":[{{"name":"c","image":"i"}}]}}}})",
                           name)},
      until);
  if (!pod) {
    co_return std::move(pod).error();
  }
  const auto made = kube::decode<api::Pod>(*pod);
  auto order = co_await client().create(
      {.kind = &api::BindRequest::kKind,
       .key = {.ns = "default"},
       .body = fmt::format(R"({{"apiVersion":"scheduling.run.ai/v1alpha2","kind":"BindRequest",)"
                           R"("metadata":{{"name":"{0}","ownerReferences":[{{"apiVersion":"v1",)"
                           R"("kind":"Pod","name":"{0}","uid":"{1}"}}]}},)"
                           R"("spec":{{"podName":"{0}","selectedNode":"{2}",)"
                           R"("receivedResourceType":"Regular"}}}})",
                           name,
                           made->metadata.uid,
                           node_of(number))},
      until);
  if (!order) {
    co_return std::move(order).error();
  }
  co_return Result<void>();
}

template <typename Object>
std::vector<std::shared_ptr<const Object>> Yard::list() {
  std::optional<Result<kube::ListPage>> page;
  rt::Scope scope(runtime_, "yard");
  scope.spawn("list",
              keep(client().list({.of = {.kind = &Object::kKind, .ns = "default"}}, {}), &page));
  BERTH_ASSERT(run_until([&] { return page.has_value(); }), "the server answers");
  BERTH_ASSERT(page->has_value(), "the server lists");
  std::vector<std::shared_ptr<const Object>> objects;
  for (const kube::Document& item : (*page)->items) {
    objects.push_back(std::make_shared<const Object>(*kube::decode<Object>(item)));
  }
  return objects;
}

Progress Yard::progress() {
  // Orders first: a pod whose order says that it is bound was bound before.
  const auto orders = list<api::BindRequest>();
  return progress_of(orders, list<api::Pod>());
}

bool Yard::wait_for_all(rt::Duration patience) {
  const rt::Time end = runtime_.now() + patience;
  while (runtime_.now() < end) {
    const Progress now = progress();
    if (now.succeeded + now.failed == ordered_) {
      return true;
    }
    pause(milliseconds(500));
  }
  return false;
}

std::unique_ptr<Child> Yard::start_binder(const std::string& name,
                                          const std::vector<std::string>& more) {
  std::vector<std::string> command = {BERTH_PROGRAM,
                                      "binder",
                                      "--kubeconfig",
                                      cluster_->kubeconfig(),
                                      "--metrics-bind-address=127.0.0.1:0",
                                      "--health-probe-bind-address=127.0.0.1:0"};
  command.insert(command.end(), more.begin(), more.end());
  auto child = Child::start(command, fmt::format("{}/{}.log", cluster_->folder(), name));
  BERTH_ASSERT(child.has_value(), "the program can be started");
  return *std::move(child);
}

std::string Yard::page(const Child& binder, const std::string& server, const std::string& path) {
  std::uint16_t port = 0;
  run_until([&] { return (port = port_in(binder.output(), server)) != 0; }, seconds(20));
  std::optional<std::string> answer;
  rt::Scope scope(runtime_, "yard");
  scope.spawn("page", keep(fetch(&runtime_, port, path), &answer));
  run_until([&] { return answer.has_value(); }, minutes(1));
  return answer.value_or("");
}

std::optional<double> Yard::metric(const Child& binder, const std::string& series) {
  const std::string text = "\n" + page(binder, "metrics-bind-address", "/metrics");
  const std::string mark = "\n" + series + " ";
  const std::size_t place = text.find(mark);
  return place == std::string::npos ? std::nullopt
                                    : std::optional(std::stod(text.substr(place + mark.size())));
}

}  // namespace berth::tests
