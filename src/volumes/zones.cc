#include "volumes/zones.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/storage.h"
#include "api/rules/node_label_index.h"
#include "api/rules/quoted.h"
#include "api/rules/requirement.h"
#include "api/text.h"
#include "base/node_set.h"
#include "volumes/answer.h"
#include "volumes/claim_names.h"
#include "volumes/hint.h"
#include "volumes/names.h"
#include "volumes/objects.h"
#include "volumes/related_switches.h"
#include "volumes/rules.h"
#include "volumes/split.h"

namespace berth::volumes {
namespace {

using Operator = api::Requirement::Operator;

constexpr std::array kKeys = {kBetaZone, kBetaRegion, kZone, kRegion};

// The key a node may have instead: nodes long had both. Itself for the general keys.
std::string_view general_key(std::string_view key) {
  if (key == kBetaZone) {
    return kZone;
  }
  return key == kBetaRegion ? kRegion : key;
}

// Nothing when an element is empty: the label then says nothing one could rely on.
std::optional<std::vector<std::string>> zones_in(std::string_view label) {
  std::set<std::string> zones;
  for (const std::string_view part : split(label, kZoneSeparator)) {
    const std::string_view zone = api::trimmed(part);
    if (zone.empty()) {
      return std::nullopt;
    }
    zones.emplace(zone);
  }
  return std::vector<std::string>(zones.begin(), zones.end());
}

// What an unbound claim means here: nothing if a volume is chosen together with the node.
Answer unbound_claim(const api::PersistentVolumeClaim& claim, const Objects& objects) {
  const std::string_view class_name = class_of(claim);
  if (class_name.empty()) {
    return Answer::unresolvable("PersistentVolumeClaim had no pv name and storageClass name");
  }
  const api::StorageClass* storage_class = objects.find_class(class_name);
  if (storage_class == nullptr) {
    return Answer::unresolvable(class_not_found_text(class_name));
  }
  if (!storage_class->volume_binding_mode) {
    return Answer::unresolvable(
        fmt::format("VolumeBindingMode not set for StorageClass {}", api::quoted(class_name)));
  }
  if (*storage_class->volume_binding_mode == kWaitForFirstConsumer) {
    return Answer::success();
  }
  return Answer::unresolvable("PersistentVolume had no name");
}

void add_demands(const api::PersistentVolume& volume, std::vector<ZoneDemand>& demands) {
  for (ZoneDemand& demand : zone_demands(volume)) {
    demands.push_back(std::move(demand));
  }
}

Answer add_claim(const api::Pod& pod,
                 std::string_view name,
                 const Objects& objects,
                 std::vector<ZoneDemand>& demands) {
  if (name.empty()) {
    return Answer::unresolvable("PersistentVolumeClaim had no name");
  }
  const api::PersistentVolumeClaim* claim = objects.find_claim(claim_key(pod.metadata.ns, name));
  if (claim == nullptr) {
    return Answer::unresolvable(claim_not_found_text(name));
  }
  if (claim->spec.volume_name.empty()) {
    return unbound_claim(*claim, objects);
  }
  const api::PersistentVolume* volume = objects.find_volume(claim->spec.volume_name);
  if (volume == nullptr) {
    return Answer::unresolvable(volume_not_found_text(claim->spec.volume_name));
  }
  add_demands(*volume, demands);
  return Answer::success();
}

// Whatever is wrong with an ephemeral volume's claim, VolumeBinding says it.
void add_ephemeral_claim(const api::Pod& pod,
                         std::string_view name,
                         const Objects& objects,
                         std::vector<ZoneDemand>& demands) {
  const api::PersistentVolumeClaim* claim = objects.find_claim(claim_key(pod.metadata.ns, name));
  if (claim == nullptr || !is_made_for(*claim, pod)) {
    return;
  }
  if (const api::PersistentVolume* volume = objects.find_volume(claim->spec.volume_name)) {
    add_demands(*volume, demands);
  }
}

api::Requirement requirement(std::string_view key,
                             Operator op,
                             const std::vector<std::string>& values) {
  return {.key = std::string(key), .op = op, .values = values};
}

// Takes out of `nodes` those that do not answer the demand, by the key or by its stand-in.
void narrow_to(const ZoneDemand& demand, const api::NodeLabelIndex& index, NodeSet& nodes) {
  NodeSet scratch(nodes.size());
  NodeSet by_key = nodes;
  index.narrow(requirement(demand.key, Operator::kIn, demand.values), by_key, scratch);
  const std::string_view other = general_key(demand.key);
  if (other == demand.key) {
    nodes = std::move(by_key);
    return;
  }
  index.narrow(requirement(demand.key, Operator::kDoesNotExist, {}), nodes, scratch);
  index.narrow(requirement(other, Operator::kIn, demand.values), nodes, scratch);
  nodes |= by_key;
}

bool fits(const ZoneDemand& demand, const api::StringMap& labels) {
  auto label = labels.find(demand.key);
  if (label == labels.end()) {
    label = labels.find(general_key(demand.key));
  }
  return label != labels.end() && std::ranges::binary_search(demand.values, label->second);
}

}  // namespace

std::vector<ZoneDemand> zone_demands(const api::PersistentVolume& volume) {
  std::vector<ZoneDemand> demands;
  for (const std::string_view key : kKeys) {
    const auto label = volume.metadata.labels.find(key);
    if (label == volume.metadata.labels.end()) {
      continue;
    }
    if (std::optional<std::vector<std::string>> zones = zones_in(label->second)) {
      demands.push_back({.key = key, .values = *std::move(zones)});
    }
  }
  return demands;
}

ZoneCheck check_zones(const api::Pod& pod,
                      const Objects& objects,
                      const RelatedSwitches& switches) {
  ZoneCheck check;
  for (const api::Volume& volume : pod.spec.volumes) {
    const std::optional<ClaimName> name = claim_name_of(pod, volume);
    if (!name) {
      continue;
    }
    if (name->is_ephemeral) {
      if (switches.see_ephemeral_claims) {
        add_ephemeral_claim(pod, name->name, objects, check.demands);
      }
      continue;
    }
    check.answer = add_claim(pod, name->name, objects, check.demands);
    if (!check.answer.is_success()) {
      check.demands.clear();
      return check;
    }
  }
  if (check.demands.empty()) {
    check.answer = Answer::skip();
  }
  return check;
}

void ZoneCheck::narrow(const api::NodeLabelIndex& index, NodeSet& nodes) const {
  // Nodes that know of no zones are in a cluster that has none.
  NodeSet scratch(nodes.size());
  NodeSet without_zones = nodes;
  for (const std::string_view key : kKeys) {
    index.narrow(requirement(key, Operator::kDoesNotExist, {}), without_zones, scratch);
  }
  for (const ZoneDemand& demand : demands) {
    narrow_to(demand, index, nodes);
  }
  nodes |= without_zones;
}

Answer ZoneCheck::on_node(const api::StringMap& labels) const {
  const bool is_fit = std::ranges::all_of(
      demands, [&labels](const ZoneDemand& demand) { return fits(demand, labels); });
  if (is_fit || std::ranges::none_of(
                    kKeys, [&labels](std::string_view key) { return labels.contains(key); })) {
    return Answer::success();
  }
  return Answer::unresolvable(kZoneConflict);
}

Hint zone_hint_for_new_class(const api::StorageClass& added) {
  return queue_if(added.volume_binding_mode == kWaitForFirstConsumer);
}

Hint zone_hint_for_claim(const api::Pod& pod,
                         const api::PersistentVolumeClaim& claim,
                         const RelatedSwitches& switches) {
  return queue_if(uses_claim(pod, claim, switches.see_ephemeral_claims));
}

Hint zone_hint_for_volume_change(const api::PersistentVolume& before,
                                 const api::PersistentVolume& after) {
  return queue_if(zone_demands(before) != zone_demands(after));
}

}  // namespace berth::volumes
