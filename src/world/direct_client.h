// A client that stands beside the store: no network, no delay, no fault. Every call lets others run
// once and then acts on the newest state; watches see every change. For tests of what a store does,
// and for those who play a part of the cluster that is not under test.
#pragma once

#include <memory>

#include "base/result.h"
#include "kube/client.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "world/store.h"

namespace berth::world {

// Store and runtime outlive it and its watches.
class DirectClient final : public kube::Client {
 public:
  DirectClient(Store& store, rt::Runtime& runtime) : store_(store), runtime_(runtime) {}

  rt::Task<Result<kube::Document>> get(kube::GetRequest request, rt::Until until) override;
  rt::Task<Result<kube::ListPage>> list(kube::ListRequest request, rt::Until until) override;
  rt::Task<Result<std::unique_ptr<kube::Watch>>> watch(kube::WatchRequest request,
                                                       rt::Until until) override;
  rt::Task<Result<kube::Document>> create(kube::CreateRequest request, rt::Until until) override;
  rt::Task<Result<kube::Document>> patch(kube::PatchRequest request, rt::Until until) override;
  rt::Task<Result<void>> remove(kube::RemoveRequest request, rt::Until until) override;

 private:
  // kCancelled or kTimeout when nobody waits for the answer any more; then nothing is done.
  rt::Task<Result<void>> turn(rt::Until until);

  Store& store_;
  rt::Runtime& runtime_;
};

}  // namespace berth::world
