#include "actors/pv_controller.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/claim_sync.h"
#include "actors/class_rules.h"
#include "actors/desk.h"
#include "actors/names.h"
#include "actors/pv_writes.h"
#include "actors/volume_sync.h"
#include "api/mask.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/change.h"
#include "kube/client.h"
#include "kube/event_recorder.h"
#include "kube/informer.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "volumes/claim_names.h"
#include "volumes/names.h"
#include "volumes/rules.h"

namespace berth::actors {
namespace {

constexpr std::string_view kComponent = "persistentvolume-controller";

// Indexes. ---------------------------------------------------------------------------------------

constexpr std::string_view kByClaim = "claim";  // of volumes and pods: the claims they name
constexpr std::string_view kFree = "free";      // of volumes without a claim: their class
constexpr std::string_view kOpen = "open";      // of claims that any volume would suit: their class

std::vector<std::string> named_claim(const api::PersistentVolume& volume) {
  if (!volume.spec.claim_ref) {
    return {};
  }
  return {volumes::claim_key(volume.spec.claim_ref->ns, volume.spec.claim_ref->name)};
}

std::vector<std::string> free_class(const api::PersistentVolume& volume) {
  if (volume.spec.claim_ref) {
    return {};
  }
  return {std::string(volumes::class_of(volume))};
}

std::vector<std::string> open_class(const api::PersistentVolumeClaim& claim) {
  if (!claim.spec.volume_name.empty() ||
      volumes::find_annotation(claim.metadata, volumes::kBindCompleted) != nullptr) {
    return {};
  }
  return {std::string(volumes::class_of(claim))};
}

std::vector<std::string> used_claims(const api::Pod& pod) {
  std::vector<std::string> keys;
  for (const std::string& name : volumes::claim_names_of(pod, /*with_ephemeral=*/true)) {
    keys.push_back(volumes::claim_key(pod.metadata.ns, name));
  }
  return keys;
}

api::Mask pod_mask() {
  return api::Mask::keeping<api::Pod>({"metadata.name",
                                       "metadata.namespace",
                                       "metadata.uid",
                                       "metadata.resourceVersion",
                                       "spec.nodeName",
                                       "spec.volumes.name",
                                       "spec.volumes.persistentVolumeClaim",
                                       "spec.volumes.ephemeral",
                                       "status.phase"});
}

bool has_terminated(const api::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

kube::ObjectKey claim_of(const api::PersistentVolume& volume) {
  return {.ns = volume.spec.claim_ref->ns, .name = volume.spec.claim_ref->name};
}

}  // namespace

PvController::PvController(rt::Runtime& runtime, kube::Client& client, PvControllerOptions options)
    : runtime_(runtime),
      client_(client),
      options_(std::move(options)),
      informers_(runtime, client, options_.informers),
      claim_feed_(informers_.add<Claim>()),
      volume_feed_(informers_.add<Volume>()),
      classes_(informers_.add<api::StorageClass>()),
      pods_(informers_.add<api::Pod>({.mask = pod_mask()})),
      recorder_(runtime,
                client,
                {.component = std::string(kComponent),
                 .instance = "",
                 .group = kube::EventSourceNames::Group::kCore},
                {}),
      claim_queue_(runtime, {.backoff = options_.backoff}),
      volume_queue_(runtime, {.backoff = options_.backoff}) {
  claims_.add_index(std::string(kOpen), open_class);
  volumes_.add_index(std::string(kByClaim), named_claim);
  volumes_.add_index(std::string(kFree), free_class);
  pods_.add_index(std::string(kByClaim), used_claims);
  claim_feed_.on_change([this](const auto& event) { follow_claim(event); });
  volume_feed_.on_change([this](const auto& event) { follow_volume(event); });
  classes_.on_change([this](const auto& event) { follow_class(event); });
}

void PvController::follow_claim(const kube::InformerEvent<Claim>& event) {
  const kube::ObjectKey key = kube::key_of(*event.newest());
  if (event.type != kube::ChangeType::kDeleted) {
    claims_.put_seen(event.after);
    claim_queue_.add(key);
    return;
  }
  claims_.erase(key);
  claim_queue_.add(key);  // another one of that name may be there already
  for (const auto& volume :
       volumes_.objects().find_by(kByClaim, volumes::claim_key(*event.before))) {
    volume_queue_.add(kube::key_of(*volume));
  }
}

void PvController::follow_volume(const kube::InformerEvent<Volume>& event) {
  const Volume& newest = *event.newest();
  const kube::ObjectKey key = kube::key_of(newest);
  if (event.type == kube::ChangeType::kDeleted) {
    volumes_.erase(key);
    if (newest.spec.claim_ref) {
      claim_queue_.add(claim_of(newest));
    }
    return;
  }
  volumes_.put_seen(event.after);
  volume_queue_.add(key);
  if (newest.spec.claim_ref) {
    claim_queue_.add(claim_of(newest));
    return;
  }
  // Claims that wait for their consumer get it from the scheduler.
  const std::string_view class_name = volumes::class_of(newest);
  const auto storage_class = classes_.cache().find("", class_name);
  if (newest.status.phase == phase::kAvailable && !is_delayed(storage_class.get())) {
    wake_open_claims(class_name);
  }
}

void PvController::follow_class(const kube::InformerEvent<api::StorageClass>& event) {
  const api::StorageClass& newest = *event.newest();
  wake_open_claims(newest.metadata.name);
  if (event.type != kube::ChangeType::kDeleted && is_default(newest)) {
    wake_open_claims("");
  }
}

void PvController::wake_open_claims(std::string_view class_name) {
  for (const auto& claim : claims_.objects().find_by(kOpen, class_name)) {
    claim_queue_.add(kube::key_of(*claim));
  }
}

rt::Task<void> PvController::run(rt::CancelToken stop) {
  rt::Scope scope(runtime_, "pv controller", stop);
  scope.spawn("informers", informers_.run(scope.token()));
  scope.spawn("events", recorder_.run(scope.token()));
  const rt::Wake wake = co_await informers_.wait_until_synced({.token = scope.token()});
  if (wake == rt::Wake::kNotified) {
    const Desk desk{.runtime = runtime_, .client = client_, .stop = scope.token()};
    for (std::size_t i = 0; i < options_.workers; ++i) {
      scope.spawn("claims", work(&claim_queue_, &PvController::sync_claim, desk));
      scope.spawn("volumes", work(&volume_queue_, &PvController::sync_volume, desk));
    }
    scope.spawn("resync", resync(scope.token()));
  }
  scope.close();
  co_await scope.drain();
}

rt::Task<void> PvController::resync(rt::CancelToken stop) {
  while (true) {
    const rt::Wake wake = co_await rt::sleep_for(runtime_, options_.resync, stop);
    if (wake == rt::Wake::kCancelled) {
      co_return;
    }
    for (const auto& volume : volumes_.objects().all()) {
      volume_queue_.add(kube::key_of(*volume));
    }
    for (const auto& claim : claims_.objects().all()) {
      claim_queue_.add(kube::key_of(*claim));
    }
  }
}

rt::Task<void> PvController::work(Queue* queue, Sync sync, Desk desk) {
  while (auto work = co_await queue->next({.token = desk.stop})) {
    ++counts_.syncs;
    const auto synced = co_await (this->*sync)(work->key(), desk);
    if (synced) {
      work->done();
      continue;
    }
    if (desk.stop.is_cancelled()) {
      co_return;  // it is nobody's trouble that we stop
    }
    ++counts_.troubles;
    if (options_.on_trouble) {
      options_.on_trouble(work->key(), synced.error());
    }
    if (synced.error().retry_after().count() > 0) {
      work->again_after(synced.error().retry_after());
    } else {
      work->retry();
    }
  }
}

rt::Task<Result<void>> PvController::sync_claim(kube::ObjectKey key, Desk desk) {
  const volumes::ClaimPtr claim = claims_.objects().find(key);
  if (!claim) {
    co_return Result<void>();
  }
  ClaimPicture picture{.claim = *claim, .storage_class = class_of(*claim)};
  const auto& known = volumes_.objects();
  const std::string& named = claim->spec.volume_name;
  if (named.empty()) {
    picture.candidates = {.pointing = known.find_by(kByClaim, volumes::claim_key(*claim)),
                          .free = known.find_by(kFree, volumes::class_of(*claim))};
  } else {
    picture.named.object = known.find("", named);
  }
  const ClassPtr default_class = has_class(*claim) ? nullptr : default_of(classes_.cache().all());
  picture.default_class = default_class.get();
  picture.waiting_pods = waiting_pods(*claim);
  ClaimDecision decision = decide(picture);
  if (decision.must_look) {
    auto live = co_await find_live<Volume>(desk, {.ns = "", .name = named});
    if (!live) {
      co_return std::move(live).error();
    }
    picture.named = {.object = *std::move(live), .is_live = true};
    picture.storage_class = class_of(*claim);
    decision = decide(picture);
  }
  if (decision.bind) {
    co_return co_await bind(std::move(decision.bind), claim, desk);
  }
  if (decision.write) {
    auto written = co_await write_claim(*std::move(decision.write), desk);
    if (!written) {
      co_return std::move(written).error();
    }
  }
  tell(decision.events);
  if (decision.trouble) {
    co_return *std::move(decision.trouble);
  }
  co_return Result<void>();
}

rt::Task<Result<void>> PvController::bind(volumes::VolumePtr volume,
                                          volumes::ClaimPtr claim,
                                          Desk desk) {
  while (true) {
    auto next = next_bind_write(volume, *claim);
    if (!next) {
      co_return std::move(next).error();
    }
    if (!*next) {
      co_return Result<void>();
    }
    kube::PatchRequest request = **std::move(next);
    if (request.kind == &Volume::kKind) {
      auto written = co_await write_volume(std::move(request), desk);
      if (!written) {
        co_return std::move(written).error();
      }
      volume = *std::move(written);
    } else {
      auto written = co_await write_claim(std::move(request), desk);
      if (!written) {
        co_return std::move(written).error();
      }
      claim = *std::move(written);
    }
  }
}

rt::Task<Result<void>> PvController::sync_volume(kube::ObjectKey key, Desk desk) {
  const volumes::VolumePtr volume = volumes_.objects().find(key);
  if (!volume) {
    co_return Result<void>();
  }
  VolumePicture picture{.volume = *volume};
  if (volume->spec.claim_ref) {
    picture.claim.object = claims_.objects().find(claim_of(*volume));
  }
  VolumeDecision decision = decide(picture);
  if (decision.must_look) {
    auto live = co_await find_live<Claim>(desk, claim_of(*volume));
    if (!live) {
      co_return std::move(live).error();
    }
    picture.claim = {.object = *std::move(live), .is_live = true};
    decision = decide(picture);
  }
  if (decision.wakes_claim) {
    claim_queue_.add(claim_of(*volume));
  }
  if (decision.write) {
    auto written = co_await write_volume(*std::move(decision.write), desk);
    if (!written) {
      co_return std::move(written).error();
    }
  }
  tell(decision.events);
  co_return Result<void>();
}

rt::Task<Result<volumes::ClaimPtr>> PvController::write_claim(kube::PatchRequest request,
                                                              Desk desk) {
  auto written = co_await send_patch<Claim>(desk, &claims_, std::move(request));
  counts_.writes += written ? 1 : 0;
  co_return std::move(written);
}

rt::Task<Result<volumes::VolumePtr>> PvController::write_volume(kube::PatchRequest request,
                                                                Desk desk) {
  auto written = co_await send_patch<Volume>(desk, &volumes_, std::move(request));
  counts_.writes += written ? 1 : 0;
  co_return std::move(written);
}

const api::StorageClass* PvController::class_of(const Claim& claim) const {
  const auto found = classes_.cache().find("", volumes::class_of(claim));
  return found.get();
}

std::vector<std::string> PvController::waiting_pods(const Claim& claim) const {
  std::vector<std::string> names;
  for (const auto& pod : pods_.cache().find_by(kByClaim, volumes::claim_key(claim))) {
    if (pod->spec.node_name.empty() && !has_terminated(*pod)) {
      names.push_back(pod->metadata.name);
    }
  }
  return names;
}

void PvController::tell(const std::vector<kube::RecordedEvent>& events) {
  for (const kube::RecordedEvent& event : events) {
    recorder_.record(event);
  }
}

}  // namespace berth::actors
