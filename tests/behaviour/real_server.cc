// A real kube-apiserver, spoken to in JSON so that cases see objects as they are stored. One
// cluster serves all cases of the program; each has its own connections.
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/result.h"
#include "behaviour/server.h"
#include "kube/client.h"
#include "peers/cluster_client.h"
#include "peers/real_cluster.h"
#include "rt/real/real_runtime.h"
#include "rt/runtime.h"

namespace berth::tests {
namespace {

// Longer than a case waits for one answer.
constexpr std::chrono::seconds kPatience{60};

class RealServer final : public Server {
 public:
  explicit RealServer(RealCluster& cluster) : cluster_(cluster) { connect(); }

  kube::Client& client() override { return client_->client(); }
  rt::Runtime& runtime() override { return runtime_; }
  bool run_until(const std::function<bool()>& is_done) override {
    return tests::run_until(runtime_, is_done, kPatience);
  }
  bool has_custom_resources() const override { return true; }
  // A server keeps a while of history beside its store's: it has to begin anew as well.
  bool forget_history() override {
    const bool is_done = cluster_.compact() && cluster_.kill_server() && cluster_.start_server();
    connect();
    return is_done;
  }

 private:
  void connect() {
    client_.emplace(runtime_, cluster_, ClusterClientOptions{.prefers_protobuf = false});
  }

  RealCluster& cluster_;
  rt::RealRuntime runtime_{1};
  std::optional<ClusterClient> client_;
};

Result<std::unique_ptr<RealCluster>> start_cluster() {
  BERTH_TRY(std::unique_ptr<RealCluster> cluster, RealCluster::start({}));
  if (auto defined = cluster->define(BERTH_BIND_REQUESTS); !defined) {
    return std::move(defined).error();
  }
  return cluster;
}

}  // namespace

Result<std::unique_ptr<Server>> start_server() {
  // Ends with the program.
  static const Result<std::unique_ptr<RealCluster>> cluster = start_cluster();
  if (!cluster) {
    return cluster.error();
  }
  return std::unique_ptr<Server>(std::make_unique<RealServer>(**cluster));
}

}  // namespace berth::tests
