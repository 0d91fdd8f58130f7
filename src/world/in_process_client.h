// The client of one simulated process: every fault of its cluster's can hit it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "kube/client.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "world/cluster.h"
#include "world/faults.h"

namespace berth::world {

class InProcessClient final : public kube::Client {
 public:
  // `crash` is told when this process is to end; it must destroy what runs in it before virtual
  // time goes on, and not at once, since it is called from within. Empty: the process never
  // crashes. Cluster and process outlive the client.
  InProcessClient(Cluster& cluster,
                  rt::Runtime& process,
                  std::string name,
                  std::function<void()> crash);
  ~InProcessClient() override;

  rt::Task<Result<kube::Document>> get(kube::GetRequest request, rt::Until until) override;
  rt::Task<Result<kube::ListPage>> list(kube::ListRequest request, rt::Until until) override;
  rt::Task<Result<std::unique_ptr<kube::Watch>>> watch(kube::WatchRequest request,
                                                       rt::Until until) override;
  rt::Task<Result<kube::Document>> create(kube::CreateRequest request, rt::Until until) override;
  rt::Task<Result<kube::Document>> patch(kube::PatchRequest request, rt::Until until) override;
  rt::Task<Result<void>> remove(kube::RemoveRequest request, rt::Until until) override;

 private:
  // The server the next request goes to.
  ApiServer& pick_server();
  // One way through the network: kTimeout or kCancelled when that took too long.
  rt::Task<Result<void>> travel(rt::Until until);
  // There, with all that may befall a request which changes nothing.
  rt::Task<Result<void>> reach_server(rt::Until until);
  rt::Task<Result<kube::Document>> write(Write write, rt::Until until);
  // From which version a list is served, after waiting for a server that is behind.
  rt::Task<Result<std::uint64_t>> version_for(ApiServer* server,
                                              std::string wanted,
                                              rt::Until until);
  // Ends the process in this phase of a write: never returns.
  rt::Task<void> crash(WriteKind kind, Phase phase);

  Cluster& cluster_;
  rt::Runtime& process_;
  std::string name_;
  std::function<void()> crash_;
  std::size_t server_ = 0;
  rt::WaitQueue never_;
};

}  // namespace berth::world
