// A view's objects as the API server has them, for the plugins that look past promises.
#pragma once

#include <string_view>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"
#include "volumes/objects.h"
#include "volumes/view.h"

namespace berth::volumes {

class ViewObjects final : public Objects {
 public:
  // `view` outlives this; Catalog::now() is one that follows the catalog.
  explicit ViewObjects(const View& view) : view_(view) {}

  const api::PersistentVolumeClaim* find_claim(std::string_view key) const override {
    const ClaimEntry* entry = view_.find_claim(key);
    return entry == nullptr ? nullptr : entry->stored.get();
  }
  const api::PersistentVolume* find_volume(std::string_view name) const override {
    const VolumeEntry* entry = view_.find_volume(name);
    return entry == nullptr ? nullptr : entry->stored.get();
  }
  const api::StorageClass* find_class(std::string_view name) const override {
    const ClassEntry* entry = view_.find_class(name);
    return entry == nullptr ? nullptr : entry->object.get();
  }
  const api::CSIDriver* find_driver(std::string_view name) const override {
    return view_.find_driver(name).get();
  }

 private:
  const View& view_;
};

}  // namespace berth::volumes
