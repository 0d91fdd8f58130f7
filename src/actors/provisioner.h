// The provisioner of simulated storage: makes a volume for every claim that asks one of
// `sim.berth.dev` for it, deletes those that nobody needs any more, and publishes how much room
// there is. Latency, room and failures are parameters of the class (sim_class.h).
//
//   Provisioner provisioner(runtime, client, {});
//   scope.spawn("provisioner", provisioner.run(scope.token()));
//
// Volumes exist as objects only, so one that crashed has nothing to remember: a volume is named
// after its claim and made once. What is drawn comes from the runtime. Tries that were to fail are
// counted anew by who comes after a crash.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/capacity_objects.h"
#include "actors/desk.h"
#include "actors/shelf.h"
#include "actors/sim_class.h"
#include "actors/sim_room.h"
#include "actors/sim_volume.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"
#include "base/error.h"
#include "base/hash_map.h"
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

struct ProvisionerOptions {
  // Claims that are worked on at once; one that waits costs no more than its memory.
  std::size_t workers = 128;
  std::string ns = "kube-system";  // of the capacity objects
  // Between two tries for a claim. As external-provisioner.
  kube::Backoff backoff{.min = std::chrono::seconds(1), .max = std::chrono::minutes(5)};
  // So often claims, volumes and capacity are looked at whatever happens.
  rt::Duration resync = std::chrono::minutes(1);
  kube::Informers::Options informers;
};

struct ProvisionerCounts {
  std::uint64_t made = 0;
  std::uint64_t failed = 0;  // tries
  std::uint64_t rescheduled = 0;
  std::uint64_t removed = 0;
};

class Provisioner {
 public:
  // Runtime and client outlive it.
  Provisioner(rt::Runtime& runtime, kube::Client& client, ProvisionerOptions options);

  // Until `stop`. Once.
  rt::Task<void> run(rt::CancelToken stop);

  const ProvisionerCounts& counts() const { return counts_; }

 private:
  using Claim = api::PersistentVolumeClaim;
  using Volume = api::PersistentVolume;
  using Queue = kube::WorkQueue<kube::ObjectKey>;
  using Sync = rt::Task<Next> (Provisioner::*)(kube::ObjectKey key, Desk desk);

  // What is remembered of a claim while a volume is made for it.
  struct Job {
    std::string uid;
    std::uint64_t tries = 0;
    // Room that its volume takes, from the moment it is sent until it is seen.
    std::string pool;
    std::int64_t bytes = 0;
  };
  // One try.
  struct Try {
    volumes::ClaimPtr claim;
    ClassPtr storage_class;
    SimClass sim;
  };

  void follow_claim(const kube::InformerEvent<Claim>& event);
  void follow_volume(const kube::InformerEvent<Volume>& event);
  void wake_capacities() { capacity_queue_.add({}); }

  rt::Task<void> work(Queue* queue, Sync sync, Desk desk);
  rt::Task<void> resync(rt::CancelToken stop);
  rt::Task<Next> sync_claim(kube::ObjectKey key, Desk desk);
  rt::Task<Next> sync_volume(kube::ObjectKey key, Desk desk);
  rt::Task<Next> sync_capacities(kube::ObjectKey key, Desk desk);

  // The claim as it is now, if it still wants a volume and there is none.
  volumes::ClaimPtr find_open(const kube::ObjectKey& key) const;
  rt::Task<Next> attempt(Try one, Desk desk);
  rt::Task<SimPlace> place(Try one, Desk desk);
  rt::Task<Next> make(Try one, Segment segment, Desk desk);
  // What the server has under the name of the volume is ours.
  rt::Task<Next> look_for(Try one, Desk desk, Error refusal);
  rt::Task<Next> fail(Try one, Outcome outcome, std::string why, Desk desk);
  rt::Task<Next> give_node_back(Try one, Desk desk);
  // Without what is promised to the claim with that uid.
  std::int64_t taken_of(const std::string& pool, std::string_view except_uid) const;
  Job& job_of(const Claim& claim);
  // If there is nothing left to do for the claim.
  void forget(const kube::ObjectKey& key);

  rt::Runtime& runtime_;
  kube::Client& client_;
  ProvisionerOptions options_;
  kube::Informers informers_;
  kube::Informer<Claim>& claim_feed_;
  kube::Informer<Volume>& volumes_;
  kube::Informer<api::StorageClass>& classes_;
  kube::Informer<api::Node>& nodes_;
  kube::Informer<api::CSIStorageCapacity>& capacities_;
  kube::EventRecorder recorder_;
  Shelf<Claim> claims_;
  Queue claim_queue_;
  Queue volume_queue_;
  Queue capacity_queue_;  // of one key
  HashMap<kube::ObjectKey, Job> jobs_;
  ProvisionerCounts counts_;
};

}  // namespace berth::actors
