#include "app/binder/run_binder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/bind_request.h"
#include "app/binder/bind_address.h"
#include "app/binder/binder_metrics.h"
#include "app/binder/probes.h"
#include "app/ping.h"
#include "app/real_server.h"
#include "base/error.h"
#include "base/log.h"
#include "base/result.h"
#include "binder/outcome.h"
#include "binder/service.h"
#include "kube/config/server_config.h"
#include "kube/elector_state.h"
#include "kube/problem.h"
#include "kube/server_connection.h"
#include "kube/typed.h"
#include "net/http_server.h"
#include "rt/cancel.h"
#include "rt/real/real_runtime.h"
#include "rt/real/signals.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::app {
namespace {

using std::chrono::seconds;

constexpr auto kFirstAnswerMax = seconds(20);

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "binder";
}

// No other process has it, also not one of the same machine, earlier or later.
std::string make_identity(rt::RealRuntime& runtime) {
  return fmt::format("{}_{:016x}", host_name(), runtime.random().next());
}

class BinderProcess {
 public:
  BinderProcess(const BinderProcessOptions& options, kube::config::ServerConfig config)
      : options_(options),
        runtime_(1),
        output_{.sink = fd_sink(STDERR_FILENO),
                .clock = [this] { return runtime_.wall_now(); },
                .format = options.log_format,
                .level = options.log_level},
        log_(output_),
        real_server_(runtime_, std::move(config)),
        server_(real_server_.connection()),
        identity_(make_identity(runtime_)),
        metrics_(lease_name()),
        service_(runtime_, server_.client(), service_options()),
        signals_(runtime_, {SIGINT, SIGTERM}),
        health_({.not_ready = [this] { return not_ready(); }, .metrics = {}}),
        metrics_page_({.not_ready = {}, .metrics = [this] { return metrics_.render(service_); }}),
        health_server_(runtime_, health_, {.limits = probe_limits(), .tls = {}, .log = &log_}),
        metrics_server_(
            runtime_, metrics_page_, {.limits = probe_limits(), .tls = {}, .log = &log_}),
        scope_(runtime_, "binder process") {}

  Result<void> run() {
    auto served = serve(options_.health_address, "health-probe-bind-address", health_server_);
    if (served) {
      served = serve(options_.metrics_address, "metrics-bind-address", metrics_server_);
    }
    if (!served) {
      return served;
    }
    if (!options_.without_effect.empty()) {
      log_.warn("options without effect", {{"options", options_.without_effect}});
    }
    scope_.spawn("signals", heed_signals());
    scope_.spawn("binder", work());
    runtime_.run();
    return result_;
  }

 private:
  std::string lease_name() const {
    return options_.lease_name.empty() ? kBinderLease : options_.lease_name;
  }

  binder::ServiceOptions service_options() {
    binder::ServiceOptions service;
    if (options_.elects) {
      std::string ns =
          options_.lease_namespace.empty() ? server_.config().ns : options_.lease_namespace;
      service.election = kube::ElectorOptions{
          .lease = {.ns = ns.empty() ? "kube-system" : std::move(ns), .name = lease_name()},
          .identity = identity_,
          .lease_duration = options_.lease_duration,
          .renew_deadline = options_.renew_deadline,
          .retry_period = options_.retry_period};
    }
    service.drain_max = options_.drain_max;
    service.binder.workers = options_.workers;
    service.binder.backoff.min = options_.backoff_min.value_or(service.binder.backoff.min);
    service.binder.backoff.max = options_.backoff_max.value_or(service.binder.backoff.max);
    service.informers.on_problem = [this](const kube::Problem& problem) { tell(problem); };
    service.binder.on_said = [this](const api::BindRequest& order,
                                    const binder::Outcome& outcome,
                                    rt::Duration took) { tell(order, outcome, took); };
    service.binder.on_trouble = [this](const api::BindRequest& order, const Error& trouble) {
      metrics_.trouble(trouble);
      log_.info("bind request is tried again",
                {{"bind_request", kube::key_of(order).text()}, {"error", trouble.text()}});
    };
    service.on_election_problem = [this](const kube::Problem& problem) {
      log_.warn("the lease is out of reach; trying again",
                {{"lease", lease_name()}, {"error", problem.error.text()}});
    };
    service.binder.on_problem = [this](const Error& problem) {
      metrics_.trouble(problem);
      log_.warn("cannot begin to bind", {{"error", problem.text()}});
    };
    service.on_leading = [this] { log_.info("leading", {{"identity", identity_}}); };
    return service;
  }

  void tell(const kube::Problem& problem) {
    const std::string_view what = problem.what == kube::Problem::What::kBadObject
                                      ? "an object cannot be read"
                                      : "cannot be followed for now";
    log_.warn("watching",
              {{"kind", problem.kind->name}, {"problem", what}, {"error", problem.error.text()}});
  }

  void tell(const api::BindRequest& order, const binder::Outcome& outcome, rt::Duration took) {
    metrics_.said(outcome, took);
    const std::string name = kube::key_of(order).text();
    if (outcome.is_bound) {
      log_.debug("bound",
                 {{"bind_request", name},
                  {"pod", order.spec.pod_name},
                  {"node", order.spec.selected_node},
                  {"took", took}});
    } else {
      log_.warn("bind request failed", {{"bind_request", name}, {"reason", outcome.reason}});
    }
  }

  std::string not_ready() const {
    if (!service_.has_synced()) {
      return "the caches are not filled yet";
    }
    const auto& problem = service_.binder().problem();
    return problem ? problem->text() : std::string();
  }

  Result<void> serve(const std::string& address, const char* flag, net::HttpServer& server) {
    auto endpoint = parse_bind_address(address);
    if (!endpoint) {
      return std::move(endpoint).error().in(fmt::format("--{}", flag));
    }
    if (!*endpoint) {
      return {};
    }
    auto listener = listen_on(runtime_, **endpoint, flag);
    if (!listener) {
      return std::move(listener).error();
    }
    log_.info("listening", {{"for", flag}, {"port", (*listener)->port()}});
    server.listen(*std::move(listener));
    return {};
  }

  rt::Task<void> heed_signals() {
    const int first = co_await signals_.next({.token = scope_.token()});
    if (first == 0) {
      co_return;
    }
    log_.info("asked to end; what has begun is finished", {{"signal", first}});
    stop_.cancel();
    const int second = co_await signals_.next({.token = scope_.token()});
    if (second != 0) {
      end(Error(ErrorCode::kCancelled, "a second signal cut the orderly end short"));
    }
  }

  rt::Task<void> work() {
    auto ready = co_await check_server();
    if (!ready) {
      // Asked to end before it began is no failure.
      end(stop_.is_cancelled() ? Result<void>() : std::move(ready).error());
      co_return;
    }
    const binder::Service::End how = co_await service_.run(stop_.token());
    const rt::Time soon = rt::after(runtime_.now(), seconds(1));
    co_await health_server_.stop(soon);
    co_await metrics_server_.stop(soon);
    if (how == binder::Service::End::kDeposed) {
      end(Error(ErrorCode::kUnavailable, why_deposed()));
      co_return;
    }
    log_.info("ended in order",
              {{"bound", service_.binder().counts().bound},
               {"failed", service_.binder().counts().failed}});
    end({});
  }

  std::string why_deposed() const {
    const std::string holder = service_.leader();
    return fmt::format(
        "{}; the process ends so as to be started anew",
        holder.empty() || holder == identity_
            ? "the lease could not be renewed in time: the server does not answer, or is too busy"
            : "the lease was lost to " + holder);
  }

  // What keeps a binder from ever doing anything is said at once, and by its exit code.
  rt::Task<Result<void>> check_server() {
    const rt::CancelToken stop = stop_.token();
    auto prepared = co_await server_.prepare({.token = stop});
    if (!prepared) {
      co_return Error(prepared.error().code(), server_.explain(prepared.error()));
    }
    const rt::Until until{.token = stop, .deadline = rt::after(runtime_.now(), kFirstAnswerMax)};
    auto pong = co_await ask_version(&server_, until);
    if (!pong) {
      co_return std::move(pong).error();
    }
    auto orders = co_await server_.client().list(
        {.of = {.kind = &api::BindRequest::kKind}, .limit = 1}, until);
    if (!orders) {
      if (orders.error().code() == ErrorCode::kNotFound) {
        co_return Error(ErrorCode::kNotFound,
                        fmt::format("{} does not know BindRequests; install them: berth crds | "
                                    "kubectl apply -f -",
                                    pong->url));
      }
      co_return Error(orders.error().code(), server_.explain(orders.error()));
    }
    log_.info("connected",
              {{"server", pong->url},
               {"version", pong->version},
               {"context", pong->context},
               {"identity", identity_}});
    co_return Result<void>();
  }

  void end(Result<void> result) {
    result_ = std::move(result);
    runtime_.stop();
  }

  BinderProcessOptions options_;
  rt::RealRuntime runtime_;
  LogOutput output_;
  Logger log_;
  RealServer real_server_;
  kube::ServerConnection& server_;
  std::string identity_;
  BinderMetrics metrics_;
  binder::Service service_;
  rt::CancelSource stop_;
  rt::Signals signals_;
  Probes health_;
  Probes metrics_page_;
  net::HttpServer health_server_;
  net::HttpServer metrics_server_;
  Result<void> result_;
  rt::Scope scope_;  // last: what runs in it uses all of the above
};

}  // namespace

Result<void> run_binder(const BinderProcessOptions& options) {
  auto config = RealServer::find(options.config);
  if (!config) {
    return std::move(config).error();
  }
  return BinderProcess(options, *std::move(config)).run();
}

}  // namespace berth::app
