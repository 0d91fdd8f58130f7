#include "actors/provisioner.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/announce.h"
#include "actors/desk.h"
#include "actors/names.h"
#include "actors/pv_writes.h"
#include "actors/sim_class.h"
#include "actors/sim_room.h"
#include "actors/sim_volume.h"
#include "api/mask.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/change.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "volumes/names.h"
#include "volumes/rules.h"

namespace berth::actors {
namespace {

constexpr std::string_view kPool = "pool";  // index of volumes

std::vector<std::string> pools_of(const api::PersistentVolume& volume) {
  std::string pool = pool_of(volume);
  return pool.empty() ? std::vector<std::string>() : std::vector{std::move(pool)};
}

api::Mask node_mask() {
  return api::Mask::keeping<api::Node>({"metadata.name",
                                        "metadata.namespace",
                                        "metadata.uid",
                                        "metadata.resourceVersion",
                                        "metadata.labels"});
}

}  // namespace

Provisioner::Provisioner(rt::Runtime& runtime, kube::Client& client, ProvisionerOptions options)
    : runtime_(runtime),
      client_(client),
      options_(std::move(options)),
      informers_(runtime, client, options_.informers),
      claim_feed_(informers_.add<Claim>()),
      volumes_(informers_.add<Volume>()),
      classes_(informers_.add<api::StorageClass>()),
      nodes_(informers_.add<api::Node>({.mask = node_mask()})),
      capacities_(informers_.add<api::CSIStorageCapacity>({.ns = options_.ns})),
      recorder_(runtime,
                client,
                {.component = std::string(kManager),
                 .instance = "",
                 .group = kube::EventSourceNames::Group::kCore},
                {}),
      claim_queue_(runtime, {.backoff = options_.backoff}),
      volume_queue_(runtime, {.backoff = options_.backoff}),
      capacity_queue_(runtime, {.backoff = options_.backoff}) {
  volumes_.add_index(std::string(kPool), pools_of);
  claim_feed_.on_change([this](const auto& event) { follow_claim(event); });
  volumes_.on_change([this](const auto& event) { follow_volume(event); });
  classes_.on_change([this](const auto&) { wake_capacities(); });
  nodes_.on_change([this](const auto&) { wake_capacities(); });
  capacities_.on_change([this](const auto&) { wake_capacities(); });
}

void Provisioner::follow_claim(const kube::InformerEvent<Claim>& event) {
  const kube::ObjectKey key = kube::key_of(*event.newest());
  if (event.type == kube::ChangeType::kDeleted) {
    claims_.erase(key);
  } else {
    claims_.put_seen(event.after);
  }
  claim_queue_.add(key);
}

void Provisioner::follow_volume(const kube::InformerEvent<Volume>& event) {
  const Volume& newest = *event.newest();
  if (!is_simulated_volume(newest)) {
    return;
  }
  if (event.type != kube::ChangeType::kDeleted) {
    volume_queue_.add(kube::key_of(newest));
  }
  if (newest.spec.claim_ref) {
    // Its claim may go on waiting, or has nothing to wait for any more.
    claim_queue_.add({.ns = newest.spec.claim_ref->ns, .name = newest.spec.claim_ref->name});
  }
  wake_capacities();
}

rt::Task<void> Provisioner::run(rt::CancelToken stop) {
  rt::Scope scope(runtime_, "provisioner", stop);
  scope.spawn("informers", informers_.run(scope.token()));
  scope.spawn("events", recorder_.run(scope.token()));
  const rt::Wake wake = co_await informers_.wait_until_synced({.token = scope.token()});
  if (wake == rt::Wake::kNotified) {
    const Desk desk{.runtime = runtime_, .client = client_, .stop = scope.token()};
    for (std::size_t i = 0; i < options_.workers; ++i) {
      scope.spawn("claims", work(&claim_queue_, &Provisioner::sync_claim, desk));
    }
    scope.spawn("volumes", work(&volume_queue_, &Provisioner::sync_volume, desk));
    scope.spawn("capacities", work(&capacity_queue_, &Provisioner::sync_capacities, desk));
    scope.spawn("resync", resync(scope.token()));
  }
  scope.close();
  co_await scope.drain();
}

rt::Task<void> Provisioner::resync(rt::CancelToken stop) {
  while (true) {
    const rt::Wake wake = co_await rt::sleep_for(runtime_, options_.resync, stop);
    if (wake == rt::Wake::kCancelled) {
      co_return;
    }
    for (const auto& volume : volumes_.cache().all()) {
      if (disposal_of(*volume) != Disposal::kNone) {
        volume_queue_.add(kube::key_of(*volume));
      }
    }
    wake_capacities();
  }
}

rt::Task<void> Provisioner::work(Queue* queue, Sync sync, Desk desk) {
  while (auto work = co_await queue->next({.token = desk.stop})) {
    const Next next = co_await (this->*sync)(work->key(), desk);
    if (desk.stop.is_cancelled()) {
      co_return;
    }
    switch (next) {
      case Next::kDone:
      case Next::kReschedule:
        work->done();
        break;
      case Next::kRetry:
        work->retry();
        break;
      case Next::kRetryLate:
        work->again_after(options_.backoff.max);
        break;
    }
  }
}

volumes::ClaimPtr Provisioner::find_open(const kube::ObjectKey& key) const {
  const volumes::ClaimPtr claim = claims_.objects().find(key);
  if (!claim) {
    return nullptr;
  }
  const auto storage_class = classes_.cache().find("", volumes::class_of(*claim));
  const bool is_open = is_wanted(*claim, storage_class.get()) &&
                       !volumes_.cache().find("", volume_name(claim->metadata.uid));
  return is_open ? claim : nullptr;
}

rt::Task<Next> Provisioner::sync_claim(kube::ObjectKey key, Desk desk) {
  Try one{.claim = find_open(key)};
  if (!one.claim) {
    forget(key);
    co_return Next::kDone;
  }
  one.storage_class = classes_.cache().find("", volumes::class_of(*one.claim));
  if (!one.storage_class) {
    co_return Next::kRetry;
  }
  auto sim = read_sim_class(*one.storage_class);
  if (!sim) {
    co_return co_await fail(std::move(one), Outcome::kInvalidArgument, sim.error().text(), desk);
  }
  one.sim = *std::move(sim);
  recorder_.record(announce(*one.claim,
                            Tone::kNormal,
                            reason::kProvisioning,
                            fmt::format("making a volume for claim \"{}\" of class \"{}\"",
                                        key.text(),
                                        one.storage_class->metadata.name)));
  const rt::Duration latency = runtime_.random().between(one.sim.latency_min, one.sim.latency_max);
  co_await rt::sleep_for(runtime_, latency, desk.stop);
  // It took its time: the claim may be another one by now, or want it elsewhere.
  const volumes::ClaimPtr now = find_open(key);
  if (!now || now->metadata.uid != one.claim->metadata.uid ||
      selected_of(*now) != selected_of(*one.claim)) {
    co_return Next::kDone;  // what changed it has put its key into the line
  }
  one.claim = now;
  co_return co_await attempt(std::move(one), desk);
}

rt::Task<Next> Provisioner::attempt(Try one, Desk desk) {
  Job& job = job_of(*one.claim);
  const std::uint64_t chance =
      one.sim.fail_one_in > 0 ? runtime_.random().below(one.sim.fail_one_in) : 1;
  if (is_to_fail(one.sim, selected_of(*one.claim), job.tries++, chance)) {
    co_return co_await fail(one, one.sim.failure, "as the class demands", desk);
  }
  SimPlace found = co_await place(one, desk);
  if (found.must_look) {
    co_return Next::kRetry;
  }
  if (found.outcome != Outcome::kOk) {
    co_return co_await fail(std::move(one), found.outcome, std::move(found.why), desk);
  }
  co_return co_await make(std::move(one), std::move(found.segment), desk);
}

rt::Task<SimPlace> Provisioner::place(Try one, Desk desk) {
  // What a try before this one was promised and perhaps has not got does not stand in its way.
  const auto taken = [this, uid = one.claim->metadata.uid](const std::string& pool) {
    return taken_of(pool, uid);
  };
  const std::string node(selected_of(*one.claim));
  Sight<api::Node> sight{.object = node.empty() ? nullptr : nodes_.cache().find("", node)};
  SimPlace found =
      find_place(*one.claim, *one.storage_class, one.sim, sight, nodes_.cache().all(), taken);
  if (!found.must_look) {
    co_return found;
  }
  auto live = co_await find_live<api::Node>(desk, {.ns = "", .name = node});
  if (!live) {
    co_return found;
  }
  sight = {.object = *std::move(live), .is_live = true};
  co_return find_place(*one.claim, *one.storage_class, one.sim, sight, nodes_.cache().all(), taken);
}

rt::Task<Next> Provisioner::make(Try one, Segment segment, Desk desk) {
  Volume volume = make_volume(*one.claim, *one.storage_class, segment);
  Job& job = job_of(*one.claim);
  job.pool = pool_of(volume);
  job.bytes = volumes::capacity_of(volume).value();
  const std::string name = volume.metadata.name;
  auto made = co_await kube::create_object<Volume>(&client_, std::move(volume), desk.soon());
  if (!made) {
    co_return co_await look_for(std::move(one), desk, std::move(made).error());
  }
  ++counts_.made;
  recorder_.record(announce(*one.claim,
                            Tone::kNormal,
                            reason::kProvisioningSucceeded,
                            fmt::format("volume {} was made", name)));
  co_return Next::kDone;
}

rt::Task<Next> Provisioner::look_for(Try one, Desk desk, Error refusal) {
  const ErrorCode code = refusal.code();
  if (code == ErrorCode::kUnknownOutcome || code == ErrorCode::kExists) {
    const auto live =
        co_await find_live<Volume>(desk, {.ns = "", .name = volume_name(one.claim->metadata.uid)});
    if (live && *live && volumes::is_bound_to(**live, *one.claim)) {
      co_return Next::kDone;
    }
    // It may still come: the room stays taken.
    co_return Next::kRetry;
  }
  Job& job = job_of(*one.claim);
  job.pool.clear();
  job.bytes = 0;
  const bool is_refused = code == ErrorCode::kInvalid || code == ErrorCode::kForbidden;
  co_return co_await fail(std::move(one),
                          is_refused ? Outcome::kInvalidArgument : Outcome::kUnavailable,
                          refusal.text(),
                          desk);
}

rt::Task<Next> Provisioner::fail(Try one, Outcome outcome, std::string why, Desk desk) {
  ++counts_.failed;
  recorder_.record(
      announce(*one.claim,
               Tone::kWarning,
               reason::kProvisioningFailed,
               fmt::format("failed to provision volume with StorageClass \"{}\": {}: {}",
                           volumes::class_of(*one.claim),
                           name_of(outcome),
                           why)));
  const Next next =
      next_after(outcome, !one.sim.topology_key.empty(), !selected_of(*one.claim).empty());
  if (next != Next::kReschedule) {
    co_return next;
  }
  co_return co_await give_node_back(std::move(one), desk);
}

rt::Task<Next> Provisioner::give_node_back(Try one, Desk desk) {
  auto request = annotations_write(
      *one.claim, {{.key = std::string(volumes::kSelectedNode), .value = std::nullopt}});
  auto written = co_await send_patch<Claim>(desk, &claims_, *std::move(request));
  if (!written) {
    co_return Next::kRetry;
  }
  ++counts_.rescheduled;
  co_return Next::kDone;
}

std::int64_t Provisioner::taken_of(const std::string& pool, std::string_view except_uid) const {
  std::int64_t taken = 0;
  for (const auto& volume : volumes_.cache().find_by(kPool, pool)) {
    taken += volumes::capacity_of(*volume).value();
  }
  for (const auto& [key, job] : jobs_) {
    const bool is_counted = volumes_.cache().find("", volume_name(job.uid)) != nullptr;
    if (job.pool == pool && job.uid != except_uid && !is_counted) {
      taken += job.bytes;
    }
  }
  return taken;
}

void Provisioner::forget(const kube::ObjectKey& key) {
  const auto found = jobs_.find(key);
  if (found == jobs_.end()) {
    return;
  }
  const volumes::ClaimPtr claim = claims_.objects().find(key);
  const Job& job = found->second;
  // One that waits for another node is the same job.
  const bool goes_on = claim && claim->metadata.uid == job.uid && claim->spec.volume_name.empty() &&
                       !volumes_.cache().find("", volume_name(job.uid));
  if (!goes_on) {
    jobs_.erase(found);
    wake_capacities();
  }
}

Provisioner::Job& Provisioner::job_of(const Claim& claim) {
  Job& job = jobs_[kube::key_of(claim)];
  if (job.uid != claim.metadata.uid) {
    job = {.uid = claim.metadata.uid};
  }
  return job;
}

}  // namespace berth::actors
