#include "volumes/pod_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/answer.h"
#include "volumes/names.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

// What keeps one claim from being looked at any further. The API server's word counts here, not
// what was promised.
std::optional<std::string> find_obstacle(const View& view,
                                         const api::Pod& pod,
                                         const ClaimName& wanted) {
  const ClaimEntry* entry = view.find_claim(claim_key(pod.metadata.ns, wanted.name));
  if (entry == nullptr) {
    return wanted.is_ephemeral ? fmt::format(
                                     "waiting for ephemeral volume controller to create the "
                                     "persistentvolumeclaim \"{}\"",
                                     wanted.name)
                               : fmt::format("persistentvolumeclaim \"{}\" not found", wanted.name);
  }
  const api::PersistentVolumeClaim& claim = *entry->stored;
  if (claim.status.phase == "Lost") {
    return fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                       wanted.name,
                       claim.spec.volume_name);
  }
  if (claim.metadata.deletion_timestamp) {
    return fmt::format("persistentvolumeclaim \"{}\" is being deleted", wanted.name);
  }
  if (wanted.is_ephemeral && !is_made_for(claim, pod)) {
    return not_owner_text(claim, pod);
  }
  return std::nullopt;
}

// A class that nobody knows does not delay.
Result<bool> is_delayed(const View& view, const api::PersistentVolumeClaim& claim) {
  const std::string_view class_name = class_of(claim);
  const ClassEntry* found = class_name.empty() ? nullptr : view.find_class(class_name);
  if (found == nullptr) {
    return false;
  }
  if (!found->object->volume_binding_mode) {
    return Error(ErrorCode::kInvalid,
                 fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", class_name));
  }
  return *found->object->volume_binding_mode == kWaitForFirstConsumer;
}

bool contains(const std::vector<ClaimEntryPtr>& list, const ClaimEntryPtr& entry) {
  return std::ranges::find(list, entry) != list.end();
}

Result<void> sort_one(const View& view,
                      const api::Pod& pod,
                      const ClaimName& wanted,
                      const Switches& switches,
                      PodClaims& claims) {
  const std::string key = claim_key(pod.metadata.ns, wanted.name);
  const ClaimEntryPtr* found = view.claims().find(key);
  if (found == nullptr) {
    return Error(
        ErrorCode::kNotFound,
        fmt::format("error getting PVC \"{0}\": persistentvolumeclaims \"{0}\" not found", key));
  }
  const ClaimEntryPtr entry = *found;
  const api::PersistentVolumeClaim& claim = *entry->current();
  if (wanted.is_ephemeral && !is_made_for(claim, pod)) {
    return Error(ErrorCode::kInvalid, not_owner_text(claim, pod));
  }
  if (switches.merge_same_claim &&
      (contains(claims.bound, entry) || contains(claims.delayed, entry) ||
       contains(claims.immediate, entry))) {
    return {};
  }
  if (is_fully_bound(claim)) {
    claims.bound.push_back(entry);
    return {};
  }
  BERTH_TRY(const bool delayed, is_delayed(view, claim));
  (delayed && claim.spec.volume_name.empty() ? claims.delayed : claims.immediate).push_back(entry);
  return {};
}

}  // namespace

Result<PodClaims> sort_claims(View view, const api::Pod& pod, const Switches& switches) {
  PodClaims claims;
  claims.view = std::move(view);
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto wanted = claim_name_of(pod, volume);
    if (!wanted) {
      continue;
    }
    if (auto sorted = sort_one(claims.view, pod, *wanted, switches, claims); !sorted) {
      return std::move(sorted).error();
    }
  }
  return claims;
}

PodCheck check_pod(View view, const api::Pod& pod, const Switches& switches) {
  bool has_claims = false;
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto wanted = claim_name_of(pod, volume);
    if (!wanted) {
      continue;
    }
    has_claims = true;
    if (const auto obstacle = find_obstacle(view, pod, *wanted)) {
      return {.answer = Answer::unresolvable(*obstacle), .claims = {}};
    }
  }
  if (!has_claims) {
    return {.answer = Answer::skip(), .claims = {}};
  }
  auto claims = sort_claims(std::move(view), pod, switches);
  if (!claims) {
    return {.answer = Answer::error(claims.error().text()), .claims = {}};
  }
  if (!claims->immediate.empty()) {
    return {.answer = Answer::unresolvable(kUnboundImmediate), .claims = *std::move(claims)};
  }
  return {.answer = Answer::success(), .claims = *std::move(claims)};
}

}  // namespace berth::volumes
