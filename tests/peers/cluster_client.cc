#include "peers/cluster_client.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <string>

#include "base/result.h"
#include "kube/http/credentials.h"
#include "kube/http/http_client.h"
#include "net/connection_pool.h"
#include "net/dial.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "peers/real_cluster.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::tests {
namespace {

// How soon a test that waits sees that it need not any more.
constexpr std::chrono::milliseconds kGlance{1};

net::Dial dial_to(rt::RealRuntime& runtime,
                  const RealCluster& cluster,
                  const ClusterClientOptions& options) {
  const net::Endpoint server{.host = cluster.host(), .port = cluster.port()};
  return net::dial_server(
      runtime,
      options.by_way_of.value_or(server),
      [authorities = cluster.authorities_pem()] {
        return net::TlsContext::client({.authorities_pem = authorities, .protocols = {"h2"}});
      },
      cluster.host());
}

rt::Task<void> stop_when(rt::RealRuntime* runtime,
                         const std::function<bool()>* is_done,
                         rt::Time deadline) {
  while (!(*is_done)() && runtime->now() < deadline) {
    static_cast<void>(co_await rt::sleep_for(*runtime, kGlance, {}));
  }
  runtime->stop();
}

}  // namespace

rt::Task<Result<kube::http::Credential>> FixedToken::current(rt::Until /*until*/) {
  co_return kube::http::Credential{.token = token_};
}

ClusterClient::ClusterClient(rt::RealRuntime& runtime,
                             const RealCluster& cluster,
                             const ClusterClientOptions& options)
    : credentials_(cluster.token()),
      requests_(runtime, dial_to(runtime, cluster, options), options.pool),
      watches_(runtime, dial_to(runtime, cluster, options), options.pool),
      client_({.authority = fmt::format("{}:{}", cluster.host(), cluster.port()),
               .prefers_protobuf = options.prefers_protobuf},
              requests_,
              watches_,
              credentials_) {}

bool run_until(rt::RealRuntime& runtime,
               const std::function<bool()>& is_done,
               rt::Duration patience) {
  rt::Scope scope(runtime, "until a test need not wait any more");
  scope.spawn("a glance now and then",
              stop_when(&runtime, &is_done, rt::after(runtime.now(), patience)));
  runtime.run();
  return is_done();
}

}  // namespace berth::tests
