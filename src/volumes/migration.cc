#include "volumes/migration.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/box.h"
#include "api/members.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/pod_volume.h"
#include "api/objects/storage.h"
#include "api/objects/volume_sources.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/csi_topology.h"
#include "volumes/ebs_id.h"
#include "volumes/names.h"
#include "volumes/rules.h"
#include "volumes/split.h"

namespace berth::volumes {
namespace {

struct PluginFacts {
  std::string_view name;
  std::string_view driver;
  std::string_view topology_key;  // empty: topology is left alone
};

// By the number of InTreePlugin.
constexpr std::array<PluginFacts, kInTreePlugins> kFacts = {{
    {.name = "kubernetes.io/aws-ebs",
     .driver = "ebs.csi.aws.com",
     .topology_key = "topology.ebs.csi.aws.com/zone"},
    {.name = "kubernetes.io/gce-pd",
     .driver = "pd.csi.storage.gke.io",
     .topology_key = "topology.gke.io/zone"},
    {.name = "kubernetes.io/azure-disk", .driver = "disk.csi.azure.com", .topology_key = ""},
    {.name = "kubernetes.io/cinder",
     .driver = "cinder.csi.openstack.org",
     .topology_key = "topology.cinder.csi.openstack.org/zone"},
    {.name = "kubernetes.io/portworx-volume", .driver = "pxd.portworx.com", .topology_key = ""},
}};

const PluginFacts& facts_of(InTreePlugin plugin) {
  return kFacts[static_cast<std::size_t>(plugin)];
}

constexpr std::string_view kUnspecified = "UNSPECIFIED";
constexpr std::string_view kManaged = "Managed";

template <typename Source>
std::optional<InTreePlugin> plugin_of_source(const Source& source) {
  if (source.aws_elastic_block_store) {
    return InTreePlugin::kAwsEbs;
  }
  if (source.gce_persistent_disk) {
    return InTreePlugin::kGcePd;
  }
  if (source.azure_disk) {
    return InTreePlugin::kAzureDisk;
  }
  if (source.cinder) {
    return InTreePlugin::kCinder;
  }
  if (source.portworx_volume) {
    return InTreePlugin::kPortworx;
  }
  return std::nullopt;
}

// The region of "locale-region-zone" names; they must have one in common.
Result<std::string> region_of(const std::vector<std::string_view>& zones) {
  std::set<std::string> regions;
  for (const std::string_view zone : zones) {
    const std::vector<std::string_view> parts = split(zone, "-");
    if (parts.size() != 3) {
      return Error(ErrorCode::kInvalid,
                   fmt::format("zone in unexpected format, expected: "
                               "{{locale}}-{{region}}-{{zone}}, got: {}",
                               zone));
    }
    regions.insert(fmt::format("{}-{}", parts[0], parts[1]));
  }
  if (regions.size() == 1) {
    return *regions.begin();
  }
  std::string listed;
  for (const std::string& region : regions) {
    listed += (listed.empty() ? "" : " ") + region + ":{}";
  }
  return Error(ErrorCode::kInvalid,
               fmt::format("multiple or no regions gotten from zones, got: map[{}]", listed));
}

std::string zonal_disk(std::string_view zone, std::string_view name) {
  return fmt::format("projects/{}/zones/{}/disks/{}", kUnspecified, zone, name);
}

// The zones a disk is in stand in its labels; here the beta label goes first, unlike in topology.
Result<std::string> gce_handle(const api::PersistentVolume& volume) {
  const std::string& name = volume.spec.source.gce_persistent_disk->pd_name;
  const api::StringMap& labels = volume.metadata.labels;
  auto label = labels.find(kBetaZone);
  if (label == labels.end() || label->second.empty()) {
    label = labels.find(kZone);
  }
  if (label == labels.end() || label->second.empty()) {
    return zonal_disk(kUnspecified, name);
  }
  const std::vector<std::string_view> zones = split(label->second, kZoneSeparator);
  if (zones.size() == 1) {
    return zonal_disk(zones.front(), name);
  }
  Result<std::string> region = region_of(zones);
  if (!region) {
    return std::move(region).error().in("failed to get region from zones");
  }
  return fmt::format("projects/{}/regions/{}/disks/{}", kUnspecified, *region, name);
}

Result<std::string> ebs_handle(const api::AWSElasticBlockStoreVolumeSource& source) {
  Result<std::string> id = ebs_id(source.volume_id);
  if (!id) {
    // No colon between the two: that is how the text is known.
    return Error(ErrorCode::kInvalid,
                 "failed to translate Kubernetes ID to EBS Volume ID " + id.error().text());
  }
  return id;
}

Result<std::string> azure_disk_handle(const api::AzureDiskVolumeSource& source) {
  if (source.kind && *source.kind != kManaged) {
    return Error(ErrorCode::kInvalid,
                 fmt::format("kind({}) is not supported in csi migration", *source.kind));
  }
  return source.disk_uri;
}

}  // namespace

std::string_view name_of(InTreePlugin plugin) {
  return facts_of(plugin).name;
}

std::string_view driver_of(InTreePlugin plugin) {
  return facts_of(plugin).driver;
}

std::optional<InTreePlugin> find_plugin(std::string_view name) {
  for (const InTreePlugin plugin : kAllInTreePlugins) {
    if (name_of(plugin) == name) {
      return plugin;
    }
  }
  return std::nullopt;
}

std::optional<InTreePlugin> plugin_of(const api::PersistentVolume& volume) {
  return volume.spec.source.csi ? std::nullopt : plugin_of_source(volume.spec.source);
}

std::optional<InTreePlugin> plugin_of(const api::Volume& inline_volume) {
  return plugin_of_source(inline_volume.source);
}

bool is_translatable(std::string_view plugin_name) {
  return find_plugin(plugin_name) || plugin_name == "kubernetes.io/azure-file" ||
         plugin_name == "kubernetes.io/vsphere-volume";
}

std::optional<std::string_view> find_inline_driver(const api::Volume& inline_volume) {
  if (const std::optional<InTreePlugin> plugin = plugin_of(inline_volume)) {
    return driver_of(*plugin);
  }
  if (inline_volume.source.azure_file) {
    return "file.csi.azure.com";
  }
  if (inline_volume.source.vsphere_volume) {
    return "csi.vsphere.vmware.com";
  }
  return std::nullopt;
}

bool is_migrated_on(const api::CSINode& csi_node, InTreePlugin plugin) {
  const std::string* list = find_annotation(csi_node.metadata, kMigratedPlugins);
  if (list == nullptr) {
    return false;
  }
  for (const std::string_view name : split(*list, ",")) {
    if (name == name_of(plugin)) {
      return true;
    }
  }
  return false;
}

Result<api::Box<api::VolumeNodeAffinity>> translated_affinity(const api::PersistentVolume& volume) {
  const std::optional<InTreePlugin> plugin = plugin_of(volume);
  // A volume whose handle cannot be translated is not translated at all.
  if (const Result<std::string> handle = translated_handle(volume); !handle) {
    return handle.error();
  }
  api::Box<api::VolumeNodeAffinity> affinity = volume.spec.node_affinity;
  if (plugin && !facts_of(*plugin).topology_key.empty()) {
    translate_topology(volume.metadata.labels, facts_of(*plugin).topology_key, affinity);
  }
  return affinity;
}

Result<std::string> translated_handle(const api::PersistentVolume& volume) {
  const api::PersistentVolumeSource& source = volume.spec.source;
  const std::optional<InTreePlugin> plugin = plugin_of(volume);
  if (!plugin) {
    return source.csi ? source.csi->volume_handle : std::string();
  }
  switch (*plugin) {
    case InTreePlugin::kAwsEbs:
      return ebs_handle(*source.aws_elastic_block_store);
    case InTreePlugin::kGcePd:
      return gce_handle(volume);
    case InTreePlugin::kAzureDisk:
      return azure_disk_handle(*source.azure_disk);
    case InTreePlugin::kCinder:
      return source.cinder->volume_id;
    case InTreePlugin::kPortworx:
      return source.portworx_volume->volume_id;
  }
  return std::string();
}

Result<std::string> translated_handle(const api::Volume& inline_volume) {
  const api::VolumeSource& source = inline_volume.source;
  const std::optional<InTreePlugin> plugin = plugin_of(inline_volume);
  if (!plugin) {
    return std::string();
  }
  switch (*plugin) {
    case InTreePlugin::kAwsEbs:
      return ebs_handle(*source.aws_elastic_block_store);
    case InTreePlugin::kGcePd:
      return zonal_disk(kUnspecified, source.gce_persistent_disk->pd_name);
    case InTreePlugin::kAzureDisk:
      return azure_disk_handle(*source.azure_disk);
    case InTreePlugin::kCinder:
      return source.cinder->volume_id;
    case InTreePlugin::kPortworx:
      return source.portworx_volume->volume_id;
  }
  return std::string();
}

}  // namespace berth::volumes
