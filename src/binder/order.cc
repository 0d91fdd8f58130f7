#include "binder/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "api/objects/bind_request.h"
#include "api/objects/meta.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "kube/object_key.h"

namespace berth::binder {
namespace {

bool has_claims(const api::Pod& pod) {
  return std::ranges::any_of(pod.spec.volumes, [](const api::Volume& volume) {
    return volume.source.persistent_volume_claim || volume.source.ephemeral;
  });
}

// What a plain binding does not do; nothing where it is enough.
std::optional<std::string> what_is_missing(const api::BindRequest& order, const api::Pod& pod) {
  if (order.spec.received_resource_type == "Fraction") {
    return "is to have a share of a GPU, which this binder does not bind yet";
  }
  if (has_claims(pod)) {
    return "has volume claims, which this binder does not bind yet";
  }
  if (!pod.spec.resource_claims.empty() || !order.spec.resource_claim_allocations.empty()) {
    return "has resource claims, which this binder does not allocate yet";
  }
  return std::nullopt;
}

}  // namespace

bool is_open(const api::BindRequest& order) {
  if (order.metadata.deletion_timestamp || order.status.phase == kPhaseSucceeded) {
    return false;
  }
  return order.status.phase != kPhaseFailed ||
         order.status.failed_attempts < order.spec.backoff_limit.value_or(0);
}

kube::ObjectKey pod_of(const api::BindRequest& order) {
  return {.ns = order.metadata.ns, .name = order.spec.pod_name};
}

// The scheduler says which one it means by owning the order with it.
std::optional<std::string> wanted_uid(const api::BindRequest& order) {
  for (const api::OwnerReference& owner : order.metadata.owner_references) {
    if (owner.kind == "Pod" && owner.api_version == "v1" && owner.name == order.spec.pod_name) {
      return owner.uid;
    }
  }
  return std::nullopt;
}

std::optional<std::string> flaw_of(const api::BindRequest& order) {
  if (order.spec.pod_name.empty()) {
    return "invalid bind request: spec.podName is empty";
  }
  if (order.spec.selected_node.empty()) {
    return "invalid bind request: spec.selectedNode is empty";
  }
  return std::nullopt;
}

Judgement judge(const api::BindRequest& order, const api::Pod* pod) {
  if (pod == nullptr) {
    return IsRefused{not_found("Pod", order.spec.pod_name), true};
  }
  if (wanted_uid(order).value_or(pod->metadata.uid) != pod->metadata.uid) {
    return IsRefused{"bind request belongs to a previous instance of the pod", true};
  }
  if (!pod->spec.node_name.empty()) {
    return IsBound{pod->spec.node_name};
  }
  const std::string who = fmt::format("pod <{}>", pod_of(order).text());
  if (pod->metadata.deletion_timestamp) {
    return IsRefused{who + " is being deleted", true};
  }
  if (pod->status.phase == "Succeeded" || pod->status.phase == "Failed") {
    return IsRefused{fmt::format("{} has finished (phase {})", who, pod->status.phase)};
  }
  if (const auto missing = what_is_missing(order, *pod)) {
    return IsRefused{fmt::format("{} {}", who, *missing)};
  }
  return ToBind{};
}

std::string not_found(std::string_view kind, std::string_view name) {
  return fmt::format("{} \"{}\" not found", kind, name);
}

}  // namespace berth::binder
