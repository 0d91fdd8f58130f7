#include "volumes/node_attachments.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/storage.h"
#include "base/assert.h"
#include "volumes/answer.h"
#include "volumes/attached_volumes.h"

namespace berth::volumes {

void NodeAttachments::set_csi_node(const api::CSINode* csi_node) {
  has_csi_node_ = csi_node != nullptr;
  limits_ = 0;
  for (auto& [name, driver] : drivers_) {
    driver.is_installed = false;
    driver.limit.reset();
  }
  if (csi_node != nullptr) {
    for (const api::CSINodeDriver& listed : csi_node->spec.drivers) {
      Driver& driver = drivers_[listed.name];
      driver.is_installed = true;
      if (listed.allocatable && listed.allocatable->count) {
        limits_ += driver.limit ? 0 : 1;
        driver.limit = *listed.allocatable->count;
      }
    }
  }
  for (auto entry = drivers_.begin(); entry != drivers_.end();) {
    const bool is_kept = entry->second.is_installed || entry->second.volumes > 0;
    entry = is_kept ? std::next(entry) : drivers_.erase(entry);
  }
}

void NodeAttachments::set_pod(std::string_view uid, std::uint64_t order, VolumesPtr volumes) {
  remove_pod(uid);
  for (const AttachedVolume& volume : volumes->volumes) {
    join(volume, &Use::pods);
  }
  faults_ += volumes->fault ? 1 : 0;
  pods_.emplace(std::string(uid), PodUse{.order = order, .volumes = std::move(volumes)});
}

void NodeAttachments::remove_pod(std::string_view uid) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) {
    return;
  }
  for (const AttachedVolume& volume : pod->second.volumes->volumes) {
    leave(volume, &Use::pods);
  }
  faults_ -= pod->second.volumes->fault ? 1 : 0;
  pods_.erase(pod);
}

std::vector<std::string> NodeAttachments::pod_uids() const {
  std::vector<std::string> uids;
  for (const auto& [uid, use] : pods_) {
    uids.push_back(uid);
  }
  return uids;
}

void NodeAttachments::add_attachment(const AttachedVolume& volume) {
  join(volume, &Use::attachments);
}

void NodeAttachments::remove_attachment(const AttachedVolume& volume) {
  leave(volume, &Use::attachments);
}

void NodeAttachments::join(const AttachedVolume& volume, std::uint32_t Use::* count) {
  const auto [entry, is_new] = volumes_.try_emplace(volume.id, Use{.driver = volume.driver});
  if (is_new) {
    ++drivers_[volume.driver].volumes;
  }
  ++(entry->second.*count);
}

void NodeAttachments::leave(const AttachedVolume& volume, std::uint32_t Use::* count) {
  const auto entry = volumes_.find(volume.id);
  BERTH_ASSERT(entry != volumes_.end() && entry->second.*count > 0,
               "only what joined a node leaves it");
  --(entry->second.*count);
  if (entry->second.pods > 0 || entry->second.attachments > 0) {
    return;
  }
  const auto driver = drivers_.find(entry->second.driver);
  BERTH_ASSERT(driver != drivers_.end() && driver->second.volumes > 0,
               "a driver with volumes is counted");
  if (--driver->second.volumes == 0 && !driver->second.is_installed) {
    drivers_.erase(driver);
  }
  volumes_.erase(entry);
}

bool NodeAttachments::is_installed(std::string_view driver) const {
  const auto entry = drivers_.find(driver);
  return entry != drivers_.end() && entry->second.is_installed;
}

std::optional<std::int64_t> NodeAttachments::find_limit(std::string_view driver) const {
  const auto entry = drivers_.find(driver);
  return entry == drivers_.end() ? std::nullopt : entry->second.limit;
}

std::int64_t NodeAttachments::count(std::string_view driver) const {
  const auto entry = drivers_.find(driver);
  return entry == drivers_.end() ? 0 : entry->second.volumes;
}

bool NodeAttachments::is_used(std::string_view id) const {
  const auto entry = volumes_.find(id);
  return entry != volumes_.end() && entry->second.pods > 0;
}

bool NodeAttachments::is_attached(std::string_view id) const {
  const auto entry = volumes_.find(id);
  return entry != volumes_.end() && entry->second.attachments > 0;
}

const Answer* NodeAttachments::find_fault() const {
  if (faults_ == 0) {
    return nullptr;
  }
  const PodUse* first = nullptr;
  for (const auto& [uid, use] : pods_) {
    if (use.volumes->fault && (first == nullptr || use.order < first->order)) {
      first = &use;
    }
  }
  return &*first->volumes->fault;
}

}  // namespace berth::volumes
