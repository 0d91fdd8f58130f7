// The rest of the cluster: writers who create, change and delete objects of several kinds.
#pragma once

#include <string>

#include "api/kind.h"
#include "kube/object_key.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "world/cluster.h"
#include "world/in_process_client.h"

namespace berth::sim::informers {

class Traffic {
 public:
  Traffic(world::Cluster& cluster, std::string name);

  // Writes at random until the token is cancelled.
  rt::Task<void> run(rt::CancelToken token);

 private:
  rt::Task<void> write_once(rt::Until until);
  rt::Task<void> create(const api::Kind* kind, kube::ObjectKey key, rt::Until until);
  rt::Task<void> change(const api::Kind* kind, kube::ObjectKey key, rt::Until until);
  rt::Task<void> remove(const api::Kind* kind, kube::ObjectKey key, rt::Until until);
  rt::Task<void> act_on_pod(kube::ObjectKey key, rt::Until until);

  world::Cluster& cluster_;
  rt::Runtime& runtime_;
  world::InProcessClient client_;
};

}  // namespace berth::sim::informers
