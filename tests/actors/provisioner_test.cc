// Volumes that are made on demand, on a simulated cluster with the PV controller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "actors/names.h"
#include "actors/quay.h"
#include "api/objects/persistent_volume.h"
#include "volumes/names.h"
#include "volumes/rules.h"

namespace berth::actors {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kImmediate = "Immediate";
constexpr std::string_view kWait = "WaitForFirstConsumer";

class ProvisionerTest : public testing::Test {
 protected:
  ProvisionerTest() {
    quay_.make_node("n1", "z1");
    quay_.make_node("n2", "z2");
  }
  void make_class(std::string_view mode, std::string_view parameters, std::string_view more = "") {
    quay_.make_class("sim",
                     "fast.sim.berth.dev",
                     mode,
                     R"(,"reclaimPolicy":"Delete","parameters":{)" + std::string(parameters) + "}" +
                         std::string(more));
  }
  std::string selected(const std::string& claim) {
    const auto bound = quay_.claim(claim);
    const std::string* node = volumes::find_annotation(bound.metadata, volumes::kSelectedNode);
    return node == nullptr ? "" : *node;
  }
  api::PersistentVolume volume_of(const std::string& claim) {
    return quay_.volume(quay_.claim(claim).spec.volume_name);
  }
  static std::string segment_of(const api::PersistentVolume& volume) {
    return volume.spec.node_affinity->required->node_selector_terms[0]
        .match_expressions[0]
        .values[0];
  }

  Quay quay_;
};

TEST_F(ProvisionerTest, M05_AClaimGetsAVolumeOnTheSelectedNode) {
  make_class(kWait, R"("latency":"2s")");
  quay_.make_claim("c", "sim", "3Gi");
  quay_.run();
  EXPECT_THAT(quay_.volumes(), IsEmpty());
  quay_.select_node("c", "n2");
  quay_.run_for(seconds(1));
  EXPECT_THAT(quay_.volumes(), IsEmpty());
  quay_.run();
  EXPECT_EQ(quay_.claim("c").status.phase, phase::kBound);
  const api::PersistentVolume volume = volume_of("c");
  EXPECT_EQ(volume.metadata.name, "pvc-" + quay_.claim("c").metadata.uid);
  EXPECT_EQ(segment_of(volume), "n2");
  EXPECT_EQ(volume.metadata.annotations.at(std::string(kProvisionedBy)), "fast.sim.berth.dev");
  EXPECT_FALSE(volume.metadata.annotations.contains(volumes::kBoundByController));
  EXPECT_EQ(volume.spec.source.csi->driver, "fast.sim.berth.dev");
  EXPECT_EQ(selected("c"), "n2");
  EXPECT_TRUE(quay_.was_told("c", reason::kExternalProvisioning));
  EXPECT_TRUE(quay_.was_told("c", reason::kProvisioningSucceeded));
}

TEST_F(ProvisionerTest, AnImmediateClaimGetsAVolumeWhereLeastIsTaken) {
  make_class(kImmediate, R"("topologyKey":"zone","capacity":"10Gi")");
  quay_.make_claim("c", "sim", "6Gi");
  quay_.run();
  quay_.make_claim("d", "sim", "6Gi");
  quay_.run();
  EXPECT_EQ(segment_of(volume_of("c")), "z1");
  EXPECT_EQ(segment_of(volume_of("d")), "z2");
}

TEST_F(ProvisionerTest, OnlyAllowedTopologiesAreUsed) {
  make_class(kImmediate,
             R"("topologyKey":"zone")",
             R"(,"allowedTopologies":[{"matchLabelExpressions":[{"key":"zone",)"
             R"("values":["z2"]}]}])");
  quay_.make_claim("c", "sim", "6Gi");
  quay_.run();
  EXPECT_EQ(segment_of(volume_of("c")), "z2");
}

TEST_F(ProvisionerTest, WithoutATopologyVolumesAreReachedFromEverywhere) {
  make_class(kWait, R"("topologyKey":"")");
  quay_.make_claim("c", "sim", "6Gi");
  quay_.run();
  quay_.select_node("c", "n1");
  quay_.run();
  EXPECT_FALSE(volume_of("c").spec.node_affinity);
}

TEST_F(ProvisionerTest, WhereThereIsNoRoomTheNodeIsGivenBack) {
  make_class(kWait, R"("capacity":"10Gi")");
  quay_.make_claim("c", "sim", "6Gi");
  quay_.make_claim("d", "sim", "6Gi");
  quay_.run();
  quay_.select_node("c", "n1");
  quay_.run();
  quay_.select_node("d", "n1");
  quay_.run();
  EXPECT_EQ(quay_.claim("c").status.phase, phase::kBound);
  EXPECT_EQ(selected("d"), "");
  EXPECT_TRUE(quay_.was_told("d", reason::kProvisioningFailed));
  quay_.select_node("d", "n2");
  quay_.run();
  EXPECT_EQ(segment_of(volume_of("d")), "n2");
}

TEST_F(ProvisionerTest, ABurstOfClaimsDoesNotTakeMoreThanThereIs) {
  make_class(kWait, R"("capacity":"10Gi","latency":"1s-5s")");
  for (int i = 0; i < 8; ++i) {
    const std::string name = "c" + std::to_string(i);
    quay_.make_claim(
        name, "sim", "3Gi", "", R"(,"annotations":{"volume.kubernetes.io/selected-node":"n1"})");
  }
  quay_.run();
  EXPECT_THAT(quay_.volumes(), SizeIs(3));
}

TEST_F(ProvisionerTest, I19_AProvisionerThatAlwaysFailsLosesTheSelection) {
  make_class(kWait, R"("failure":"ResourceExhausted")");
  quay_.make_claim("c", "sim", "3Gi");
  quay_.run();
  quay_.select_node("c", "n1");
  quay_.run();
  EXPECT_EQ(selected("c"), "");
  EXPECT_EQ(quay_.claim("c").status.phase, phase::kPending);
  EXPECT_TRUE(quay_.was_told("c", reason::kProvisioningFailed));
}

TEST_F(ProvisionerTest, ANodeThatFailsIsGivenBackAndAnotherServes) {
  make_class(kWait, R"("failure":"ResourceExhausted","failNodes":"n1")");
  quay_.make_claim("c", "sim", "3Gi");
  quay_.run();
  quay_.select_node("c", "n1");
  quay_.run();
  EXPECT_EQ(selected("c"), "");
  quay_.select_node("c", "n2");
  quay_.run();
  EXPECT_EQ(quay_.claim("c").status.phase, phase::kBound);
}

TEST_F(ProvisionerTest, OtherFailuresAreTriedAgainAndKeepTheNode) {
  make_class(kWait, R"("failure":"Unavailable","failTimes":"3")");
  quay_.make_claim("c", "sim", "3Gi");
  quay_.run();
  quay_.select_node("c", "n1");
  quay_.run_for(seconds(3));
  EXPECT_EQ(selected("c"), "n1");
  EXPECT_THAT(quay_.volumes(), IsEmpty());
  quay_.run();
  EXPECT_EQ(quay_.claim("c").status.phase, phase::kBound);
}

TEST_F(ProvisionerTest, ChanceIsAFunctionOfTheSeed) {
  const auto end_of = [](std::uint64_t seed) {
    Quay quay({.seed = seed});
    quay.make_node("n1");
    quay.make_class("sim", "sim.berth.dev/x", kImmediate, R"(,"parameters":{"failOneIn":"2"})");
    for (int i = 0; i < 5; ++i) {
      quay.make_claim("c" + std::to_string(i), "sim", "3Gi");
    }
    quay.run();
    return quay.simulation().trace().hash() ^ quay.cluster().store().resource_version();
  };
  EXPECT_EQ(end_of(7), end_of(7));
}

TEST_F(ProvisionerTest, ASelectedNodeThatIsGoneIsGivenBack) {
  make_class(kWait, "");
  quay_.make_claim("c", "sim", "3Gi");
  quay_.run();
  quay_.remove_node("n1");
  quay_.select_node("c", "n1");
  quay_.run();
  EXPECT_EQ(selected("c"), "");
}

TEST_F(ProvisionerTest, AParameterThatCannotBeReadIsTold) {
  make_class(kImmediate, R"("latency":"soon")");
  quay_.make_claim("c", "sim", "3Gi");
  quay_.run();
  EXPECT_TRUE(quay_.was_told("c", reason::kProvisioningFailed));
  EXPECT_THAT(quay_.volumes(), IsEmpty());
}

TEST_F(ProvisionerTest, AVolumeGoesWithItsClaimAndItsRoomIsFree) {
  make_class(kWait, R"("capacity":"10Gi")");
  quay_.make_claim("c", "sim", "6Gi");
  quay_.run();
  quay_.select_node("c", "n1");
  quay_.run();
  ASSERT_THAT(quay_.volumes(), SizeIs(1));
  quay_.remove_claim("c");
  quay_.run();
  EXPECT_THAT(quay_.volumes(), IsEmpty());
  for (const auto& pool : quay_.capacities()) {
    EXPECT_EQ(pool.capacity->to_string(), "10Gi");
  }
}

TEST_F(ProvisionerTest, AVolumeThatIsToBeKeptIsKept) {
  quay_.make_class("keep", "sim.berth.dev/x", kImmediate, R"(,"reclaimPolicy":"Retain")");
  quay_.make_claim("c", "keep", "6Gi");
  quay_.run();
  quay_.remove_claim("c");
  quay_.run();
  ASSERT_THAT(quay_.volumes(), SizeIs(1));
  EXPECT_EQ(quay_.volumes()[0].status.phase, phase::kReleased);
}

TEST_F(ProvisionerTest, RoomIsPublishedForEverySegment) {
  make_class(kWait, R"("capacity":"10Gi")");
  quay_.make_claim("c", "sim", "6Gi");
  quay_.run();
  EXPECT_THAT(quay_.capacities(), SizeIs(2));
  quay_.select_node("c", "n1");
  quay_.run();
  for (const auto& pool : quay_.capacities()) {
    const bool is_n1 = pool.node_topology->match_labels.at("kubernetes.io/hostname") == "n1";
    EXPECT_EQ(pool.capacity->to_string(), is_n1 ? "4Gi" : "10Gi");
    EXPECT_EQ(pool.storage_class_name, "sim");
  }
  quay_.remove_node("n2");
  quay_.run();
  EXPECT_THAT(quay_.capacities(), SizeIs(1));
}

TEST_F(ProvisionerTest, AClaimThatGoesWhileItsVolumeIsMadeGetsNone) {
  make_class(kImmediate, R"("latency":"30s")");
  quay_.make_claim("c", "sim", "6Gi");
  quay_.run_for(seconds(10));
  quay_.remove_claim("c");
  quay_.run();
  EXPECT_THAT(quay_.volumes(), IsEmpty());
}

}  // namespace
}  // namespace berth::actors
