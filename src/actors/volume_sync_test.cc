#include "actors/volume_sync.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "actors/claim_sync.h"
#include "actors/names.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/volume_sources.h"
#include "volumes/names.h"
#include "volumes/rules.h"
#include "volumes/testing/builders.h"

namespace berth::actors {
namespace {

using volumes::ClaimPtr;
using volumes::testing::pv;
using volumes::testing::pvc;
using volumes::testing::VolumeBuilder;

VolumeDecision sync(const VolumeBuilder& volume, const ClaimPtr& claim = nullptr) {
  return decide(VolumePicture{.volume = *volume, .claim = {.object = claim}});
}
VolumeDecision sync_live(const VolumeBuilder& volume, const ClaimPtr& claim = nullptr) {
  return decide(VolumePicture{.volume = *volume, .claim = {.object = claim, .is_live = true}});
}

bool says(const VolumeDecision& decision, std::string_view text) {
  return decision.write && decision.write->body.find(text) != std::string::npos;
}
bool does_nothing(const VolumeDecision& decision) {
  return !decision.write && decision.events.empty() && !decision.must_look && !decision.wakes_claim;
}

VolumeBuilder claimed() {
  return pv("p").names("c", "claim-c").phase("Bound");
}
VolumeBuilder made() {
  VolumeBuilder volume = claimed();
  volume.note(kProvisionedBy, "sim.berth.dev/x").policy("Delete");
  return volume;
}

TEST(VolumeSync, AVolumeWithoutAClaimIsAvailable) {
  EXPECT_TRUE(says(sync(pv("p").phase("Pending")), R"("phase":"Available")"));
  EXPECT_TRUE(does_nothing(sync(pv("p"))));
}

TEST(VolumeSync, AVolumeThatMeansNoParticularClaimIsAvailable) {
  EXPECT_TRUE(says(sync(pv("p").names("c").phase("Pending")), R"("phase":"Available")"));
}

TEST(VolumeSync, AClaimThatIsStillToBeBoundIsWoken) {
  EXPECT_TRUE(sync(claimed(), pvc("c")).wakes_claim);
}

TEST(VolumeSync, M17_AVolumeOfAnotherModeIsNotBoundAndBothAreTold) {
  const VolumeDecision decision = sync(claimed().volume_mode("Block"), pvc("c"));
  EXPECT_FALSE(decision.wakes_claim);
  ASSERT_EQ(decision.events.size(), 2U);
  EXPECT_EQ(decision.events[0].regarding.kind, "PersistentVolume");
  EXPECT_EQ(decision.events[1].regarding.kind, "PersistentVolumeClaim");
  EXPECT_EQ(decision.events[1].reason, reason::kVolumeMismatch);
}

TEST(VolumeSync, AVolumeWhoseClaimNamesItIsBound) {
  EXPECT_TRUE(
      says(sync(claimed().phase("Available"), pvc("c").bound_to("p")), R"("phase":"Bound")"));
  EXPECT_TRUE(does_nothing(sync(claimed(), pvc("c").bound_to("p"))));
}

TEST(VolumeSync, M12_AClaimThatACacheLacksIsAskedFor) {
  EXPECT_TRUE(sync(claimed()).must_look);
  EXPECT_TRUE(sync_live(claimed(), pvc("c")).wakes_claim);
}

TEST(VolumeSync, M13_AnotherUidIsAskedFor) {
  EXPECT_TRUE(sync(claimed(), pvc("c").uid("older")).must_look);
  EXPECT_TRUE(says(sync_live(claimed(), pvc("c").uid("newer")), R"("phase":"Released")"));
}

TEST(VolumeSync, M14_AVolumeWhoseClaimIsGoneIsReleased) {
  EXPECT_TRUE(says(sync_live(claimed()), R"("phase":"Released")"));
}

TEST(VolumeSync, M14_WhatIsReleasedIsKeptOrLeftToWhoMadeIt) {
  EXPECT_TRUE(does_nothing(sync(claimed().phase("Released").policy("Retain"))));
  EXPECT_TRUE(does_nothing(sync(made().phase("Released"))));
}

TEST(VolumeSync, M14_WhatNobodyCanDeleteHasFailed) {
  const VolumeDecision decision = sync(claimed().phase("Released").policy("Delete"));
  EXPECT_TRUE(says(decision, R"("phase":"Failed")"));
  EXPECT_TRUE(says(decision, "no volume plugin matched\""));
  ASSERT_EQ(decision.events.size(), 1U);
  EXPECT_EQ(decision.events[0].reason, reason::kVolumeFailedDelete);
  EXPECT_TRUE(does_nothing(sync(claimed().phase("Failed").policy("Delete"))));
}

TEST(VolumeSync, ACsiVolumeIsLeftToItsDriver) {
  VolumeBuilder csi = claimed().phase("Released").policy("Delete");
  csi.source({.csi = api::CSIPersistentVolumeSource{.driver = "example.com"}});
  EXPECT_TRUE(does_nothing(sync(csi)));
}

TEST(VolumeSync, APluginThatIsNotThereCannotDelete) {
  VolumeBuilder volume = made().phase("Released");
  volume.note(kProvisionedBy, "kubernetes.io/host-path");
  EXPECT_TRUE(says(sync(volume), "no volume plugin matched name: kubernetes.io/host-path"));
}

TEST(VolumeSync, NothingIsRecycled) {
  EXPECT_TRUE(says(sync(claimed().phase("Released").policy("Recycle")), "No recycler plugin"));
}

TEST(VolumeSync, APolicyThatNobodyKnowsFails) {
  const VolumeDecision decision = sync(claimed().phase("Released").policy("Burn"));
  ASSERT_EQ(decision.events.size(), 1U);
  EXPECT_EQ(decision.events[0].reason, reason::kVolumeUnknownReclaimPolicy);
}

TEST(VolumeSync, AMigratedVolumeIsLeftToItsDriver) {
  VolumeBuilder volume = made().phase("Released");
  volume.note(kProvisionedBy, "kubernetes.io/aws-ebs").note(kMigratedTo, "ebs.csi.aws.com");
  EXPECT_TRUE(does_nothing(sync(volume)));
}

TEST(VolumeSync, AVolumeOfAMigratedPluginGetsTheMark) {
  VolumeBuilder volume = made();
  volume.note(kProvisionedBy, "kubernetes.io/aws-ebs");
  EXPECT_TRUE(says(sync(volume, pvc("c").bound_to("p")),
                   R"("pv.kubernetes.io/migrated-to":"ebs.csi.aws.com")"));
}

TEST(VolumeSync, M10_WhatWeGaveIsTakenBackWhole) {
  VolumeBuilder volume = claimed().note(volumes::kBoundByController, "yes");
  EXPECT_TRUE(sync(volume, pvc("c").bound_to("q")).must_look);
  const VolumeDecision decision = sync_live(volume, pvc("c").bound_to("q"));
  EXPECT_TRUE(says(decision, R"("claimRef":null)"));
  EXPECT_TRUE(says(decision, R"("pv.kubernetes.io/bound-by-controller":null)"));
}

TEST(VolumeSync, M11_WhatTheUserGaveKeepsTheName) {
  const VolumeDecision decision = sync_live(claimed(), pvc("c").bound_to("q"));
  EXPECT_TRUE(says(decision, R"("uid":null)"));
  EXPECT_TRUE(says(decision, R"("name":"c")"));
}

TEST(VolumeSync, AVolumeMadeForAClaimThatGotAnotherIsReleased) {
  EXPECT_TRUE(says(sync_live(made(), pvc("c").bound_to("q")), R"("phase":"Released")"));
  EXPECT_TRUE(does_nothing(sync_live(made().phase("Released"), pvc("c").bound_to("q"))));
}

}  // namespace
}  // namespace berth::actors
