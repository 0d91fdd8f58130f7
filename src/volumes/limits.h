// NodeVolumeLimits: how many volumes of a CSI driver a node can have attached.
//
// AttachTable follows pods, attachments and CSINodes, and is told when a claim, volume or class has
// changed; it resolves again only what depends on it. AttachView is what it knew at one moment,
// O(1) to take and immutable. Nothing is counted when a pod is asked about.
//
//   const AttachRequest request = view.request(pod, objects);   // PreFilter
//   view.narrow(request, nodes);                                // Filter, all nodes at once
//   const Answer answer = view.on_node(request, node);          // why one node cannot
//
// One thread changes a table; views may be read on any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "base/hash_map.h"
#include "base/node_set.h"
#include "base/snapshot_vector.h"
#include "volumes/answer.h"
#include "volumes/attached_volumes.h"
#include "volumes/hint.h"
#include "volumes/node_attachments.h"
#include "volumes/objects.h"
#include "volumes/pod_changes.h"
#include "volumes/related_switches.h"

namespace berth::volumes {

inline constexpr std::string_view kTooManyVolumes = "node(s) exceed max volume count";

struct AttachOptions {
  RelatedSwitches switches;
  // The feature gate VolumeLimitScaling: drivers may ask to keep pods from nodes without them.
  bool volume_limit_scaling = true;
};

// What a pod wants attached. It depends on the node only in whether that has a CSINode.
struct AttachRequest {
  struct Wanted {
    std::optional<Answer> fault;  // why such nodes cannot take it
    struct OfDriver {
      std::string driver;
      std::vector<std::string> ids;
      bool must_be_installed = false;
    };
    std::vector<OfDriver> drivers;  // ascending; none without ids
  };

  Answer answer;  // success, or skip when there is nothing to attach
  Wanted with_csi_node;
  Wanted without_csi_node;
};

class AttachView {
 public:
  explicit AttachView(const AttachOptions& options) : options_(options) {}

  AttachRequest request(const api::Pod& pod, const Objects& objects) const;
  // Takes out of `nodes` those that cannot take the pod. Nodes go by the numbers that
  // AttachTable::set_node() was given.
  void narrow(const AttachRequest& request, NodeSet& nodes) const;
  Answer on_node(const AttachRequest& request, std::size_t node) const;
  // The same for a dry run; `objects` are those behind the volumes of pods that would be added.
  Answer on_node(const AttachRequest& request,
                 std::size_t node,
                 const PodChanges& changes,
                 const Objects& objects) const;

  // What is attached to a node; nothing for a number not in use.
  const NodeAttachments& attachments(std::size_t node) const;

 private:
  friend class AttachTable;

  // In the order in which they are looked at. All nodes are judged; only who asks is told why.
  enum class Verdict : std::uint8_t { kFits, kFault, kDriverMissing, kPodAtFault, kTooMany };

  Verdict judge(const AttachRequest& request, const NodeAttachments& node) const;
  Answer explain(const AttachRequest& request, const NodeAttachments& node) const;

  AttachOptions options_;
  SnapshotVector<std::shared_ptr<NodeAttachments>> nodes_;  // by number; null when nothing is known
};

class AttachTable {
 public:
  // `objects` outlives the table, and shows a change before the table is told of it.
  AttachTable(const Objects& objects, const AttachOptions& options)
      : objects_(objects), view_(options) {}
  AttachTable(const AttachTable&) = delete;
  AttachTable& operator=(const AttachTable&) = delete;
  ~AttachTable() = default;

  // The node has this number from now on. Pods and attachments may name it earlier, and outlive it.
  void set_node(std::string_view name, std::size_t number);
  void remove_node(std::string_view name);
  void set_csi_node(const api::CSINode& csi_node);
  void remove_csi_node(std::string_view name);

  // The pod is on the node it names, or assumed to be; one that names none is on none. Known by
  // uid.
  void set_pod(std::shared_ptr<const api::Pod> pod);
  // It was deleted, has finished, or was forgotten.
  void remove_pod(std::string_view uid);
  void set_attachment(std::shared_ptr<const api::VolumeAttachment> attachment);
  void remove_attachment(std::string_view name);

  // Something came, changed or went.
  void claim_changed(std::string_view key);
  void volume_changed(std::string_view name);
  void class_changed(std::string_view name);

  const AttachView& now() const { return view_; }
  AttachView view() const { return view_; }

 private:
  using VolumesPtr = NodeAttachments::VolumesPtr;
  struct Node {
    std::optional<std::size_t> number;
    std::shared_ptr<NodeAttachments> unnumbered;  // null while it has a number
  };
  // A pod or an attachment, one of the two.
  struct User {
    std::shared_ptr<const api::Pod> pod;
    std::shared_ptr<const api::VolumeAttachment> attachment;
    std::uint64_t order = 0;  // of pods
    VolumesPtr volumes;       // as they are counted; null before

    const std::string& node() const;
  };

  const NodeAttachments* find_attachments(const std::string& node) const;
  // To be changed at once.
  NodeAttachments& edit(const std::string& node);
  void forget_if_empty(const std::string& node);

  void add_user(std::string id, User user);
  void remove_user(const std::string& id);
  AttachedVolumes resolve(const User& user) const;
  // Counts what the user has now instead of what it had.
  void recount(const std::string& id);
  void discount(const std::string& id, const User& user);
  void resolve_pods_again(const std::string& node);
  void changed(const std::string& dependency);

  const Objects& objects_;
  AttachView view_;
  HashMap<std::string, Node> nodes_;
  HashMap<std::string, User> users_;
  HashMap<std::string, HashSet<std::string>> dependents_;  // users by what they depend on
  std::uint64_t next_order_ = 0;
};

// Queueing hints for pods that NodeVolumeLimits rejected. New CSINodes always queue.
Hint limit_hint_for_csi_node_change(const api::CSINode& before, const api::CSINode& after);
Hint limit_hint_for_deleted_pod(const api::Pod& deleted);
Hint limit_hint_for_new_claim(const api::Pod& pod, const api::PersistentVolumeClaim& added);
Hint limit_hint_for_deleted_attachment(const api::Pod& pod, const api::VolumeAttachment& deleted);

}  // namespace berth::volumes
