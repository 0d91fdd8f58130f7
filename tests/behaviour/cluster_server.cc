// The simulated cluster as its processes see it, with a network that never fails.
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "base/result.h"
#include "behaviour/server.h"
#include "kube/client.h"
#include "rt/random.h"
#include "rt/runtime.h"
#include "rt/simulation.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/in_process_client.h"

namespace berth::tests {
namespace {

constexpr std::size_t kHistory = 10'000;

class ClusterServer final : public Server {
 public:
  kube::Client& client() override { return client_; }
  rt::Runtime& runtime() override { return simulation_; }
  bool run_until(const std::function<bool()>& is_done) override {
    return simulation_.run_until(is_done, simulation_.now() + std::chrono::hours(1));
  }
  bool has_custom_resources() const override { return true; }
  bool forget_history() override {
    cluster_.store().compact(cluster_.store().resource_version());
    return true;
  }

 private:
  rt::Simulation simulation_{1};
  world::Faults faults_{rt::Random(1), world::FaultSet::none()};
  world::Cluster cluster_{simulation_, faults_, kHistory};
  world::InProcessClient client_{cluster_, simulation_, "client", {}};
};

}  // namespace

Result<std::unique_ptr<Server>> start_server() {
  return std::unique_ptr<Server>(std::make_unique<ClusterServer>());
}

}  // namespace berth::tests
