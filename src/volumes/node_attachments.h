// The volumes attached to one node, or about to be, counted by driver.
//
// A value: whoever holds it changes it, and a copy of it may be changed to see what would be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/members.h"
#include "api/objects/storage.h"
#include "volumes/answer.h"
#include "volumes/attached_volumes.h"

namespace berth::volumes {

class NodeAttachments {
 public:
  using VolumesPtr = std::shared_ptr<const AttachedVolumes>;

  // The node's CSINode as it is now; null when there is none.
  void set_csi_node(const api::CSINode* csi_node);
  bool has_csi_node() const { return has_csi_node_; }

  // A pod by its uid. `order` says which pod was first when several are at fault; it is another for
  // every pod. A pod that is set again replaces itself.
  void set_pod(std::string_view uid, std::uint64_t order, VolumesPtr volumes);
  void remove_pod(std::string_view uid);
  std::vector<std::string> pod_uids() const;

  void add_attachment(const AttachedVolume& volume);
  void remove_attachment(const AttachedVolume& volume);

  // Nothing is known of the node: no CSINode, pods or attachments.
  bool empty() const { return !has_csi_node_ && pods_.empty() && volumes_.empty(); }
  bool is_installed(std::string_view driver) const;
  bool has_limits() const { return limits_ > 0; }
  std::optional<std::int64_t> find_limit(std::string_view driver) const;
  // Volumes of a driver: used by pods, or attached for whatever reason. Each once.
  std::int64_t count(std::string_view driver) const;
  bool is_used(std::string_view id) const;      // by a pod
  bool is_attached(std::string_view id) const;  // by an attachment
  // What is wrong with a pod on the node; with the first, if several.
  const Answer* find_fault() const;

  bool operator==(const NodeAttachments&) const = default;

 private:
  struct Driver {
    bool is_installed = false;
    std::optional<std::int64_t> limit;
    std::int64_t volumes = 0;

    bool operator==(const Driver&) const = default;
  };
  struct Use {
    std::string driver;
    std::uint32_t pods = 0;
    std::uint32_t attachments = 0;

    bool operator==(const Use&) const = default;
  };
  struct PodUse {
    std::uint64_t order = 0;
    VolumesPtr volumes;

    bool operator==(const PodUse& other) const {
      return order == other.order && *volumes == *other.volumes;
    }
  };

  void join(const AttachedVolume& volume, std::uint32_t Use::* count);
  void leave(const AttachedVolume& volume, std::uint32_t Use::* count);

  bool has_csi_node_ = false;
  std::size_t limits_ = 0;    // drivers with a limit
  std::size_t faults_ = 0;    // pods at fault
  api::Map<Driver> drivers_;  // installed ones, and those with volumes
  api::Map<Use> volumes_;     // by id
  api::Map<PodUse> pods_;     // by uid
};

}  // namespace berth::volumes
