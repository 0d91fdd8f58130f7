// The PV controller on a simulated cluster; the test plays the users and the scheduler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "actors/names.h"
#include "actors/quay.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "volumes/names.h"
#include "volumes/rules.h"

namespace berth::actors {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kImmediate = "Immediate";
constexpr std::string_view kWait = "WaitForFirstConsumer";

class PvControllerTest : public testing::Test {
 protected:
  PvControllerTest() {
    quay_.make_class("wait", volumes::kNoProvisioner, kWait);
    quay_.make_class("imm", volumes::kNoProvisioner, kImmediate);
  }
  void expect_bound(const std::string& claim, const std::string& volume) {
    EXPECT_EQ(quay_.claim(claim).status.phase, phase::kBound);
    EXPECT_EQ(quay_.claim(claim).spec.volume_name, volume);
    EXPECT_TRUE(volumes::is_fully_bound(quay_.claim(claim)));
    EXPECT_EQ(quay_.volume(volume).status.phase, phase::kBound);
    EXPECT_TRUE(volumes::is_bound_to(quay_.volume(volume), quay_.claim(claim)));
  }

  Quay quay_;
};

TEST_F(PvControllerTest, AFreeVolumeBecomesAvailable) {
  quay_.make_volume("p", "imm", "5Gi");
  quay_.run();
  EXPECT_EQ(quay_.volume("p").status.phase, phase::kAvailable);
}

TEST_F(PvControllerTest, AnImmediateClaimGetsTheSmallestVolume) {
  quay_.make_volume("p", "imm", "9Gi");
  quay_.make_volume("q", "imm", "5Gi");
  quay_.run();
  quay_.make_claim("c", "imm", "3Gi");
  quay_.run_for(seconds(5));
  expect_bound("c", "q");
  EXPECT_EQ(quay_.claim("c").status.capacity.at("storage").to_string(), "5Gi");
  EXPECT_EQ(quay_.volume("p").status.phase, phase::kAvailable);
}

TEST_F(PvControllerTest, AVolumeThatComesLaterIsTakenAtOnce) {
  quay_.make_claim("c", "imm", "3Gi");
  quay_.run_for(seconds(20));
  EXPECT_EQ(quay_.claim("c").status.phase, phase::kPending);
  quay_.make_volume("p", "imm", "5Gi");
  quay_.run_for(seconds(2));
  expect_bound("c", "p");
}

TEST_F(PvControllerTest, TwoClaimsDoNotGetOneVolume) {
  quay_.make_volume("p", "imm", "5Gi");
  quay_.make_claim("c", "imm", "3Gi");
  quay_.make_claim("d", "imm", "3Gi");
  quay_.run();
  EXPECT_NE(quay_.claim("c").spec.volume_name, quay_.claim("d").spec.volume_name);
}

TEST_F(PvControllerTest, M01_AClaimThatWaitsIsLeftAloneAndSaysSo) {
  quay_.make_volume("p", "wait", "5Gi");
  quay_.make_claim("c", "wait", "3Gi");
  quay_.run();
  EXPECT_EQ(quay_.claim("c").spec.volume_name, "");
  EXPECT_EQ(quay_.volume("p").status.phase, phase::kAvailable);
  EXPECT_TRUE(quay_.was_told("c", reason::kWaitForFirstConsumer));
}

TEST_F(PvControllerTest, M02_APreBoundVolumeGetsTheUidAndNoMark) {
  quay_.make_volume("p", "wait", "5Gi", R"(,"claimRef":{"namespace":"default","name":"c"})");
  quay_.make_claim("c", "wait", "3Gi");
  quay_.run();
  expect_bound("c", "p");
  EXPECT_EQ(quay_.volume("p").spec.claim_ref->uid, quay_.claim("c").metadata.uid);
  EXPECT_FALSE(quay_.volume("p").metadata.annotations.contains(volumes::kBoundByController));
}

TEST_F(PvControllerTest, M03_WhatTheSchedulerPointedIsBoundWithinASecond) {
  quay_.make_volume("p", "wait", "5Gi");
  quay_.make_claim("c", "wait", "3Gi");
  quay_.run();
  quay_.point("p", "c");
  quay_.run_for(seconds(1));
  expect_bound("c", "p");
  EXPECT_TRUE(quay_.claim("c").metadata.annotations.contains(volumes::kBoundByController));
}

// Rows M07: whoever was here before us ended after its first, second or third write.
TEST_F(PvControllerTest, M07_ABindingThatWasBegunIsFinished) {
  quay_.pause_controller(true);
  quay_.run_for(seconds(5));
  for (const std::string name : {"a", "b", "c"}) {
    quay_.make_volume(name, "imm", "5Gi");
    quay_.make_claim(name, "imm", "5Gi");
    quay_.point(name, name);
  }
  quay_.set_status(api::PersistentVolume::kKind, "b", R"({"phase":"Bound"})");
  quay_.set_status(api::PersistentVolume::kKind, "c", R"({"phase":"Bound"})");
  quay_.patch_claim("c",
                    R"({"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},)"
                    R"("spec":{"volumeName":"c"}})");
  quay_.pause_controller(false);
  quay_.run();
  for (const std::string name : {"a", "b", "c"}) {
    expect_bound(name, name);
  }
}

TEST_F(PvControllerTest, M08_AClaimIsLostWithItsVolume) {
  quay_.make_volume("p", "imm", "5Gi");
  quay_.make_claim("c", "imm", "3Gi");
  quay_.run();
  quay_.remove_volume("p");
  quay_.run();
  EXPECT_EQ(quay_.claim("c").status.phase, phase::kLost);
  EXPECT_TRUE(quay_.claim("c").status.capacity.empty());
  EXPECT_TRUE(quay_.was_told("c", reason::kClaimLost));
}

TEST_F(PvControllerTest, M09_AClaimIsLostToAnother) {
  quay_.make_volume("p", "imm", "5Gi");
  quay_.make_claim("c", "imm", "3Gi");
  quay_.run();
  quay_.make_claim("d", "imm", "3Gi");
  quay_.patch_volume(
      "p",
      R"({"spec":{"claimRef":{"name":"d","uid":")" + quay_.claim("d").metadata.uid + R"("}}})");
  quay_.run();
  EXPECT_EQ(quay_.claim("c").status.phase, phase::kLost);
  EXPECT_TRUE(quay_.was_told("c", reason::kClaimMisbound));
}

TEST_F(PvControllerTest, M10_AVolumeWeGaveInVainIsFreeAgain) {
  quay_.make_volume("p", "imm", "5Gi");
  quay_.make_claim("c", "imm", "3Gi");
  quay_.run();
  quay_.make_volume("q", "imm", "5Gi");
  quay_.run();
  quay_.point("q", "c");
  quay_.run();
  EXPECT_FALSE(quay_.volume("q").spec.claim_ref);
  EXPECT_FALSE(quay_.volume("q").metadata.annotations.contains(volumes::kBoundByController));
  EXPECT_EQ(quay_.volume("q").status.phase, phase::kAvailable);
}

TEST_F(PvControllerTest, M11_AVolumeTheUserGaveInVainKeepsTheName) {
  quay_.make_volume("p", "imm", "5Gi");
  quay_.make_claim("c", "imm", "3Gi");
  quay_.run();
  quay_.make_volume("q",
                    "imm",
                    "5Gi",
                    R"(,"claimRef":{"namespace":"default","name":"c","uid":")" +
                        quay_.claim("c").metadata.uid + R"("})");
  quay_.run();
  ASSERT_TRUE(quay_.volume("q").spec.claim_ref);
  EXPECT_EQ(quay_.volume("q").spec.claim_ref->uid, "");
  EXPECT_EQ(quay_.volume("q").spec.claim_ref->name, "c");
  EXPECT_EQ(quay_.volume("q").status.phase, phase::kAvailable);
}

TEST_F(PvControllerTest, M14_ADeletedClaimReleasesItsVolume) {
  quay_.make_volume("p", "imm", "5Gi");
  quay_.make_claim("c", "imm", "3Gi");
  quay_.run();
  quay_.remove_claim("c");
  quay_.run_for(seconds(5));
  EXPECT_EQ(quay_.volume("p").status.phase, phase::kReleased);
  // A claim of the same name is another one.
  quay_.make_claim("c", "imm", "3Gi");
  quay_.run();
  EXPECT_EQ(quay_.claim("c").status.phase, phase::kPending);
  EXPECT_EQ(quay_.volume("p").status.phase, phase::kReleased);
}

TEST_F(PvControllerTest, M15_AClaimWaitsForAVolumeThatDoesNotFit) {
  quay_.make_volume("p", "imm", "1Gi");
  quay_.make_claim("c", "imm", "3Gi", R"(,"volumeName":"p")");
  quay_.run();
  EXPECT_EQ(quay_.claim("c").status.phase, phase::kPending);
  EXPECT_TRUE(quay_.was_told("c", reason::kVolumeMismatch));
}

TEST_F(PvControllerTest, M18_ADefaultClassIsGivenLate) {
  quay_.create(api::PersistentVolumeClaim::kKind,
               "default",
               R"({"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],)"
               R"("resources":{"requests":{"storage":"3Gi"}}}})");
  quay_.make_volume("p", "late", "5Gi");
  quay_.run();
  EXPECT_TRUE(quay_.was_told("c", reason::kFailedBinding));
  quay_.create(api::StorageClass::kKind,
               "",
               R"({"metadata":{"name":"late","annotations":{)"
               R"("storageclass.kubernetes.io/is-default-class":"true"}},)"
               R"("provisioner":"kubernetes.io/no-provisioner","volumeBindingMode":"Immediate"})");
  quay_.run_for(seconds(5));
  EXPECT_EQ(quay_.claim("c").spec.storage_class_name, "late");
  expect_bound("c", "p");
}

TEST(PvControllers, M20_TwoControllersGiveOneClaimOneVolume) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Quay quay({.seed = seed, .faults = "late-events", .controllers = 2});
    quay.make_class("imm", volumes::kNoProvisioner, kImmediate);
    for (const std::string name : {"p", "q", "r"}) {
      quay.make_volume(name, "imm", "5Gi");
    }
    quay.make_claim("c", "imm", "3Gi");
    quay.run();
    quay.faults().stop();
    quay.run();
    EXPECT_EQ(quay.claim("c").status.phase, phase::kBound) << seed;
    int taken = 0;
    for (const api::PersistentVolume& volume : quay.volumes()) {
      taken += volume.spec.claim_ref ? 1 : 0;
    }
    EXPECT_EQ(taken, 1) << "seed " << seed << "\n" << quay.summary();
  }
}

TEST_F(PvControllerTest, M21_PodsThatWaitAreNamed) {
  quay_.make_pod("b", "c");
  quay_.make_pod("a", "c");
  quay_.run_for(seconds(1));
  quay_.make_claim("c", "wait", "3Gi");
  quay_.run();
  EXPECT_TRUE(quay_.was_told("c", reason::kWaitForPodScheduled));
}

TEST_F(PvControllerTest, WhatIsDoneIsNotTouchedAgain) {
  quay_.make_volume("p", "imm", "5Gi");
  quay_.make_claim("c", "imm", "3Gi");
  quay_.run();
  const auto version = quay_.claim("c").metadata.resource_version;
  quay_.run_for(minutes(10));
  EXPECT_EQ(quay_.claim("c").metadata.resource_version, version);
}

}  // namespace
}  // namespace berth::actors
