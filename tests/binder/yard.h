// For tests: a real cluster with nodes, pods and orders for them, and `berth binder` as a process.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/objects/bind_request.h"
#include "api/objects/pod.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "peers/child.h"
#include "peers/cluster_client.h"
#include "peers/real_cluster.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::tests {

// How far the orders of a yard are.
struct Progress {
  std::size_t untouched = 0;        // neither bound nor with a status
  std::set<std::string> half_done;  // bound, and the status does not say so; by name
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::vector<std::string> wrong;  // where status, pod and order do not agree
};

class Yard {
 public:
  // kNotFound where there is no real control plane to be had.
  static Result<std::unique_ptr<Yard>> open();

  // So many pods more, each with an order for one of the nodes.
  void order(std::size_t count);
  // By a fresh list.
  Progress progress();
  // Pods that were bound, as a watch of our own has told: quick to ask.
  std::size_t bound_so_far() const { return bound_; }
  bool run_until(const std::function<bool()>& is_done,
                 rt::Duration patience = std::chrono::minutes(3));
  // Lets the time pass, and what waits on the runtime go on.
  void pause(rt::Duration duration);
  // Until every order has a status, looked at now and then.
  bool wait_for_all(rt::Duration patience = std::chrono::minutes(3));

  // `berth binder`; `name` names what it prints.
  std::unique_ptr<Child> start_binder(const std::string& name,
                                      const std::vector<std::string>& more = {});
  // A figure of its /metrics, by name and labels as they are printed.
  std::optional<double> metric(const Child& binder, const std::string& series);
  // The answer to a GET of a page of it, with its head.
  std::string page(const Child& binder, const std::string& server, const std::string& path);

  RealCluster& cluster() { return *cluster_; }
  kube::Client& client() { return client_->client(); }
  rt::RealRuntime& runtime() { return runtime_; }

 private:
  Yard() = default;

  rt::Task<void> make_pods(std::size_t* next, std::size_t end, std::size_t* left);
  rt::Task<Result<void>> make(std::size_t number);
  template <typename Object>
  std::vector<std::shared_ptr<const Object>> list();

  rt::RealRuntime runtime_{1};
  std::unique_ptr<RealCluster> cluster_;
  std::optional<ClusterClient> client_;
  std::optional<kube::Informers> informers_;
  std::size_t ordered_ = 0;
  std::size_t bound_ = 0;
  std::optional<rt::Scope> scope_;  // last: what runs in it uses all of the above
};

}  // namespace berth::tests
