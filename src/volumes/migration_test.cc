#include "volumes/migration.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/box.h"
#include "api/objects/affinity.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/pod_volume.h"
#include "api/objects/storage.h"
#include "api/objects/volume_sources.h"
#include "base/result.h"
#include "volumes/names.h"

namespace berth::volumes {
namespace {

using Affinity = api::Box<api::VolumeNodeAffinity>;
using Expression = api::NodeSelectorRequirement;

api::PersistentVolume gce_volume() {
  api::PersistentVolume volume;
  volume.metadata.name = "pv";
  volume.spec.source.gce_persistent_disk = api::GCEPersistentDiskVolumeSource{.pd_name = "disk"};
  return volume;
}

api::PersistentVolume ebs_volume(std::string id = "vol-1") {
  api::PersistentVolume volume;
  volume.metadata.name = "pv";
  volume.spec.source.aws_elastic_block_store =
      api::AWSElasticBlockStoreVolumeSource{.volume_id = std::move(id)};
  return volume;
}

api::PersistentVolume azure_volume(std::optional<std::string> kind) {
  api::PersistentVolume volume;
  volume.spec.source.azure_disk =
      api::AzureDiskVolumeSource{.disk_uri = "/subscriptions/x/d", .kind = std::move(kind)};
  return volume;
}

// One term for each list of expressions.
Affinity terms(std::vector<std::vector<Expression>> lists) {
  api::VolumeNodeAffinity affinity;
  api::NodeSelector& selector = affinity.required.emplace();
  for (std::vector<Expression>& list : lists) {
    selector.node_selector_terms.push_back({.match_expressions = std::move(list)});
  }
  return affinity;
}

Expression in(std::string_view key, std::vector<std::string> values) {
  return {.key = std::string(key), .op = "In", .values = std::move(values)};
}

void expect_affinity(const api::PersistentVolume& volume, const Affinity& expected) {
  const Result<Affinity> affinity = translated_affinity(volume);
  ASSERT_TRUE(affinity) << affinity.error().text();
  EXPECT_TRUE(*affinity == expected);
}

void expect_error(const api::PersistentVolume& volume, std::string_view text) {
  const Result<Affinity> affinity = translated_affinity(volume);
  ASSERT_FALSE(affinity);
  EXPECT_EQ(affinity.error().text(), text);
  const Result<std::string> handle = translated_handle(volume);
  ASSERT_FALSE(handle);
  EXPECT_EQ(handle.error().text(), text);
}

std::string handle_of(const api::PersistentVolume& volume) {
  const Result<std::string> handle = translated_handle(volume);
  return handle ? *handle : "error: " + handle.error().text();
}

std::string handle_of(const api::Volume& volume) {
  const Result<std::string> handle = translated_handle(volume);
  return handle ? *handle : "error: " + handle.error().text();
}

constexpr std::string_view kGceZone = "topology.gke.io/zone";
constexpr std::string_view kEbsZone = "topology.ebs.csi.aws.com/zone";

// 11.B B19, B20; 11.H H27, H29, H30: same zone and other zone differ only in the node.
TEST(Migration, BetaZoneLabelBecomesTheDriversTopology) {
  api::PersistentVolume volume = gce_volume();
  volume.metadata.labels[std::string(kBetaZone)] = "us-west1-a";
  expect_affinity(volume, terms({{in(kGceZone, {"us-west1-a"})}}));
}

// 11.B B21, B22, B24; 11.H H28
TEST(Migration, ANodeMigratesExactlyWhatItsAnnotationLists) {
  api::CSINode node;
  EXPECT_FALSE(is_migrated_on(node, InTreePlugin::kGcePd));
  std::string& list = node.metadata.annotations[std::string(kMigratedPlugins)];
  list = "kubernetes.io/aws-ebs,kubernetes.io/gce-pd";
  EXPECT_TRUE(is_migrated_on(node, InTreePlugin::kGcePd));
  EXPECT_TRUE(is_migrated_on(node, InTreePlugin::kAwsEbs));
  EXPECT_FALSE(is_migrated_on(node, InTreePlugin::kCinder));
  list = "a, kubernetes.io/gce-pd";
  EXPECT_FALSE(is_migrated_on(node, InTreePlugin::kGcePd));
  list = "";
  EXPECT_FALSE(is_migrated_on(node, InTreePlugin::kGcePd));
}

// 11.B B23
TEST(Migration, OtherSourcesHaveNoPlugin) {
  api::PersistentVolume volume;
  EXPECT_FALSE(plugin_of(volume));
  volume.spec.source.rbd.emplace();
  EXPECT_FALSE(plugin_of(volume));
  volume.spec.source = {};
  volume.spec.source.azure_file.emplace();
  EXPECT_FALSE(plugin_of(volume));
  volume.spec.source = {};
  volume.spec.source.vsphere_volume.emplace();
  EXPECT_FALSE(plugin_of(volume));
  volume.spec.source = {};
  volume.spec.source.csi.emplace();
  EXPECT_FALSE(plugin_of(volume));
}

// 11.B B25
TEST(Migration, MalformedAwsIdIsAnError) {
  expect_error(ebs_volume("aws://bad"),
               "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume "
               "(aws://bad)");
}

TEST(Migration, AzureDisksMustBeManaged) {
  expect_error(azure_volume("Dedicated"), "kind(Dedicated) is not supported in csi migration");
  EXPECT_EQ(handle_of(azure_volume("Managed")), "/subscriptions/x/d");
  EXPECT_EQ(handle_of(azure_volume(std::nullopt)), "/subscriptions/x/d");
}

TEST(Migration, ZonesOfARegionalDiskMustAgreeAboutTheRegion) {
  api::PersistentVolume volume = gce_volume();
  volume.metadata.labels[std::string(kZone)] = "us-west1-a__eu-north1-b";
  expect_error(volume,
               "failed to get region from zones: multiple or no regions gotten from zones, got: "
               "map[eu-north1:{} us-west1:{}]");
  volume.metadata.labels[std::string(kZone)] = "us-west1-a__badzone";
  expect_error(volume,
               "failed to get region from zones: zone in unexpected format, expected: "
               "{locale}-{region}-{zone}, got: badzone");
}

// 11.B B26
TEST(Migration, ZoneKeysOfTheAffinityAreRenamedInAllTerms) {
  api::PersistentVolume volume = ebs_volume();
  volume.metadata.labels[std::string(kZone)] = "elsewhere";
  volume.spec.node_affinity = terms({{in(kZone, {"a"}), in("disk", {"ssd"})}, {in(kZone, {"b"})}});
  expect_affinity(volume,
                  terms({{in(kEbsZone, {"a"}), in("disk", {"ssd"})}, {in(kEbsZone, {"b"})}}));
}

// 11.B B27
TEST(Migration, ALabelOfSeveralZonesReachesEachOnce) {
  api::PersistentVolume volume = ebs_volume();
  volume.metadata.labels[std::string(kZone)] = "b__a__ b ____";
  expect_affinity(volume, terms({{in(kEbsZone, {"a", "b"})}}));
}

TEST(Migration, ALabelConfinesEveryExistingTerm) {
  api::PersistentVolume volume = ebs_volume();
  volume.metadata.labels[std::string(kZone)] = "a";
  volume.spec.node_affinity = terms({{in("disk", {"ssd"})}, {}});
  expect_affinity(volume,
                  terms({{in("disk", {"ssd"}), in(kEbsZone, {"a"})}, {in(kEbsZone, {"a"})}}));
}

TEST(Migration, ALabelGivesATermToAnAffinityWithoutTerms) {
  api::PersistentVolume volume = ebs_volume();
  volume.metadata.labels[std::string(kZone)] = "a";
  volume.spec.node_affinity = terms({});
  expect_affinity(volume, terms({{in(kEbsZone, {"a"})}}));
}

TEST(Migration, AnEmptyLabelConfinesNothing) {
  api::PersistentVolume volume = ebs_volume();
  volume.metadata.labels[std::string(kZone)] = "";
  expect_affinity(volume, Affinity());
}

TEST(Migration, BetaRegionIsRenamedTogetherWithBetaZone) {
  api::PersistentVolume volume = ebs_volume();
  volume.spec.node_affinity = terms({{in(kBetaZone, {"a"}), in(kBetaRegion, {"r"})}});
  expect_affinity(volume, terms({{in(kEbsZone, {"a"}), in(kRegion, {"r"})}}));
}

TEST(Migration, TheGeneralZoneKeyInTheAffinityWinsOverTheBetaOne) {
  api::PersistentVolume volume = ebs_volume();
  volume.spec.node_affinity =
      terms({{in(kBetaZone, {"a"}), in(kBetaRegion, {"r"})}, {in(kZone, {"b"})}});
  expect_affinity(volume,
                  terms({{in(kBetaZone, {"a"}), in(kBetaRegion, {"r"})}, {in(kEbsZone, {"b"})}}));
}

TEST(Migration, AZoneKeyWithoutValuesLeavesTheLabelToDecide) {
  api::PersistentVolume volume = ebs_volume();
  volume.metadata.labels[std::string(kZone)] = "a";
  const Expression exists{.key = std::string(kZone), .op = "Exists", .values = {}};
  volume.spec.node_affinity = terms({{exists}});
  expect_affinity(volume, terms({{exists, in(kEbsZone, {"a"})}}));
}

TEST(Migration, AzureAndPortworxKeepTheirTopology) {
  api::PersistentVolume azure = azure_volume("Managed");
  azure.metadata.labels[std::string(kZone)] = "a";
  expect_affinity(azure, Affinity());
  api::PersistentVolume portworx;
  portworx.spec.source.portworx_volume = api::PortworxVolumeSource{.volume_id = "px"};
  portworx.spec.node_affinity = terms({{in(kZone, {"a"})}});
  expect_affinity(portworx, portworx.spec.node_affinity);
  EXPECT_EQ(handle_of(portworx), "px");
}

TEST(Migration, GceHandlesFollowTheZoneLabels) {
  api::PersistentVolume volume = gce_volume();
  EXPECT_EQ(handle_of(volume), "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk");
  volume.metadata.labels[std::string(kZone)] = "us-west1-a";
  EXPECT_EQ(handle_of(volume), "projects/UNSPECIFIED/zones/us-west1-a/disks/disk");
  volume.metadata.labels[std::string(kBetaZone)] = "us-west1-a__us-west1-b";
  EXPECT_EQ(handle_of(volume), "projects/UNSPECIFIED/regions/us-west1/disks/disk");
}

TEST(Migration, EbsHandlesAreTheIdItself) {
  EXPECT_EQ(handle_of(ebs_volume("vol-1")), "vol-1");
  EXPECT_EQ(handle_of(ebs_volume("aws:///vol-1")), "vol-1");
  EXPECT_EQ(handle_of(ebs_volume("aws://us-east-1a/vol-1")), "vol-1");
  EXPECT_EQ(handle_of(ebs_volume("aws://us-east-1a/vol-1/?x#y")), "vol-1");
  EXPECT_EQ(handle_of(ebs_volume("aws://us-east-1a/vol%2d1")), "vol-1");
  EXPECT_EQ(handle_of(ebs_volume("anything")), "anything");
}

TEST(Migration, EbsIdsThatAreNoUrlHaveGosTexts) {
  const std::string start = "error: failed to translate Kubernetes ID to EBS Volume ID ";
  EXPECT_EQ(handle_of(ebs_volume("aws://z/vol%zz")),
            start +
                "Invalid disk name (aws://z/vol%zz): parse \"aws://z/vol%zz\": invalid URL "
                "escape \"%zz\"");
  EXPECT_EQ(handle_of(ebs_volume("aws://z/vol-%2")),
            start +
                "Invalid disk name (aws://z/vol-%2): parse \"aws://z/vol-%2\": invalid URL "
                "escape \"%2\"");
  EXPECT_EQ(handle_of(ebs_volume("aws://z:p/vol-1")),
            start +
                "Invalid disk name (aws://z:p/vol-1): parse \"aws://z:p/vol-1\": invalid port "
                "\":p\" after host");
  EXPECT_EQ(handle_of(ebs_volume("aws://a b/vol-1")),
            start +
                "Invalid disk name (aws://a b/vol-1): parse \"aws://a b/vol-1\": invalid "
                "character \" \" in host name");
  EXPECT_EQ(handle_of(ebs_volume("aws://z/vol-\n")),
            start +
                "Invalid disk name (aws://z/vol-\n): parse \"aws://z/vol-\\n\": net/url: "
                "invalid control character in URL");
  EXPECT_EQ(handle_of(ebs_volume("aws://z/a/vol-1")),
            start + "Invalid format for AWS volume (aws://z/a/vol-1)");
}

TEST(Migration, InlineVolumesHaveThePluginsHandles) {
  api::Volume volume;
  EXPECT_EQ(handle_of(volume), "");
  volume.source.gce_persistent_disk = api::GCEPersistentDiskVolumeSource{.pd_name = "disk"};
  EXPECT_EQ(handle_of(volume), "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk");
  volume.source = {};
  volume.source.aws_elastic_block_store =
      api::AWSElasticBlockStoreVolumeSource{.volume_id = "aws://z/vol-1"};
  EXPECT_EQ(handle_of(volume), "vol-1");
  volume.source = {};
  volume.source.cinder = api::CinderVolumeSource{.volume_id = "c"};
  EXPECT_EQ(handle_of(volume), "c");
  volume.source = {};
  volume.source.azure_disk = api::AzureDiskVolumeSource{.disk_uri = "/d"};
  EXPECT_EQ(handle_of(volume), "/d");
  volume.source = {};
  volume.source.portworx_volume = api::PortworxVolumeSource{.volume_id = "px"};
  EXPECT_EQ(handle_of(volume), "px");
}

TEST(Migration, PluginsAreFoundByNameAndHaveDrivers) {
  for (const InTreePlugin plugin : kAllInTreePlugins) {
    EXPECT_EQ(find_plugin(name_of(plugin)), plugin);
    EXPECT_TRUE(is_translatable(name_of(plugin)));
    EXPECT_FALSE(driver_of(plugin).empty());
  }
  EXPECT_FALSE(find_plugin("kubernetes.io/azure-file"));
  EXPECT_TRUE(is_translatable("kubernetes.io/azure-file"));
  EXPECT_TRUE(is_translatable("kubernetes.io/vsphere-volume"));
  EXPECT_FALSE(is_translatable("kubernetes.io/rbd"));
}

TEST(Migration, InlineDriversAreThoseOfTheWiderCircle) {
  api::Volume volume;
  EXPECT_FALSE(find_inline_driver(volume));
  volume.source.azure_file.emplace();
  EXPECT_EQ(find_inline_driver(volume), "file.csi.azure.com");
  volume.source = {};
  volume.source.vsphere_volume.emplace();
  EXPECT_EQ(find_inline_driver(volume), "csi.vsphere.vmware.com");
  volume.source = {};
  volume.source.cinder.emplace();
  EXPECT_EQ(find_inline_driver(volume), "cinder.csi.openstack.org");
}

}  // namespace
}  // namespace berth::volumes
