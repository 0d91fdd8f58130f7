// The client of a real cluster's administrator, over TLS, and a runtime it runs on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "base/secret.h"
#include "kube/client.h"
#include "kube/http/credentials.h"
#include "kube/http/http_client.h"
#include "net/connection_pool.h"
#include "net/dial.h"
#include "net/tcp.h"
#include "peers/real_cluster.h"
#include "rt/real/real_runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::tests {

// A token that never changes.
class FixedToken final : public kube::http::Credentials {
 public:
  explicit FixedToken(Secret token) : token_(std::move(token)) {}

  rt::Task<Result<kube::http::Credential>> current(rt::Until until) override;
  bool renew(std::uint64_t /*number*/) override { return false; }

 private:
  Secret token_;
};

struct ClusterClientOptions {
  // Otherwise JSON, as written and compared by hand.
  bool prefers_protobuf = true;
  // Somewhere in between that passes everything on; the server itself where there is none.
  std::optional<net::Endpoint> by_way_of;
  net::PoolOptions pool;
};

class ClusterClient {
 public:
  ClusterClient(rt::RealRuntime& runtime,
                const RealCluster& cluster,
                const ClusterClientOptions& options = {});

  kube::Client& client() { return client_; }

 private:
  FixedToken credentials_;
  net::ConnectionPool requests_;
  net::ConnectionPool watches_;
  kube::http::HttpClient client_;
};

// Runs what waits on the runtime until `is_done`; false when that takes longer than `patience`.
bool run_until(rt::RealRuntime& runtime,
               const std::function<bool()>& is_done,
               rt::Duration patience);

}  // namespace berth::tests
