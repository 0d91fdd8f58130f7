// VolumeRestrictions: disks that pods of one node cannot share, and claims that only one pod of the
// cluster may use (ReadWriteOncePod).
//
// RestrictionTable follows the pods that are on nodes or assumed to be; RestrictionView is what it
// knew at one moment, O(1) to take and immutable. A question costs what uses the same disks and
// claims, not what is on the nodes.
//
//   RestrictionCheck check = view.check(pod, objects);        // PreFilter
//   view.narrow(check, numbers, nodes);                       // Filter, all nodes at once
//   const Answer answer = view.on_node(check, node, changes); // why one node cannot
//
// One thread changes a table; views may be read on any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "base/hash_map.h"
#include "base/node_set.h"
#include "base/snapshot_map.h"
#include "volumes/answer.h"
#include "volumes/disks.h"
#include "volumes/hint.h"
#include "volumes/objects.h"
#include "volumes/pod_changes.h"
#include "volumes/related_switches.h"

namespace berth::volumes {

inline constexpr std::string_view kDiskConflict = "node(s) had no available disk";
inline constexpr std::string_view kExclusiveClaimInUse =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
    "in-use by another pod";

// Names of nodes to their numbers.
using NodeNumbers = SnapshotMap<std::string, std::uint32_t>;

// What matters of one pod, and how many of its exclusive claims others use.
struct RestrictionCheck {
  Answer answer;  // success, skip, or why no node can
  std::string ns;
  std::vector<Disk> disks;
  std::vector<std::string> exclusive_claims;  // names, ascending, distinct
  // Zero or more when checked; a dry run may take it below, when a pod has a claim in two volumes.
  std::int64_t conflicts = 0;

  // A dry run supposes `pod` came to a node, or left it. Which node does not matter.
  void add_pod(const api::Pod& pod, const RelatedSwitches& switches);
  void remove_pod(const api::Pod& pod, const RelatedSwitches& switches);
};

class RestrictionView {
 public:
  explicit RestrictionView(const RelatedSwitches& switches) : switches_(switches) {}

  RestrictionCheck check(const api::Pod& pod, const Objects& objects) const;
  // Takes out of `nodes` those that cannot take the pod. Numbers are below the size of `nodes`.
  void narrow(const RestrictionCheck& check, const NodeNumbers& numbers, NodeSet& nodes) const;
  // `check` has followed the same changes.
  Answer on_node(const RestrictionCheck& check,
                 std::string_view node,
                 const PodChanges& changes = {}) const;

  // How many volumes of pods on nodes name the claim.
  std::uint32_t claim_uses(std::string_view key) const;  // by claim_key()

 private:
  friend class RestrictionTable;

  struct DiskUse {
    Disk disk;
    std::string pod_uid;
    std::string node;
  };

  RelatedSwitches switches_;
  SnapshotMap<std::string, std::uint32_t> claim_uses_;        // by claim_key(); no zeros
  SnapshotMap<std::string, std::vector<DiskUse>> disk_uses_;  // by identity; none empty
};

class RestrictionTable {
 public:
  explicit RestrictionTable(const RelatedSwitches& switches) : view_(switches) {}

  // The pod is on the node it names, or assumed to be; one that names none is on none. A pod is
  // known by its uid, and what it was before is forgotten.
  void set_pod(const api::Pod& pod);
  // It was deleted, has finished, or was forgotten. Nothing happens if it is not known.
  void remove_pod(std::string_view uid);

  const RestrictionView& now() const { return view_; }
  RestrictionView view() const { return view_; }

 private:
  // What a pod contributed, to be taken back.
  struct PodUse {
    std::string node;
    std::vector<std::string> claims;  // keys, one for each volume
    std::vector<Disk> disks;

    bool operator==(const PodUse&) const = default;
  };

  void add(const std::string& uid, const PodUse& use);
  void take_back(const std::string& uid, const PodUse& use);

  RestrictionView view_;
  HashMap<std::string, PodUse> pods_;  // by uid; those that contribute something
};

// Queueing hints for pods that VolumeRestrictions rejected. New nodes always queue.
Hint restriction_hint_for_deleted_pod(const api::Pod& pod,
                                      const api::Pod& deleted,
                                      const RelatedSwitches& switches);
Hint restriction_hint_for_new_claim(const api::Pod& pod,
                                    const api::PersistentVolumeClaim& added,
                                    const RelatedSwitches& switches);

}  // namespace berth::volumes
