// Makes the claims of pods' generic ephemeral volumes, as kube-controller-manager's
// ephemeral-volume-controller does. Who owns a claim deletes it: that is the garbage collector's
// work and not done here.
//
//   EphemeralClaims claims(runtime, client, {});
//   scope.spawn("ephemeral claims", claims.run(scope.token()));
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "actors/desk.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "base/result.h"
#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/event_recorder.h"
#include "kube/informer.h"
#include "kube/object_key.h"
#include "kube/work_queue.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/task.h"

namespace berth::actors {

// The claims that the pod needs, in the order of its volumes; none for one that is going. Pure.
std::vector<api::PersistentVolumeClaim> ephemeral_claims_of(const api::Pod& pod);

struct EphemeralClaimsOptions {
  std::size_t workers = 16;  // pods that are worked on at once
  kube::Backoff backoff{.min = std::chrono::milliseconds(20), .max = std::chrono::minutes(5)};
  kube::Informers::Options informers;
};

class EphemeralClaims {
 public:
  // Runtime and client outlive it.
  EphemeralClaims(rt::Runtime& runtime, kube::Client& client, EphemeralClaimsOptions options);

  // Until `stop`. Once.
  rt::Task<void> run(rt::CancelToken stop);

 private:
  using Claim = api::PersistentVolumeClaim;

  rt::Task<void> work(Desk desk);
  // False when it is to be tried again.
  rt::Task<bool> sync(kube::ObjectKey key, Desk desk);
  void tell_not_owner(const api::Pod& pod, const Claim& claim);

  rt::Runtime& runtime_;
  kube::Client& client_;
  EphemeralClaimsOptions options_;
  kube::Informers informers_;
  kube::Informer<api::Pod>& pods_;
  kube::Informer<Claim>& claims_;
  kube::EventRecorder recorder_;
  kube::WorkQueue<kube::ObjectKey> queue_;
};

}  // namespace berth::actors
