#include "actors/claim_sync.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "actors/class_rules.h"
#include "actors/names.h"
#include "api/objects/storage.h"
#include "kube/client.h"
#include "volumes/names.h"
#include "volumes/rules.h"
#include "volumes/testing/builders.h"

namespace berth::actors {
namespace {

using volumes::VolumePtr;
using volumes::testing::ClaimBuilder;
using volumes::testing::ClassBuilder;
using volumes::testing::pv;
using volumes::testing::pvc;
using volumes::testing::storage_class;

// What the controller knows, and what it makes of it.
class ClaimSync : public testing::Test {
 protected:
  ClaimDecision sync(const ClaimBuilder& claim) {
    const api::StorageClass* of = nullptr;
    for (const ClassBuilder& known : classes_) {
      of = known->metadata.name == volumes::class_of(*claim) ? &*known : of;
    }
    ClaimPicture picture{.claim = *claim,
                         .candidates = {.pointing = pointing_, .free = free_},
                         .named = {.object = named_, .is_live = is_live_},
                         .storage_class = of,
                         .default_class = default_ ? &**default_ : nullptr,
                         .waiting_pods = pods_};
    return decide(picture);
  }
  static std::string reason_of(const ClaimDecision& decision) {
    return decision.events.size() == 1 ? decision.events[0].reason : "";
  }
  static std::string note_of(const ClaimDecision& decision) {
    return decision.events.size() == 1 ? decision.events[0].note : "";
  }
  static std::string body_of(const ClaimDecision& decision) {
    return decision.write ? decision.write->body : "";
  }
  static std::string bound_to(const ClaimDecision& decision) {
    return decision.bind ? decision.bind->metadata.name : "";
  }

  std::vector<ClassBuilder> classes_ = {
      storage_class("wait"),
      storage_class("wait-prov").provisioner("sim.berth.dev/x"),
      storage_class("imm").provisioner("sim.berth.dev/x").immediate(),
      storage_class("aws").provisioner("kubernetes.io/aws-ebs").immediate(),
      storage_class("static").immediate()};
  std::vector<VolumePtr> pointing_;
  std::vector<VolumePtr> free_;
  VolumePtr named_;
  bool is_live_ = false;
  std::optional<ClassBuilder> default_;
  std::vector<std::string> pods_;
};

TEST_F(ClaimSync, M01_AClaimThatWaitsForItsConsumerIsLeftAlone) {
  free_ = {pv("p").of("wait")};
  const ClaimDecision decision = sync(pvc("c").of("wait"));
  EXPECT_EQ(bound_to(decision), "");
  EXPECT_FALSE(decision.write);
  EXPECT_EQ(reason_of(decision), reason::kWaitForFirstConsumer);
  EXPECT_EQ(note_of(decision), "waiting for first consumer to be created before binding");
}

TEST_F(ClaimSync, M21_PodsThatWaitWithItAreNamed) {
  pods_ = {"a"};
  EXPECT_EQ(note_of(sync(pvc("c").of("wait"))), "waiting for pod a to be scheduled");
  pods_ = {"a", "b"};
  const ClaimDecision decision = sync(pvc("c").of("wait"));
  EXPECT_EQ(reason_of(decision), reason::kWaitForPodScheduled);
  EXPECT_EQ(note_of(decision), "waiting for pods a,b to be scheduled");
}

TEST_F(ClaimSync, M02_AVolumeThatNamesTheClaimIsIts) {
  pointing_ = {pv("p").of("wait").names("c")};
  EXPECT_EQ(bound_to(sync(pvc("c").of("wait"))), "p");
}

TEST_F(ClaimSync, M03_AVolumeTheSchedulerPointedAtTheClaimIsIts) {
  pointing_ = {pv("p").of("wait").names("c", "claim-c")};
  EXPECT_EQ(bound_to(sync(pvc("c").of("wait").selected("n1"))), "p");
}

TEST_F(ClaimSync, M04_ASelectedClaimTakesNoFreeVolumeAndAsksForOne) {
  free_ = {pv("p").of("wait-prov")};
  const ClaimDecision decision = sync(pvc("c").of("wait-prov").selected("n1"));
  EXPECT_EQ(bound_to(decision), "");
  EXPECT_EQ(reason_of(decision), reason::kExternalProvisioning);
}

TEST_F(ClaimSync, M05_BothAnnotationsAskTheProvisioner) {
  const ClaimDecision decision = sync(pvc("c").of("imm").version("7"));
  EXPECT_EQ(body_of(decision),
            R"({"metadata":{"uid":"claim-c","resourceVersion":"7","annotations":{)"
            R"("volume.beta.kubernetes.io/storage-provisioner":"sim.berth.dev/x",)"
            R"("volume.kubernetes.io/storage-provisioner":"sim.berth.dev/x"}}})");
  EXPECT_EQ(reason_of(decision), reason::kExternalProvisioning);
}

TEST_F(ClaimSync, M05_WhoWasAskedIsNotAskedAgainButPeopleAreTold) {
  const ClaimDecision decision =
      sync(pvc("c").of("imm").note(volumes::kStorageProvisioner, "sim.berth.dev/x"));
  EXPECT_FALSE(decision.write);
  EXPECT_EQ(reason_of(decision), reason::kExternalProvisioning);
}

TEST_F(ClaimSync, M06_TheDriverOfAMigratedPluginIsAsked) {
  EXPECT_NE(body_of(sync(pvc("c").of("aws"))).find("\"ebs.csi.aws.com\""), std::string::npos);
}

TEST_F(ClaimSync, APluginThatIsNotThereMakesNothing) {
  const ClaimDecision decision = sync(pvc("c").of("static"));
  EXPECT_FALSE(decision.write);
  EXPECT_EQ(reason_of(decision), reason::kProvisioningFailed);
  EXPECT_EQ(note_of(decision), "no volume plugin matched name: kubernetes.io/no-provisioner");
}

TEST_F(ClaimSync, AClassThatIsNotThereMakesNothing) {
  const ClaimDecision decision = sync(pvc("c").of("gone"));
  EXPECT_EQ(reason_of(decision), reason::kProvisioningFailed);
  EXPECT_EQ(note_of(decision), "storageclass.storage.k8s.io \"gone\" not found");
}

TEST_F(ClaimSync, AnImmediateClaimTakesTheSmallestFreeVolume) {
  free_ = {pv("p").of("imm").size("9G"), pv("q").of("imm").size("2G")};
  EXPECT_EQ(bound_to(sync(pvc("c").of("imm"))), "q");
}

TEST_F(ClaimSync, WithoutClassAndVolumeItStaysPending) {
  const ClaimDecision decision = sync(pvc("c").of("").phase("Bound"));
  EXPECT_EQ(reason_of(decision), reason::kFailedBinding);
  EXPECT_NE(body_of(decision).find(R"("status":{"phase":"Pending"})"), std::string::npos);
}

TEST_F(ClaimSync, M18_ADefaultClassIsGivenToWhoSaidNothing) {
  default_ = storage_class("imm");
  const ClaimDecision decision = sync(pvc("c"));
  EXPECT_NE(body_of(decision).find(R"("spec":{"storageClassName":"imm"})"), std::string::npos);
  EXPECT_TRUE(decision.events.empty());
}

TEST_F(ClaimSync, M18_WhoSaidNoClassMeansIt) {
  default_ = storage_class("imm");
  EXPECT_EQ(reason_of(sync(pvc("c").of(""))), reason::kFailedBinding);
}

TEST_F(ClaimSync, ASelectorThatCannotBeReadIsTrouble) {
  api::LabelSelector selector;
  selector.match_expressions.push_back({.key = "disk", .op = "Perhaps", .values = {}});
  EXPECT_TRUE(sync(pvc("c").of("imm").selector(selector)).trouble);
}

// The claim names its volume. ---------------------------------------------------------------------

TEST_F(ClaimSync, AVolumeThatIsNotThereYetIsWaitedFor) {
  const ClaimDecision decision = sync(pvc("c").names("p"));
  EXPECT_FALSE(decision.write);
  EXPECT_TRUE(decision.events.empty());
}

TEST_F(ClaimSync, M15_AVolumeThatDoesNotFitIsNotIts) {
  for (const VolumePtr& volume : std::vector<VolumePtr>{pv("p").size("1M"),
                                                        pv("p").of("other"),
                                                        pv("p").attributes("gold"),
                                                        pv("p").volume_mode("Block"),
                                                        pv("p").modes({"ReadOnlyMany"})}) {
    named_ = volume;
    const ClaimDecision decision = sync(pvc("c").names("p"));
    EXPECT_EQ(bound_to(decision), "");
    EXPECT_EQ(reason_of(decision), reason::kVolumeMismatch);
  }
}

TEST_F(ClaimSync, M16_TheSelectorIsNotAskedOfAVolumeThatIsNamed) {
  named_ = pv("p");
  api::LabelSelector selector;
  selector.match_labels.insert_or_assign("disk", "fast");
  EXPECT_EQ(bound_to(sync(pvc("c").names("p").selector(selector))), "p");
}

TEST_F(ClaimSync, AVolumeOfAnotherClaimIsWaitedFor) {
  named_ = pv("p").names("other");
  const ClaimDecision decision = sync(pvc("c").names("p"));
  EXPECT_EQ(reason_of(decision), reason::kFailedBinding);
  EXPECT_EQ(note_of(decision), "volume \"p\" already bound to a different claim.");
  EXPECT_FALSE(decision.trouble);
}

TEST_F(ClaimSync, AVolumeOfAnotherClaimIsTroubleWhereWeGaveIt) {
  named_ = pv("p").names("other");
  EXPECT_TRUE(sync(pvc("c").names("p").note(volumes::kBoundByController, "yes")).trouble);
}

TEST_F(ClaimSync, AVolumeThatPointsBackIsItsEvenIfItDoesNotFit) {
  named_ = pv("p").size("1M").names("c");
  EXPECT_EQ(bound_to(sync(pvc("c").names("p"))), "p");
}

// The claim is bound. -----------------------------------------------------------------------------

TEST_F(ClaimSync, M08_WithoutTheNameOfItsVolumeItIsLost) {
  const ClaimDecision decision = sync(pvc("c").bound_to(""));
  EXPECT_NE(body_of(decision).find(R"("phase":"Lost")"), std::string::npos);
  EXPECT_EQ(reason_of(decision), reason::kClaimLost);
}

TEST_F(ClaimSync, M08_ItIsLostWithItsVolumeAndNotBecauseACacheIsLate) {
  EXPECT_TRUE(sync(pvc("c").bound_to("p")).must_look);
  is_live_ = true;
  const ClaimDecision decision = sync(pvc("c").bound_to("p"));
  EXPECT_NE(body_of(decision).find(R"("phase":"Lost")"), std::string::npos);
  EXPECT_EQ(reason_of(decision), reason::kClaimLost);
}

TEST_F(ClaimSync, M09_ItIsLostWhenItsVolumeIsAnothers) {
  named_ = pv("p").names("c", "another");
  EXPECT_TRUE(sync(pvc("c").bound_to("p")).must_look);
  is_live_ = true;
  EXPECT_EQ(reason_of(sync(pvc("c").bound_to("p"))), reason::kClaimMisbound);
}

TEST_F(ClaimSync, LostIsSaidOnce) {
  is_live_ = true;
  const ClaimDecision decision = sync(pvc("c").bound_to("p").phase("Lost"));
  EXPECT_FALSE(decision.write);
  EXPECT_TRUE(decision.events.empty());
}

TEST_F(ClaimSync, AVolumeThatForgotItsClaimIsBoundAgain) {
  named_ = pv("p");
  EXPECT_EQ(bound_to(sync(pvc("c").bound_to("p"))), "p");
}

TEST_F(ClaimSync, TheMarkOfAMigratedPluginIsKeptRight) {
  const ClaimDecision decision =
      sync(pvc("c").of("imm").note(volumes::kStorageProvisioner, "kubernetes.io/gce-pd"));
  EXPECT_NE(body_of(decision).find(R"("pv.kubernetes.io/migrated-to":"pd.csi.storage.gke.io")"),
            std::string::npos);
  EXPECT_NE(body_of(sync(pvc("c")
                             .of("imm")
                             .note(volumes::kStorageProvisioner, "sim.berth.dev/x")
                             .note(kMigratedTo, "pd.csi.storage.gke.io")))
                .find(R"("pv.kubernetes.io/migrated-to":null)"),
            std::string::npos);
}

}  // namespace
}  // namespace berth::actors
