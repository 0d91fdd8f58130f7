#include "volumes/view.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/node_set.h"
#include "volumes/reach_table.h"

namespace berth::volumes {

NodeSet View::nodes() const {
  NodeSet all(node_limit_);
  reached(kEverywhere).add_to(all);
  return all;
}

std::optional<std::size_t> View::find_node_number(std::string_view name) const {
  const std::uint32_t* number = node_numbers_.find(name);
  return number == nullptr ? std::nullopt : std::optional<std::size_t>(*number);
}

NodePtr View::find_node(std::string_view name) const {
  const auto number = find_node_number(name);
  return number ? nodes_[*number] : nullptr;
}

const VolumeEntry* View::find_volume(std::string_view name) const {
  const VolumeEntryPtr* found = volumes_.find(name);
  return found == nullptr ? nullptr : found->get();
}

const ClaimEntry* View::find_claim(std::string_view key) const {
  const ClaimEntryPtr* found = claims_.find(key);
  return found == nullptr ? nullptr : found->get();
}

const ClassEntry* View::find_class(std::string_view name) const {
  return classes_.find(name);
}

DriverPtr View::find_driver(std::string_view name) const {
  const DriverPtr* found = drivers_.find(name);
  return found == nullptr ? nullptr : *found;
}

CsiNodePtr View::find_csi_node(std::string_view node_name) const {
  const CsiNodePtr* found = csi_nodes_.find(node_name);
  return found == nullptr ? nullptr : *found;
}

const std::vector<VolumeEntryPtr>& View::volumes_naming(std::string_view claim_key) const {
  static const std::vector<VolumeEntryPtr> kNone;
  const std::vector<VolumeEntryPtr>* found = naming_.find(claim_key);
  return found == nullptr ? kNone : *found;
}

const VolumesByReach* View::find_free(const FreeKey& key) const {
  return free_.find(key);
}

const SnapshotMap<std::string, CapacityEntry>* View::find_capacities(
    std::string_view class_name) const {
  return capacities_.find(class_name);
}

ReachId View::reach_on(const VolumeEntry& volume, std::size_t node) const {
  return volume.plugin && migrated(*volume.plugin).contains(node) ? volume.translated_reach
                                                                  : volume.reach;
}

}  // namespace berth::volumes
