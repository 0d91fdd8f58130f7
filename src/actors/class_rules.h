// What a StorageClass means to the PV controller: when its claims are bound, which one is the
// default, and who makes its volumes. Pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/meta.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"

namespace berth::actors {

using ClassPtr = std::shared_ptr<const api::StorageClass>;

// The claim waits for its first consumer. A class that is not there waits for nobody.
bool is_delayed(const api::StorageClass* storage_class);

bool is_default(const api::StorageClass& storage_class);
// The newest of those that say they are the default, the first by name of equally old ones; nullptr
// without any.
ClassPtr default_of(const std::vector<ClassPtr>& classes);

// The user said something about the class, even if it was "none".
bool has_class(const api::PersistentVolumeClaim& claim);

// Who makes the volumes of a class.
struct Maker {
  enum class Kind : std::uint8_t {
    kExternal,  // a program beside Kubernetes, which is asked by annotation
    kUnknown,   // a name of Kubernetes' own that it does not know: nobody
  };
  Kind kind = Kind::kExternal;
  // By which a program is asked: the CSI driver's for plugins that were once in Kubernetes.
  std::string name;
};
Maker maker_of(std::string_view provisioner);

// The driver of a plugin that was once in Kubernetes; nothing for all others.
std::optional<std::string_view> find_migrated_driver(std::string_view provisioner);

// Whether the mark of a migrated plugin is to be changed. `provisioner` is who is recorded on the
// object; nullptr when nobody is.
struct MarkChange {
  std::optional<std::string> value;  // nothing: the mark goes

  bool operator==(const MarkChange&) const = default;
};
std::optional<MarkChange> migration_mark(const api::ObjectMeta& metadata,
                                         const std::string* provisioner);

}  // namespace berth::actors
