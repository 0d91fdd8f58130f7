// VolumeZone: zone and region labels of a pod's bound volumes against those of nodes.
//
//   const ZoneCheck check = check_zones(pod, objects, switches);   // PreFilter
//   check.narrow(index, nodes);                                    // Filter, all nodes at once
//   const Answer answer = check.on_node(node.metadata.labels);     // why one node cannot
//
// Pure, and a check costs a few label lookups: nothing is kept between pods.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/members.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "api/rules/node_label_index.h"
#include "base/node_set.h"
#include "volumes/answer.h"
#include "volumes/hint.h"
#include "volumes/objects.h"
#include "volumes/related_switches.h"

namespace berth::volumes {

inline constexpr std::string_view kZoneConflict = "node(s) had no available volume zone";

// What one label of a volume asks of a node.
struct ZoneDemand {
  std::string_view key;             // one of the four keys of names.h
  std::vector<std::string> values;  // ascending, distinct, not empty

  bool operator==(const ZoneDemand&) const = default;
};

// In the order of beta zone, beta region, zone, region. A label with an empty element asks nothing.
std::vector<ZoneDemand> zone_demands(const api::PersistentVolume& volume);

struct ZoneCheck {
  // Success, or skip when no volume asks for anything; else why no node can.
  Answer answer;
  std::vector<ZoneDemand> demands;

  // Takes out of `nodes` those whose labels do not fit. `index` has the labels of all of them, and
  // its size.
  void narrow(const api::NodeLabelIndex& index, NodeSet& nodes) const;
  // For one node with these labels.
  Answer on_node(const api::StringMap& labels) const;
};

ZoneCheck check_zones(const api::Pod& pod, const Objects& objects, const RelatedSwitches& switches);

// Queueing hints for pods that VolumeZone rejected. New nodes and new node labels always queue.
Hint zone_hint_for_new_class(const api::StorageClass& added);
// For a claim that came or changed.
Hint zone_hint_for_claim(const api::Pod& pod,
                         const api::PersistentVolumeClaim& claim,
                         const RelatedSwitches& switches);
// A new volume always queues.
Hint zone_hint_for_volume_change(const api::PersistentVolume& before,
                                 const api::PersistentVolume& after);

}  // namespace berth::volumes
