#include "actors/class_rules.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/names.h"
#include "api/objects/meta.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"
#include "volumes/migration.h"
#include "volumes/names.h"
#include "volumes/rules.h"

namespace berth::actors {
namespace {

bool is_true(const std::string* value) {
  return value != nullptr && *value == "true";
}

// Newer first, then by name.
bool goes_before(const ClassPtr& a, const ClassPtr& b) {
  const auto& made_a = a->metadata.creation_timestamp;
  const auto& made_b = b->metadata.creation_timestamp;
  return made_a != made_b ? made_a > made_b : a->metadata.name < b->metadata.name;
}

}  // namespace

bool is_delayed(const api::StorageClass* storage_class) {
  return storage_class != nullptr &&
         storage_class->volume_binding_mode == volumes::kWaitForFirstConsumer;
}

bool is_default(const api::StorageClass& storage_class) {
  return is_true(volumes::find_annotation(storage_class.metadata, kIsDefaultClass)) ||
         is_true(volumes::find_annotation(storage_class.metadata, kBetaIsDefaultClass));
}

ClassPtr default_of(const std::vector<ClassPtr>& classes) {
  ClassPtr best;
  for (const ClassPtr& candidate : classes) {
    if (is_default(*candidate) && (!best || goes_before(candidate, best))) {
      best = candidate;
    }
  }
  return best;
}

bool has_class(const api::PersistentVolumeClaim& claim) {
  return volumes::find_annotation(claim.metadata, volumes::kBetaStorageClass) != nullptr ||
         claim.spec.storage_class_name.has_value();
}

std::optional<std::string_view> find_migrated_driver(std::string_view provisioner) {
  if (const auto plugin = volumes::find_plugin(provisioner)) {
    return volumes::driver_of(*plugin);
  }
  // Those two are none of the scheduler's business, so volumes/ does not know their drivers.
  if (provisioner == "kubernetes.io/azure-file") {
    return "file.csi.azure.com";
  }
  if (provisioner == "kubernetes.io/vsphere-volume") {
    return "csi.vsphere.vmware.com";
  }
  return std::nullopt;
}

Maker maker_of(std::string_view provisioner) {
  if (const auto driver = find_migrated_driver(provisioner)) {
    return {.kind = Maker::Kind::kExternal, .name = std::string(*driver)};
  }
  const bool is_in_tree = provisioner.starts_with(kInTreePrefix);
  return {.kind = is_in_tree ? Maker::Kind::kUnknown : Maker::Kind::kExternal,
          .name = std::string(provisioner)};
}

std::optional<MarkChange> migration_mark(const api::ObjectMeta& metadata,
                                         const std::string* provisioner) {
  if (provisioner == nullptr) {
    return std::nullopt;
  }
  const std::string* mark = volumes::find_annotation(metadata, kMigratedTo);
  const auto driver = find_migrated_driver(*provisioner);
  if (driver && (mark == nullptr || *mark != *driver)) {
    return MarkChange{.value = std::string(*driver)};
  }
  if (!driver && mark != nullptr && !mark->empty()) {
    return MarkChange{};
  }
  return std::nullopt;
}

}  // namespace berth::actors
