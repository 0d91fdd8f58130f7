#include "world/kind_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "api/kinds.h"
#include "api/objects/access_review.h"
#include "api/objects/binding.h"
#include "api/objects/core_event.h"
#include "api/objects/events_event.h"
#include "api/objects/meta.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/resource_claim.h"
#include "api/objects/resource_slice.h"
#include "api/objects/storage.h"
#include "api/objects/workload.h"
#include "kube/object_key.h"

namespace berth::world {
namespace {

constexpr std::array kPodFields = {
    SelectableField{"spec.hostNetwork", "false"},
    SelectableField{"spec.nodeName"},
    SelectableField{"spec.restartPolicy", "Always"},
    SelectableField{"spec.schedulerName", "default-scheduler"},
    SelectableField{"spec.serviceAccountName"},
    SelectableField{"status.nominatedNodeName"},
    SelectableField{"status.phase"},
    SelectableField{"status.podIP"},
};
constexpr std::array kNodeFields = {SelectableField{"spec.unschedulable", "false"}};
constexpr std::array kNamespaceFields = {SelectableField{"status.phase"}};
constexpr std::array kResourceSliceFields = {
    SelectableField{"spec.driver"},
    SelectableField{"spec.nodeName"},
};
constexpr std::array kCoreEventFields = {
    SelectableField{"involvedObject.apiVersion"},
    SelectableField{"involvedObject.fieldPath"},
    SelectableField{"involvedObject.kind"},
    SelectableField{"involvedObject.name"},
    SelectableField{"involvedObject.namespace"},
    SelectableField{"involvedObject.resourceVersion"},
    SelectableField{"involvedObject.uid"},
    SelectableField{"reason"},
    SelectableField{"reportingComponent"},
    SelectableField{"type"},
};
constexpr std::array kEventFields = {
    SelectableField{"reason"},
    SelectableField{"regarding.apiVersion"},
    SelectableField{"regarding.fieldPath"},
    SelectableField{"regarding.kind"},
    SelectableField{"regarding.name"},
    SelectableField{"regarding.namespace"},
    SelectableField{"regarding.resourceVersion"},
    SelectableField{"regarding.uid"},
    SelectableField{"reportingController"},
    SelectableField{"type"},
};

bool is_one_of(const api::Kind& kind, std::initializer_list<const api::Kind*> kinds) {
  return std::any_of(
      kinds.begin(), kinds.end(), [&](const api::Kind* other) { return *other == kind; });
}

// What a client sends or gets and nobody keeps.
bool only_travels(const api::Kind& kind) {
  return is_one_of(kind,
                   {&api::Binding::kKind,
                    &api::DeleteOptions::kKind,
                    &api::Eviction::kKind,
                    &api::SelfSubjectAccessReview::kKind,
                    &api::Status::kKind});
}

// As the strategies of kube-apiserver 1.36 have it.
void set_status_rules(KindRules& rules) {
  const api::Kind& kind = rules.kind();
  rules.has_status = rules.is_custom() || is_one_of(kind,
                                                    {&api::Namespace::kKind,
                                                     &api::Node::kKind,
                                                     &api::PersistentVolume::kKind,
                                                     &api::PersistentVolumeClaim::kKind,
                                                     &api::Pod::kKind,
                                                     &api::PodDisruptionBudget::kKind,
                                                     &api::ReplicaSet::kKind,
                                                     &api::ResourceClaim::kKind,
                                                     &api::Service::kKind,
                                                     &api::VolumeAttachment::kKind});
  rules.keeps_status_on_create = rules.is(api::Node::kKind);
  rules.status_leaves_metadata =
      rules.is_custom() ||
      is_one_of(kind, {&api::ResourceClaim::kKind, &api::VolumeAttachment::kKind});
  if (is_one_of(
          kind,
          {&api::PersistentVolume::kKind, &api::PersistentVolumeClaim::kKind, &api::Pod::kKind})) {
    rules.first_phase = "Pending";
  } else if (rules.is(api::Namespace::kKind)) {
    rules.first_phase = "Active";
  }
}

// The other kinds have no generation in a kube-apiserver either.
bool has_generation(const KindRules& rules) {
  return rules.is_custom() || is_one_of(rules.kind(),
                                        {&api::DeviceClass::kKind,
                                         &api::Pod::kKind,
                                         &api::PodDisruptionBudget::kKind,
                                         &api::PriorityClass::kKind,
                                         &api::ReplicaSet::kKind,
                                         &api::ResourceSlice::kKind});
}

std::span<const SelectableField> fields_of(const KindRules& rules) {
  if (rules.is(api::Pod::kKind)) {
    return kPodFields;
  }
  if (rules.is(api::Node::kKind)) {
    return kNodeFields;
  }
  if (rules.is(api::Namespace::kKind)) {
    return kNamespaceFields;
  }
  if (rules.is(api::ResourceSlice::kKind)) {
    return kResourceSliceFields;
  }
  if (rules.is(api::Event::kKind)) {
    return kCoreEventFields;
  }
  if (rules.is(api::events::Event::kKind)) {
    return kEventFields;
  }
  return {};
}

std::vector<KindRules> make_rules() {
  std::vector<KindRules> all;
  for (const api::KindEntry& entry : api::all_kinds()) {
    if (only_travels(*entry.kind)) {
      continue;
    }
    KindRules rules{.entry = &entry, .api_version = entry.kind->api_version(), .index = all.size()};
    set_status_rules(rules);
    rules.has_generation = has_generation(rules);
    rules.fields = fields_of(rules);
    all.push_back(std::move(rules));
  }
  return all;
}

}  // namespace

std::span<const KindRules> stored_kinds() {
  static const std::vector<KindRules> kinds = make_rules();
  return kinds;
}

const KindRules* find_rules(const api::Kind& kind) {
  const auto kinds = stored_kinds();
  // Nearly always it is the very Kind of the table, which is found without comparing text.
  auto found = std::find_if(kinds.begin(), kinds.end(), [&](const KindRules& rules) {
    return rules.entry->kind == &kind;
  });
  if (found == kinds.end()) {
    found = std::find_if(
        kinds.begin(), kinds.end(), [&](const KindRules& rules) { return rules.is(kind); });
  }
  return found == kinds.end() ? nullptr : &*found;
}

std::string described(const KindRules& rules, const kube::ObjectKey& key) {
  const api::Kind& kind = rules.kind();
  return fmt::format(
      "{}{}{} \"{}\"", kind.plural, kind.group.empty() ? "" : ".", kind.group, key.name);
}

}  // namespace berth::world
