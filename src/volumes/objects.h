// The objects behind a pod's volumes, by name. The plugins beside VolumeBinding look at what the
// API server said last, without promises; what answers may be a view, a catalog or a test's few
// objects.
#pragma once

#include <string>
#include <string_view>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"

namespace berth::volumes {

class Objects {
 public:
  Objects() = default;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  virtual ~Objects() = default;

  // Null where there is none; valid until the objects change. Claims go by claim_key().
  virtual const api::PersistentVolumeClaim* find_claim(std::string_view key) const = 0;
  virtual const api::PersistentVolume* find_volume(std::string_view name) const = 0;
  virtual const api::StorageClass* find_class(std::string_view name) const = 0;
  virtual const api::CSIDriver* find_driver(std::string_view name) const = 0;
};

// In the words of Kubernetes' listers.
std::string claim_not_found_text(std::string_view name);
std::string volume_not_found_text(std::string_view name);
std::string class_not_found_text(std::string_view name);

}  // namespace berth::volumes
