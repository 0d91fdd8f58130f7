// In-tree volumes that a CSI driver serves on the node: which, by which driver, and where they can
// be reached from then.
//
// Upstream's translation library changes whole objects; placement depends only on the node
// affinity, the driver and the handle, so that is what is translated here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/box.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/pod_volume.h"
#include "api/objects/storage.h"
#include "base/result.h"

namespace berth::volumes {

// The plugins whose migration the scheduler considers. (Azure File and vSphere are migrated too,
// but not as far as the scheduler is concerned.)
enum class InTreePlugin : std::uint8_t { kAwsEbs, kGcePd, kAzureDisk, kCinder, kPortworx };
inline constexpr std::size_t kInTreePlugins = 5;
inline constexpr std::array<InTreePlugin, kInTreePlugins> kAllInTreePlugins = {
    InTreePlugin::kAwsEbs,
    InTreePlugin::kGcePd,
    InTreePlugin::kAzureDisk,
    InTreePlugin::kCinder,
    InTreePlugin::kPortworx};

// "kubernetes.io/aws-ebs" and "ebs.csi.aws.com".
std::string_view name_of(InTreePlugin plugin);
std::string_view driver_of(InTreePlugin plugin);
std::optional<InTreePlugin> find_plugin(std::string_view name);

// Nothing for CSI volumes and for sources that are not migrated.
std::optional<InTreePlugin> plugin_of(const api::PersistentVolume& volume);
std::optional<InTreePlugin> plugin_of(const api::Volume& inline_volume);

// The wider circle: whatever could be translated, which counts when nobody asks whether the
// scheduler considers the migration. "kubernetes.io/azure-file" and "kubernetes.io/vsphere-volume"
// belong to it besides the five.
bool is_translatable(std::string_view plugin_name);
// The driver an inline volume would have; nothing when it is of no such kind.
std::optional<std::string_view> find_inline_driver(const api::Volume& inline_volume);

// Whether the node's annotation lists exactly this plugin.
bool is_migrated_on(const api::CSINode& csi_node, InTreePlugin plugin);

// The node affinity the volume has as a CSI volume; absent where it has none. `volume` has a
// plugin. The error is what follows "could not translate pv: ".
Result<api::Box<api::VolumeNodeAffinity>> translated_affinity(const api::PersistentVolume& volume);

// The handle under which the driver knows the volume; as above. Inline volumes of a pod are
// identified the same way. Both are pure: neither the node nor its annotation is asked.
Result<std::string> translated_handle(const api::PersistentVolume& volume);
Result<std::string> translated_handle(const api::Volume& inline_volume);

}  // namespace berth::volumes
