#include "actors/class_rules.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "actors/names.h"
#include "api/objects/storage.h"
#include "api/time.h"
#include "volumes/names.h"
#include "volumes/testing/builders.h"

namespace berth::actors {
namespace {

using volumes::testing::pv;
using volumes::testing::pvc;
using volumes::testing::storage_class;

ClassPtr default_class(std::string_view name, int second) {
  api::StorageClass made = *storage_class(name).note(kIsDefaultClass, "true");
  made.metadata.creation_timestamp = api::Time{std::chrono::seconds(second)};
  return std::make_shared<const api::StorageClass>(made);
}

TEST(ClassRules, AClassThatIsNotThereWaitsForNobody) {
  EXPECT_FALSE(is_delayed(nullptr));
  EXPECT_TRUE(is_delayed(&*storage_class("a")));
  EXPECT_FALSE(is_delayed(&*storage_class("a").immediate()));
  EXPECT_FALSE(is_delayed(&*storage_class("a").without_mode()));
}

TEST(ClassRules, M18_TheNewestDefaultIsTheDefault) {
  EXPECT_EQ(default_of({storage_class("a")}), nullptr);
  EXPECT_EQ(default_of({default_class("a", 1), default_class("b", 2)})->metadata.name, "b");
  EXPECT_EQ(default_of({default_class("b", 1), default_class("a", 1)})->metadata.name, "a");
  EXPECT_TRUE(is_default(*storage_class("a").note(kBetaIsDefaultClass, "true")));
  EXPECT_FALSE(is_default(*storage_class("a").note(kIsDefaultClass, "yes")));
}

TEST(ClassRules, AnEmptyClassIsAClass) {
  EXPECT_FALSE(has_class(*pvc("c")));
  EXPECT_TRUE(has_class(*pvc("c").of("")));
  EXPECT_TRUE(has_class(*pvc("c").note(volumes::kBetaStorageClass, "")));
}

TEST(ClassRules, M06_AllSevenMigratedPluginsHaveDrivers) {
  EXPECT_EQ(maker_of("kubernetes.io/aws-ebs").name, "ebs.csi.aws.com");
  EXPECT_EQ(maker_of("kubernetes.io/gce-pd").name, "pd.csi.storage.gke.io");
  EXPECT_EQ(maker_of("kubernetes.io/cinder").name, "cinder.csi.openstack.org");
  EXPECT_EQ(maker_of("kubernetes.io/azure-disk").name, "disk.csi.azure.com");
  EXPECT_EQ(maker_of("kubernetes.io/azure-file").name, "file.csi.azure.com");
  EXPECT_EQ(maker_of("kubernetes.io/vsphere-volume").name, "csi.vsphere.vmware.com");
  EXPECT_EQ(maker_of("kubernetes.io/portworx-volume").name, "pxd.portworx.com");
  EXPECT_EQ(maker_of("kubernetes.io/portworx-volume").kind, Maker::Kind::kExternal);
}

TEST(ClassRules, OtherNamesOfKubernetesAreNobody) {
  EXPECT_EQ(maker_of(volumes::kNoProvisioner).kind, Maker::Kind::kUnknown);
  EXPECT_EQ(maker_of("example.com/x").kind, Maker::Kind::kExternal);
}

TEST(ClassRules, TheMarkOfAMigrationFollowsTheMaker) {
  const std::string plugin = "kubernetes.io/aws-ebs";
  const std::string driver = "ebs.csi.aws.com";
  EXPECT_EQ(migration_mark(pv("p")->metadata, nullptr), std::nullopt);
  EXPECT_EQ(migration_mark(pv("p")->metadata, &plugin), MarkChange{.value = driver});
  EXPECT_EQ(migration_mark(pv("p").note(kMigratedTo, driver)->metadata, &plugin), std::nullopt);
  EXPECT_EQ(migration_mark(pv("p").note(kMigratedTo, driver)->metadata, &driver), MarkChange{});
}

}  // namespace
}  // namespace berth::actors
