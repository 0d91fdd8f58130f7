// How AttachTable keeps its counts. Every pod and attachment is a user that was resolved to volumes
// once; it stands in `dependents_` under each object that was looked at, also under those that were
// missing. When one of them changes, its dependents are resolved and counted again.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "base/assert.h"
#include "base/hash_map.h"
#include "base/snapshot_vector.h"
#include "volumes/attached_volumes.h"
#include "volumes/limits.h"
#include "volumes/node_attachments.h"

namespace berth::volumes {
namespace {

std::string pod_user(std::string_view uid) {
  return "pod " + std::string(uid);
}

std::string attachment_user(std::string_view name) {
  return "attachment " + std::string(name);
}

}  // namespace

const std::string& AttachTable::User::node() const {
  return pod ? pod->spec.node_name : attachment->spec.node_name;
}

void AttachTable::set_node(std::string_view name, std::size_t number) {
  const std::string key(name);
  Node& node = nodes_[key];
  if (node.number == number) {
    return;
  }
  std::shared_ptr<NodeAttachments> state = std::move(node.unnumbered);
  if (node.number) {
    state = std::exchange(view_.nodes_.edit(*node.number), nullptr);
  }
  while (view_.nodes_.size() <= number) {
    view_.nodes_.push_back(nullptr);
  }
  BERTH_ASSERT(view_.nodes_[number] == nullptr, "a number belongs to one node at a time");
  view_.nodes_.edit(number) = std::move(state);
  node.number = number;
}

void AttachTable::remove_node(std::string_view name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !found->second.number) {
    return;
  }
  Node& node = found->second;
  node.unnumbered = std::exchange(view_.nodes_.edit(*node.number), nullptr);
  node.number.reset();
  forget_if_empty(std::string(name));
}

void AttachTable::set_csi_node(const api::CSINode& csi_node) {
  const std::string& name = csi_node.metadata.name;
  NodeAttachments& node = edit(name);
  const bool is_new = !node.has_csi_node();
  node.set_csi_node(&csi_node);
  if (is_new) {
    resolve_pods_again(name);
  }
}

void AttachTable::remove_csi_node(std::string_view name) {
  const std::string key(name);
  if (const NodeAttachments* node = find_attachments(key);
      node == nullptr || !node->has_csi_node()) {
    return;
  }
  edit(key).set_csi_node(nullptr);
  resolve_pods_again(key);
  forget_if_empty(key);
}

void AttachTable::set_pod(std::shared_ptr<const api::Pod> pod) {
  const std::string id = pod_user(pod->metadata.uid);
  std::uint64_t order = next_order_;
  if (const auto known = users_.find(id); known != users_.end()) {
    // Volumes of a pod never change; assumed pods come again as the API server has them.
    if (known->second.node() == pod->spec.node_name &&
        known->second.pod->spec.volumes == pod->spec.volumes) {
      return;
    }
    order = known->second.order;
    remove_user(id);
  }
  if (pod->spec.node_name.empty() || !has_attachable_volumes(*pod)) {
    return;
  }
  next_order_ += order == next_order_ ? 1 : 0;
  add_user(id, {.pod = std::move(pod), .attachment = {}, .order = order, .volumes = {}});
}

void AttachTable::remove_pod(std::string_view uid) {
  remove_user(pod_user(uid));
}

void AttachTable::set_attachment(std::shared_ptr<const api::VolumeAttachment> attachment) {
  const std::string id = attachment_user(attachment->metadata.name);
  if (const auto known = users_.find(id);
      known != users_.end() && known->second.attachment->spec == attachment->spec) {
    return;
  }
  remove_user(id);
  add_user(id, {.pod = {}, .attachment = std::move(attachment), .order = 0, .volumes = {}});
}

void AttachTable::remove_attachment(std::string_view name) {
  remove_user(attachment_user(name));
}

void AttachTable::claim_changed(std::string_view key) {
  changed(claim_dependency(key));
}

void AttachTable::volume_changed(std::string_view name) {
  changed(volume_dependency(name));
}

void AttachTable::class_changed(std::string_view name) {
  changed(class_dependency(name));
}

const NodeAttachments* AttachTable::find_attachments(const std::string& node) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) {
    return nullptr;
  }
  const Node& entry = found->second;
  return entry.number ? view_.nodes_[*entry.number].get() : entry.unnumbered.get();
}

NodeAttachments& AttachTable::edit(const std::string& node) {
  Node& entry = nodes_[node];
  std::shared_ptr<NodeAttachments>& state =
      entry.number ? view_.nodes_.edit(*entry.number) : entry.unnumbered;
  if (!state) {
    state = std::make_shared<NodeAttachments>();
  } else if (!is_held_once(state)) {
    state = std::make_shared<NodeAttachments>(*state);
  }
  return *state;
}

void AttachTable::forget_if_empty(const std::string& node) {
  const auto found = nodes_.find(node);
  if (found != nodes_.end() && !found->second.number &&
      (!found->second.unnumbered || found->second.unnumbered->empty())) {
    nodes_.erase(found);
  }
}

void AttachTable::add_user(std::string id, User user) {
  users_.insert_or_assign(id, std::move(user));
  recount(id);
}

void AttachTable::remove_user(const std::string& id) {
  const auto found = users_.find(id);
  if (found == users_.end()) {
    return;
  }
  const std::string node = found->second.node();
  discount(id, found->second);
  users_.erase(found);
  forget_if_empty(node);
}

AttachedVolumes AttachTable::resolve(const User& user) const {
  if (user.attachment) {
    return attached_volumes(*user.attachment, objects_);
  }
  const NodeAttachments* node = find_attachments(user.node());
  return attached_volumes(
      *user.pod, PodStage::kRunning, objects_, node != nullptr && node->has_csi_node());
}

void AttachTable::recount(const std::string& id) {
  User& user = users_.find(id)->second;
  AttachedVolumes volumes = resolve(user);
  if (user.volumes && *user.volumes == volumes) {
    return;
  }
  discount(id, user);
  user.volumes = std::make_shared<const AttachedVolumes>(std::move(volumes));
  for (const std::string& dependency : user.volumes->depends_on) {
    dependents_[dependency].insert(id);
  }
  NodeAttachments& node = edit(user.node());
  if (user.pod) {
    node.set_pod(user.pod->metadata.uid, user.order, user.volumes);
    return;
  }
  for (const AttachedVolume& volume : user.volumes->volumes) {
    node.add_attachment(volume);
  }
}

void AttachTable::discount(const std::string& id, const User& user) {
  if (!user.volumes) {
    return;
  }
  for (const std::string& dependency : user.volumes->depends_on) {
    const auto dependents = dependents_.find(dependency);
    dependents->second.erase(id);
    if (dependents->second.empty()) {
      dependents_.erase(dependents);
    }
  }
  NodeAttachments& node = edit(user.node());
  if (user.pod) {
    node.remove_pod(user.pod->metadata.uid);
    return;
  }
  for (const AttachedVolume& volume : user.volumes->volumes) {
    node.remove_attachment(volume);
  }
}

void AttachTable::resolve_pods_again(const std::string& node) {
  const NodeAttachments* attachments = find_attachments(node);
  if (attachments == nullptr) {
    return;
  }
  for (const std::string& uid : attachments->pod_uids()) {
    recount(pod_user(uid));
  }
}

void AttachTable::changed(const std::string& dependency) {
  const auto dependents = dependents_.find(dependency);
  if (dependents == dependents_.end()) {
    return;
  }
  // A copy: counting again changes who depends on what. The order does not matter.
  const std::vector<std::string> users(dependents->second.begin(), dependents->second.end());
  for (const std::string& user : users) {
    recount(user);
  }
}

}  // namespace berth::volumes
