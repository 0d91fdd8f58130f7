#include "volumes/latest_objects.h"

#include <map>
#include <string>
#include <utility>

#include "volumes/rules.h"
#include "volumes/versions.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

template <typename Pointer>
Pointer newer(const std::map<std::string, Pointer>& noted,
              const std::string& key,
              const Pointer& stored) {
  const auto found = noted.find(key);
  if (found == noted.end()) {
    return stored;
  }
  if (stored == nullptr) {
    return found->second;
  }
  return is_newer(stored->metadata.resource_version, found->second->metadata.resource_version)
             ? stored
             : found->second;
}

}  // namespace

void LatestObjects::note(VolumePtr volume) {
  std::string name = volume->metadata.name;
  volumes_.insert_or_assign(std::move(name), std::move(volume));
}

void LatestObjects::note(ClaimPtr claim) {
  std::string key = claim_key(*claim);
  claims_.insert_or_assign(std::move(key), std::move(claim));
}

VolumePtr LatestObjects::volume(const std::string& name, const View& view) const {
  const VolumeEntry* entry = view.find_volume(name);
  return newer(volumes_, name, entry != nullptr ? entry->stored : nullptr);
}

ClaimPtr LatestObjects::claim(const std::string& key, const View& view) const {
  const ClaimEntry* entry = view.find_claim(key);
  return newer(claims_, key, entry != nullptr ? entry->stored : nullptr);
}

}  // namespace berth::volumes
