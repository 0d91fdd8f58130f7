// All that the engine knows, at one moment: immutable, and O(1) to take from the Catalog.
//
// Objects are seen with promises applied: a volume that was promised to a claim points at it. What
// the API server said last is the stored one. A view may be read on any thread.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/members.h"
#include "api/objects/node.h"
#include "api/objects/storage.h"
#include "api/quantity.h"
#include "api/rules/label_selector.h"
#include "api/rules/node_group.h"
#include "base/node_set.h"
#include "base/result.h"
#include "base/snapshot_map.h"
#include "base/snapshot_vector.h"
#include "volumes/migration.h"
#include "volumes/plan.h"
#include "volumes/reach.h"
#include "volumes/rules.h"

namespace berth::volumes {

using NodePtr = std::shared_ptr<const api::Node>;
using ClassPtr = std::shared_ptr<const api::StorageClass>;
using DriverPtr = std::shared_ptr<const api::CSIDriver>;
using CsiNodePtr = std::shared_ptr<const api::CSINode>;

// A version of a volume, with all that was compiled of it.
struct VolumeEntry {
  VolumePtr stored;
  VolumePtr promised;               // null where nothing is promised
  std::vector<std::string> owners;  // pods, by uid, that were promised it
  ReachId reach = 0;                // of the volume as it is
  // Of the volume as its CSI driver has it: for in-tree volumes only.
  std::optional<InTreePlugin> plugin;
  ReachId translated_reach = 0;
  std::optional<Error> translation_error;

  const VolumePtr& current() const { return promised ? promised : stored; }
};
using VolumeEntryPtr = std::shared_ptr<const VolumeEntry>;

struct ClaimEntry {
  ClaimPtr stored;
  ClaimPtr promised;
  std::vector<std::string> owners;
  CapacityPtr pool;  // in which room is promised for it; null where nobody was asked
  // Of the claim's selector; nothing when it has none, an error when it cannot be compiled.
  std::optional<Result<api::CompiledLabelSelector>> selector;

  const ClaimPtr& current() const { return promised ? promised : stored; }
};
using ClaimEntryPtr = std::shared_ptr<const ClaimEntry>;

struct ClassEntry {
  ClassPtr object;
  ReachId reach = 0;  // of its allowed topologies
};

struct CapacityEntry {
  CapacityPtr object;
  std::optional<std::int64_t> limit;  // bytes of the largest volume that fits
  ReachId reach = 0;
  std::int64_t promised = 0;  // bytes promised since this version was seen
};

// Unclaimed volumes that are alike but for size and place.
struct FreeKey {
  std::string storage_class;
  std::string mode;
  std::string attributes_class;

  auto operator<=>(const FreeKey&) const = default;
};

struct SizeKey {
  api::Quantity capacity;
  std::string name;
};
struct SizeLess {
  bool operator()(const SizeKey& a, const SizeKey& b) const {
    const int order = a.capacity.compare(b.capacity);
    return order != 0 ? order < 0 : a.name < b.name;
  }
};

using VolumesBySize = SnapshotMap<SizeKey, VolumeEntryPtr, SizeLess>;

// Unclaimed volumes that are reached from the same nodes. What can be said of all of them together
// stands beside them: a claim asks thousands of places, and most answer without being entered.
struct FreePlace {
  VolumesBySize volumes;  // not empty
  api::Quantity largest;  // capacity of the last of them
  ModeCounts offered{};   // how many of them offer each access mode
};
using VolumesByReach = SnapshotMap<ReachId, FreePlace>;

class View {
 public:
  // Nodes. Numbers are below node_limit(); sets of nodes have that size. Numbers of nodes that went
  // are used again.
  std::size_t node_limit() const { return node_limit_; }
  NodeSet nodes() const;
  std::size_t node_count() const { return node_numbers_.size(); }
  // Goes up with every change of a node's name, number or labels: two views with the same one have
  // the same numbers.
  std::uint64_t node_version() const { return node_version_; }
  std::optional<std::size_t> find_node_number(std::string_view name) const;
  // Null for a number that is not in use.
  const NodePtr& node(std::size_t number) const { return nodes_[number]; }
  NodePtr find_node(std::string_view name) const;
  const SnapshotMap<std::string, std::uint32_t>& nodes_by_name() const { return node_numbers_; }

  // Objects by name, null where there is none. Claims go by claim_key().
  const VolumeEntry* find_volume(std::string_view name) const;
  const ClaimEntry* find_claim(std::string_view key) const;
  const ClassEntry* find_class(std::string_view name) const;
  DriverPtr find_driver(std::string_view name) const;
  CsiNodePtr find_csi_node(std::string_view node_name) const;

  // In name order.
  const SnapshotMap<std::string, VolumeEntryPtr>& volumes() const { return volumes_; }
  const SnapshotMap<std::string, ClaimEntryPtr>& claims() const { return claims_; }
  const SnapshotMap<std::string, ClassEntry>& classes() const { return classes_; }
  // Volumes that name this claim in their reference, whatever the uid, in name order.
  const std::vector<VolumeEntryPtr>& volumes_naming(std::string_view claim_key) const;
  // Null where there is none of the kind.
  const VolumesByReach* find_free(const FreeKey& key) const;
  // By "namespace/name"; null where the class has none.
  const SnapshotMap<std::string, CapacityEntry>* find_capacities(std::string_view class_name) const;

  // The nodes a reach holds for.
  const api::NodeGroup& reached(ReachId reach) const { return reaches_[reach].nodes; }
  const Reach& reach(ReachId reach) const { return *reaches_[reach].reach; }
  // The nodes on which a plugin's volumes are served by its CSI driver.
  const api::NodeGroup& migrated(InTreePlugin plugin) const {
    return migrated_[static_cast<std::size_t>(plugin)];
  }
  // Where the volume of a bound claim is reached from on this node: translated if the node wants
  // it.
  ReachId reach_on(const VolumeEntry& volume, std::size_t node) const;

 private:
  friend class Catalog;
  friend class NodeTable;
  friend class ReachTable;
  friend class VolumeIndex;

  struct ReachState {
    std::shared_ptr<const Reach> reach;
    api::NodeGroup nodes;
  };

  std::size_t node_limit_ = 0;
  std::uint64_t node_version_ = 0;
  SnapshotVector<NodePtr> nodes_;
  SnapshotMap<std::string, std::uint32_t> node_numbers_;
  SnapshotVector<ReachState> reaches_;  // 0 reaches every node
  SnapshotVector<api::NodeGroup> migrated_;
  SnapshotMap<std::string, VolumeEntryPtr> volumes_;
  SnapshotMap<std::string, std::vector<VolumeEntryPtr>> naming_;
  SnapshotMap<FreeKey, VolumesByReach> free_;
  SnapshotMap<std::string, ClaimEntryPtr> claims_;
  SnapshotMap<std::string, ClassEntry> classes_;
  SnapshotMap<std::string, DriverPtr> drivers_;
  SnapshotMap<std::string, CsiNodePtr> csi_nodes_;
  SnapshotMap<std::string, SnapshotMap<std::string, CapacityEntry>> capacities_;
};

}  // namespace berth::volumes
