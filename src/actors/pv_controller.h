// The PV controller: brings claims and volumes together, as kube-controller-manager's
// persistentvolume-binder does.
//
//   PvController controller(runtime, client, {});
//   scope.spawn("pv controller", controller.run(scope.token()));
//
// What it does about a claim or a volume is decided in claim_sync.h and volume_sync.h; this reads,
// writes and waits. It may end at any moment and another one may go on: all that counts is in the
// cluster. Two at once do no harm and are of no use; a fenced client keeps one of them quiet.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "actors/claim_sync.h"
#include "actors/desk.h"
#include "actors/shelf.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "base/error.h"
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
#include "rt/time.h"
#include "volumes/rules.h"

namespace berth::actors {

struct PvControllerOptions {
  // Claims, and as many volumes, that are worked on at once. Upstream has one for each.
  std::size_t workers = 16;
  // So often everything is looked at again, as upstream does.
  rt::Duration resync = std::chrono::seconds(15);
  kube::Backoff backoff{.min = std::chrono::milliseconds(20), .max = std::chrono::seconds(10)};
  kube::Informers::Options informers;
  // Called between two awaits; may be empty. A sync failed, and will be made again.
  std::function<void(const kube::ObjectKey& key, const Error& trouble)> on_trouble;
};

struct PvControllerCounts {
  std::uint64_t syncs = 0;
  std::uint64_t writes = 0;  // that were applied
  std::uint64_t troubles = 0;
};

class PvController {
 public:
  // Runtime and client outlive it.
  PvController(rt::Runtime& runtime, kube::Client& client, PvControllerOptions options);

  // Until `stop`. Once.
  rt::Task<void> run(rt::CancelToken stop);

  const PvControllerCounts& counts() const { return counts_; }

 private:
  using Claim = api::PersistentVolumeClaim;
  using Volume = api::PersistentVolume;
  using Queue = kube::WorkQueue<kube::ObjectKey>;
  using Sync = rt::Task<Result<void>> (PvController::*)(kube::ObjectKey key, Desk desk);

  // What changed wakes whom it concerns.
  void follow_claim(const kube::InformerEvent<Claim>& event);
  void follow_volume(const kube::InformerEvent<Volume>& event);
  void follow_class(const kube::InformerEvent<api::StorageClass>& event);
  void wake_open_claims(std::string_view class_name);

  rt::Task<void> work(Queue* queue, Sync sync, Desk desk);
  rt::Task<void> resync(rt::CancelToken stop);
  rt::Task<Result<void>> sync_claim(kube::ObjectKey key, Desk desk);
  rt::Task<Result<void>> sync_volume(kube::ObjectKey key, Desk desk);
  rt::Task<Result<void>> bind(volumes::VolumePtr volume, volumes::ClaimPtr claim, Desk desk);
  // Sends a write, and looks where its fate is unknown.
  rt::Task<Result<volumes::ClaimPtr>> write_claim(kube::PatchRequest request, Desk desk);
  rt::Task<Result<volumes::VolumePtr>> write_volume(kube::PatchRequest request, Desk desk);

  const api::StorageClass* class_of(const Claim& claim) const;
  std::vector<std::string> waiting_pods(const Claim& claim) const;
  void tell(const std::vector<kube::RecordedEvent>& events);

  rt::Runtime& runtime_;
  kube::Client& client_;
  PvControllerOptions options_;
  kube::Informers informers_;
  kube::Informer<Claim>& claim_feed_;
  kube::Informer<Volume>& volume_feed_;
  kube::Informer<api::StorageClass>& classes_;
  kube::Informer<api::Pod>& pods_;
  kube::EventRecorder recorder_;
  Shelf<Claim> claims_;
  Shelf<Volume> volumes_;
  Queue claim_queue_;
  Queue volume_queue_;
  PvControllerCounts counts_;
};

}  // namespace berth::actors
