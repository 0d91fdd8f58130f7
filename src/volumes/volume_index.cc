#include "volumes/volume_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "base/assert.h"
#include "volumes/migration.h"
#include "volumes/rules.h"

namespace berth::volumes {
namespace {

// What the matcher would take for a claim it does not name.
bool is_free(const api::PersistentVolume& volume) {
  return !volume.spec.claim_ref && volume.status.phase == "Available" &&
         !volume.metadata.deletion_timestamp;
}

FreeKey free_key_of(const api::PersistentVolume& volume) {
  return {.storage_class = std::string(class_of(volume)),
          .mode = std::string(mode_of(volume.spec.volume_mode)),
          .attributes_class =
              std::string(attributes_class_of(volume.spec.volume_attributes_class_name))};
}

SizeKey size_key_of(const api::PersistentVolume& volume) {
  return {.capacity = capacity_of(volume), .name = volume.metadata.name};
}

void count_modes(FreePlace& place, const api::PersistentVolume& volume, std::uint32_t step) {
  const ModeBits offered = known_modes(volume.spec.access_modes);
  for (std::size_t mode = 0; mode < kAccessModes.size(); ++mode) {
    if ((offered >> mode & 1U) != 0) {
      place.offered[mode] += step;  // wraps around: one less
    }
  }
}

std::string named_claim(const api::PersistentVolume& volume) {
  return claim_key(volume.spec.claim_ref->ns, volume.spec.claim_ref->name);
}

}  // namespace

void VolumeIndex::set(VolumePtr volume) {
  const std::string name = volume->metadata.name;
  VolumeEntryPtr entry = compile(std::move(volume));
  if (const VolumeEntryPtr* found = view_.volumes_.find(name)) {
    const VolumeEntryPtr before = *found;
    unfile(*before);
    forget(*before);  // after compile(): what both have stays
  }
  file(entry);
  view_.volumes_.set(name, std::move(entry));
}

void VolumeIndex::remove(std::string_view name) {
  const VolumeEntryPtr* found = view_.volumes_.find(name);
  if (found == nullptr) {
    return;
  }
  const VolumeEntryPtr before = *found;
  unfile(*before);
  forget(*before);
  view_.volumes_.erase(name);
}

void VolumeIndex::show(std::string_view name, VolumePtr promised, std::vector<std::string> owners) {
  const VolumeEntryPtr* found = view_.volumes_.find(name);
  BERTH_ASSERT(found != nullptr, "a volume is promised while it is known");
  const VolumeEntryPtr before = *found;
  auto entry = std::make_shared<VolumeEntry>(*before);
  entry->promised = std::move(promised);
  entry->owners = std::move(owners);
  unfile(*before);
  file(entry);
  view_.volumes_.set(std::string(name), std::move(entry));
}

VolumeEntryPtr VolumeIndex::compile(VolumePtr volume) {
  auto entry = std::make_shared<VolumeEntry>();
  entry->reach = reaches_.acquire(Reach::of_affinity(volume->spec.node_affinity));
  entry->plugin = plugin_of(*volume);
  if (entry->plugin) {
    auto translated = translated_affinity(*volume);
    if (translated) {
      entry->translated_reach = reaches_.acquire(Reach::of_affinity(*translated));
    } else {
      entry->translation_error = std::move(translated).error();
    }
  }
  entry->stored = std::move(volume);
  return entry;
}

void VolumeIndex::forget(const VolumeEntry& entry) {
  reaches_.release(entry.reach);
  if (entry.plugin && !entry.translation_error) {
    reaches_.release(entry.translated_reach);
  }
}

void VolumeIndex::file(const VolumeEntryPtr& entry) {
  const api::PersistentVolume& volume = *entry->current();
  if (volume.spec.claim_ref) {
    std::vector<VolumeEntryPtr>& naming = view_.naming_.edit(named_claim(volume));
    const auto place = std::ranges::lower_bound(
        naming, volume.metadata.name, {}, [](const VolumeEntryPtr& other) -> const std::string& {
          return other->stored->metadata.name;
        });
    naming.insert(place, entry);
  } else if (is_free(volume)) {
    // By what is stored: a promise is of one claim, and the kind of a volume is not its to change.
    FreePlace& place = view_.free_.edit(free_key_of(*entry->stored)).edit(entry->reach);
    place.volumes.set(size_key_of(volume), entry);
    place.largest = place.volumes.back().key.capacity;
    count_modes(place, volume, 1);
  }
}

void VolumeIndex::unfile(const VolumeEntry& entry) {
  const api::PersistentVolume& volume = *entry.current();
  if (volume.spec.claim_ref) {
    const std::string key = named_claim(volume);
    std::vector<VolumeEntryPtr>& naming = view_.naming_.edit(key);
    std::erase_if(naming, [&entry](const VolumeEntryPtr& other) { return other.get() == &entry; });
    if (naming.empty()) {
      view_.naming_.erase(key);
    }
  } else if (is_free(volume)) {
    const FreeKey key = free_key_of(*entry.stored);
    VolumesByReach& places = view_.free_.edit(key);
    FreePlace& place = places.edit(entry.reach);
    place.volumes.erase(size_key_of(volume));
    if (place.volumes.empty()) {
      places.erase(entry.reach);
    } else {
      place.largest = place.volumes.back().key.capacity;
      count_modes(place, volume, static_cast<std::uint32_t>(-1));
    }
    if (places.empty()) {
      view_.free_.erase(key);
    }
  }
}

}  // namespace berth::volumes
