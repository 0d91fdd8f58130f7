#include "actors/ephemeral_claims.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "actors/announce.h"
#include "actors/desk.h"
#include "actors/names.h"
#include "api/mask.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "base/error.h"
#include "kube/change.h"
#include "kube/client.h"
#include "kube/event_recorder.h"
#include "kube/informer.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/wait_queue.h"
#include "volumes/rules.h"

namespace berth::actors {
namespace {

api::Mask pod_mask() {
  return api::Mask::keeping<api::Pod>({"metadata.name",
                                       "metadata.namespace",
                                       "metadata.uid",
                                       "metadata.resourceVersion",
                                       "metadata.deletionTimestamp",
                                       "spec.volumes.name",
                                       "spec.volumes.ephemeral"});
}

api::Mask claim_mask() {
  return api::Mask::keeping<api::PersistentVolumeClaim>({"metadata.name",
                                                         "metadata.namespace",
                                                         "metadata.uid",
                                                         "metadata.resourceVersion",
                                                         "metadata.ownerReferences"});
}

}  // namespace

std::vector<api::PersistentVolumeClaim> ephemeral_claims_of(const api::Pod& pod) {
  std::vector<api::PersistentVolumeClaim> claims;
  if (pod.metadata.deletion_timestamp) {
    return claims;
  }
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto& ephemeral = volume.source.ephemeral;
    if (!ephemeral || !ephemeral->volume_claim_template) {
      continue;
    }
    const api::PersistentVolumeClaimTemplate& from = *ephemeral->volume_claim_template;
    api::PersistentVolumeClaim& claim = claims.emplace_back();
    claim.metadata.ns = pod.metadata.ns;
    claim.metadata.name = volumes::claim_name_of(pod, volume)->name;
    claim.metadata.labels = from.metadata.labels;
    claim.metadata.annotations = from.metadata.annotations;
    claim.metadata.owner_references.push_back({.api_version = "v1",
                                               .kind = "Pod",
                                               .name = pod.metadata.name,
                                               .uid = pod.metadata.uid,
                                               .controller = true,
                                               .block_owner_deletion = true});
    claim.spec = from.spec;
  }
  return claims;
}

EphemeralClaims::EphemeralClaims(rt::Runtime& runtime,
                                 kube::Client& client,
                                 EphemeralClaimsOptions options)
    : runtime_(runtime),
      client_(client),
      options_(std::move(options)),
      informers_(runtime, client, options_.informers),
      pods_(informers_.add<api::Pod>({.mask = pod_mask()})),
      claims_(informers_.add<Claim>({.mask = claim_mask()})),
      recorder_(runtime,
                client,
                {.component = "ephemeral_volume",
                 .instance = "",
                 .group = kube::EventSourceNames::Group::kCore},
                {}),
      queue_(runtime, {.backoff = options_.backoff}) {
  pods_.on_change([this](const auto& event) { queue_.add(kube::key_of(*event.newest())); });
  // A claim that is deleted under its pod is made again.
  claims_.on_change([this](const kube::InformerEvent<Claim>& event) {
    if (event.type != kube::ChangeType::kDeleted) {
      return;
    }
    for (const auto& owner : event.before->metadata.owner_references) {
      if (owner.kind == "Pod" && owner.controller.value_or(false)) {
        queue_.add({.ns = event.before->metadata.ns, .name = owner.name});
      }
    }
  });
}

rt::Task<void> EphemeralClaims::run(rt::CancelToken stop) {
  rt::Scope scope(runtime_, "ephemeral claims", stop);
  scope.spawn("informers", informers_.run(scope.token()));
  scope.spawn("events", recorder_.run(scope.token()));
  const rt::Wake wake = co_await informers_.wait_until_synced({.token = scope.token()});
  if (wake == rt::Wake::kNotified) {
    const Desk desk{.runtime = runtime_, .client = client_, .stop = scope.token()};
    for (std::size_t i = 0; i < options_.workers; ++i) {
      scope.spawn("pods", work(desk));
    }
  }
  scope.close();
  co_await scope.drain();
}

rt::Task<void> EphemeralClaims::work(Desk desk) {
  while (auto work = co_await queue_.next({.token = desk.stop})) {
    const bool is_done = co_await sync(work->key(), desk);
    if (desk.stop.is_cancelled()) {
      co_return;
    }
    if (is_done) {
      work->done();
    } else {
      work->retry();
    }
  }
}

rt::Task<bool> EphemeralClaims::sync(kube::ObjectKey key, Desk desk) {
  const auto pod = pods_.cache().find(key);
  if (!pod) {
    co_return true;
  }
  bool is_done = true;
  for (Claim& wanted : ephemeral_claims_of(*pod)) {
    if (const auto known = claims_.cache().find(kube::key_of(wanted))) {
      if (!volumes::is_made_for(*known, *pod)) {
        tell_not_owner(*pod, *known);
        is_done = false;  // until that one is gone
      }
      continue;
    }
    const auto made = co_await kube::create_object<Claim>(&client_, std::move(wanted), desk.soon());
    // One that is there already comes to our cache yet, and is judged then.
    is_done = is_done && made.has_value();
  }
  co_return is_done;
}

void EphemeralClaims::tell_not_owner(const api::Pod& pod, const Claim& claim) {
  recorder_.record(announce(pod,
                            Tone::kWarning,
                            reason::kFailedBinding,
                            "ephemeral volume: " + volumes::not_owner_text(claim, pod)));
}

}  // namespace berth::actors
