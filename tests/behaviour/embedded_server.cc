// The embedded server, in virtual time.
#include <chrono>
#include <functional>
#include <memory>

#include "base/result.h"
#include "behaviour/server.h"
#include "kube/client.h"
#include "rt/random.h"
#include "rt/runtime.h"
#include "rt/simulation.h"
#include "world/direct_client.h"
#include "world/store.h"

namespace berth::tests {
namespace {

class EmbeddedServer final : public Server {
 public:
  kube::Client& client() override { return client_; }
  rt::Runtime& runtime() override { return simulation_; }
  bool run_until(const std::function<bool()>& is_done) override {
    return simulation_.run_until(is_done, simulation_.now() + std::chrono::hours(1));
  }
  bool has_custom_resources() const override { return true; }
  bool forget_history() override {
    store_.compact(store_.resource_version());
    return true;
  }

 private:
  rt::Simulation simulation_{1};
  world::Store store_{
      {.clock = [this] { return simulation_.wall_now(); }, .random = simulation_.random().fork()}};
  world::DirectClient client_{store_, simulation_};
};

}  // namespace

Result<std::unique_ptr<Server>> start_server() {
  return std::unique_ptr<Server>(std::make_unique<EmbeddedServer>());
}

}  // namespace berth::tests
