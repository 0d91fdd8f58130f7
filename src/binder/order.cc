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

// The scheduler says which instance of the pod it means by owning the order with it.
std::optional<std::string_view> wanted_uid(const api::BindRequest& order) {
  for (const api::OwnerReference& owner : order.metadata.owner_references) {
    if (owner.kind == "Pod" && owner.api_version == "v1" && owner.name == order.spec.pod_name) {
      return owner.uid;
    }
  }
  return std::nullopt;
}

bool has_claims(const api::Pod& pod) {
  return std::ranges::any_of(pod.spec.volumes, [](const api::Volume& volume) {
    return volume.source.persistent_volume_claim || volume.source.ephemeral;
  });
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

std::optional<std::string> flaw_of(const api::BindRequest& order) {
  if (order.spec.pod_name.empty()) {
    return "invalid bind request: spec.podName is empty";
  }
  if (order.spec.selected_node.empty()) {
    return "invalid bind request: spec.selectedNode is empty";
  }
  if (order.spec.received_resource_type == "Fraction") {
    return "this binder does not bind shares of a GPU yet (spec.receivedResourceType: Fraction)";
  }
  if (!order.spec.resource_claim_allocations.empty()) {
    return "this binder does not allocate resource claims yet (spec.resourceClaimAllocations)";
  }
  return std::nullopt;
}

Judgement judge(const api::BindRequest& order, const api::Pod* pod) {
  if (pod == nullptr) {
    return IsRefused{not_found("Pod", order.spec.pod_name)};
  }
  if (wanted_uid(order).value_or(pod->metadata.uid) != pod->metadata.uid) {
    return IsRefused{"bind request belongs to a previous instance of the pod"};
  }
  if (!pod->spec.node_name.empty()) {
    return IsBound{pod->spec.node_name};
  }
  const std::string who = fmt::format("pod <{}>", pod_of(order).text());
  if (pod->metadata.deletion_timestamp) {
    return IsRefused{who + " is being deleted"};
  }
  if (pod->status.phase == "Succeeded" || pod->status.phase == "Failed") {
    return IsRefused{fmt::format("{} has finished (phase {})", who, pod->status.phase)};
  }
  if (has_claims(*pod)) {
    return IsRefused{who + " has volume claims, which this binder does not bind yet"};
  }
  if (!pod->spec.resource_claims.empty()) {
    return IsRefused{who + " has resource claims, which this binder does not allocate yet"};
  }
  return ToBind{};
}

std::string not_found(std::string_view kind, std::string_view name) {
  return fmt::format("{} \"{}\" not found", kind, name);
}

}  // namespace berth::binder
