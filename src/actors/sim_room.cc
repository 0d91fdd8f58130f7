#include "actors/sim_room.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/class_rules.h"
#include "actors/sim_class.h"
#include "actors/sim_volume.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"
#include "api/rules/topology_selector.h"
#include "volumes/names.h"
#include "volumes/rules.h"

namespace berth::actors {
namespace {

constexpr std::string_view kAlphaSelectedNode = "volume.alpha.kubernetes.io/selected-node";

SimPlace refused(Outcome outcome, std::string why) {
  return {.outcome = outcome, .why = std::move(why)};
}

// Where the selected node is.
SimPlace place_of(const api::StorageClass& storage_class,
                  const SimClass& sim,
                  std::string_view selected,
                  const Sight<api::Node>& node) {
  if (!node.object && !node.is_live) {
    return {.must_look = true};
  }
  if (!node.object) {
    return refused(Outcome::kResourceExhausted, fmt::format("node \"{}\" not found", selected));
  }
  const api::StringMap& labels = node.object->metadata.labels;
  const auto label = labels.find(sim.topology_key);
  if (label == labels.end()) {
    return refused(Outcome::kFailedPrecondition,
                   fmt::format("node \"{}\" has no label {}", selected, sim.topology_key));
  }
  if (!api::CompiledTopologies::compile(storage_class.allowed_topologies).matches(labels)) {
    return refused(Outcome::kFailedPrecondition,
                   fmt::format("node \"{}\" is in none of the allowed topologies", selected));
  }
  return {.segment = {.key = sim.topology_key, .value = label->second}};
}

// The segment of which least is taken, the first of equals.
SimPlace emptiest(const api::StorageClass& storage_class,
                  const SimClass& sim,
                  std::span<const NodePtr> nodes,
                  const TakenOf& taken_of) {
  SimPlace best =
      refused(Outcome::kFailedPrecondition, "no node is in one of the allowed topologies");
  std::int64_t least = 0;
  for (const Segment& segment : segments_of(storage_class, sim, nodes)) {
    const std::int64_t taken = taken_of(pool_of(storage_class.metadata.name, segment));
    if (best.outcome != Outcome::kOk || taken < least) {
      best = {.segment = segment};
      least = taken;
    }
  }
  return best;
}

}  // namespace

std::string_view asked_of(const api::PersistentVolumeClaim& claim) {
  const std::string* asked = volumes::find_annotation(claim.metadata, volumes::kStorageProvisioner);
  if (asked == nullptr) {
    asked = volumes::find_annotation(claim.metadata, volumes::kBetaStorageProvisioner);
  }
  return asked == nullptr ? std::string_view() : std::string_view(*asked);
}

std::string_view selected_of(const api::PersistentVolumeClaim& claim) {
  const std::string* selected = volumes::find_annotation(claim.metadata, volumes::kSelectedNode);
  if (selected == nullptr) {
    selected = volumes::find_annotation(claim.metadata, kAlphaSelectedNode);
  }
  return selected == nullptr ? std::string_view() : std::string_view(*selected);
}

bool is_wanted(const api::PersistentVolumeClaim& claim, const api::StorageClass* storage_class) {
  return claim.spec.volume_name.empty() && is_simulated(asked_of(claim)) &&
         (!is_delayed(storage_class) || !selected_of(claim).empty());
}

std::vector<Segment> segments_of(const api::StorageClass& storage_class,
                                 const SimClass& sim,
                                 std::span<const NodePtr> nodes) {
  if (sim.topology_key.empty()) {
    return {Segment{}};
  }
  const auto allowed = api::CompiledTopologies::compile(storage_class.allowed_topologies);
  std::set<std::string> values;
  for (const NodePtr& node : nodes) {
    const auto label = node->metadata.labels.find(sim.topology_key);
    if (label != node->metadata.labels.end() && allowed.matches(node->metadata.labels)) {
      values.insert(label->second);
    }
  }
  std::vector<Segment> segments;
  segments.reserve(values.size());
  for (const std::string& value : values) {
    segments.push_back({.key = sim.topology_key, .value = value});
  }
  return segments;
}

SimPlace find_place(const api::PersistentVolumeClaim& claim,
                    const api::StorageClass& storage_class,
                    const SimClass& sim,
                    const Sight<api::Node>& node,
                    std::span<const NodePtr> nodes,
                    const TakenOf& taken_of) {
  const std::string_view selected = selected_of(claim);
  SimPlace place;
  if (!sim.topology_key.empty()) {
    place = selected.empty() ? emptiest(storage_class, sim, nodes, taken_of)
                             : place_of(storage_class, sim, selected, node);
  }
  if (place.must_look || place.outcome != Outcome::kOk || !sim.capacity) {
    return place;
  }
  const std::int64_t taken = taken_of(pool_of(storage_class.metadata.name, place.segment));
  const std::int64_t wanted = volumes::request_of(claim).value();
  if (wanted > *sim.capacity || taken > *sim.capacity - wanted) {
    return refused(Outcome::kResourceExhausted,
                   fmt::format("{} of {} bytes are taken", taken, *sim.capacity));
  }
  return place;
}

}  // namespace berth::actors
