#include "actors/sim_room.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/capacity_objects.h"
#include "actors/names.h"
#include "actors/sim_class.h"
#include "actors/sim_volume.h"
#include "api/objects/storage.h"
#include "volumes/names.h"
#include "volumes/testing/builders.h"

namespace berth::actors {
namespace {

using volumes::testing::ClaimBuilder;
using volumes::testing::ClassBuilder;
using volumes::testing::node;
using volumes::testing::pvc;
using volumes::testing::storage_class;

constexpr std::int64_t kGi = std::int64_t{1} << 30;

ClassBuilder sim_class() {
  return storage_class("sim").provisioner("fast.sim.berth.dev");
}

// Two nodes in two zones, and how much is taken of each pool.
class SimRoom : public testing::Test {
 protected:
  SimPlace find(const ClaimBuilder& claim,
                const ClassBuilder& of,
                const Sight<api::Node>& at = {}) {
    return find_place(*claim, *of, sim_, at, nodes_, taken());
  }
  TakenOf taken() {
    return [this](const std::string& pool) { return taken_[pool]; };
  }

  SimClass sim_{.capacity = 10 * kGi, .topology_key = "zone"};
  std::vector<NodePtr> nodes_ = {node("n1").label("zone", "z1"), node("n2").label("zone", "z2")};
  std::map<std::string, std::int64_t> taken_;
};

TEST_F(SimRoom, TheSegmentIsThatOfTheSelectedNode) {
  const SimPlace place = find(pvc("c").selected("n2"), sim_class(), {.object = nodes_[1]});
  EXPECT_EQ(place.outcome, Outcome::kOk);
  EXPECT_EQ(place.segment, (Segment{.key = "zone", .value = "z2"}));
}

TEST_F(SimRoom, ANodeThatIsNotKnownIsAskedFor) {
  EXPECT_TRUE(find(pvc("c").selected("n3"), sim_class()).must_look);
  EXPECT_EQ(find(pvc("c").selected("n3"), sim_class(), {.is_live = true}).outcome,
            Outcome::kResourceExhausted);
}

TEST_F(SimRoom, ANodeWithoutTheLabelOrOutsideTheTopologiesIsNoPlace) {
  EXPECT_EQ(find(pvc("c").selected("n3"), sim_class(), {.object = node("n3")}).outcome,
            Outcome::kFailedPrecondition);
  EXPECT_EQ(find(pvc("c").selected("n1"), sim_class().allows("zone", {"z2"}), {.object = nodes_[0]})
                .outcome,
            Outcome::kFailedPrecondition);
}

TEST_F(SimRoom, WithoutASelectionTheEmptiestSegmentServes) {
  EXPECT_EQ(find(pvc("c"), sim_class()).segment.value, "z1");
  taken_[pool_of("sim", {.key = "zone", .value = "z1"})] = kGi;
  EXPECT_EQ(find(pvc("c"), sim_class()).segment.value, "z2");
  EXPECT_EQ(find(pvc("c"), sim_class().allows("zone", {"z1"})).segment.value, "z1");
  EXPECT_EQ(find(pvc("c"), sim_class().allows("zone", {"z3"})).outcome,
            Outcome::kFailedPrecondition);
}

TEST_F(SimRoom, RoomEndsAtTheLastByte) {
  sim_.topology_key.clear();
  EXPECT_EQ(find(pvc("c").size("10Gi"), sim_class()).outcome, Outcome::kOk);
  EXPECT_EQ(find(pvc("c").size("10737418241"), sim_class()).outcome, Outcome::kResourceExhausted);
  taken_[pool_of("sim", {})] = 1;
  EXPECT_EQ(find(pvc("c").size("10Gi"), sim_class()).outcome, Outcome::kResourceExhausted);
}

TEST_F(SimRoom, AClaimIsActedOnAsTheSpecificationSays) {
  const ClassBuilder of = sim_class();
  const auto asked = [] { return pvc("c").note(volumes::kStorageProvisioner, "sim.berth.dev/x"); };
  EXPECT_TRUE(is_wanted(*asked().selected("n1"), &*of));
  EXPECT_FALSE(is_wanted(*asked(), &*of));
  EXPECT_FALSE(is_wanted(*asked().selected(""), &*of));
  EXPECT_TRUE(is_wanted(*asked(), &*sim_class().immediate()));
  EXPECT_FALSE(is_wanted(*asked().selected("n1").names("p"), &*of));
  EXPECT_FALSE(is_wanted(*pvc("c").selected("n1"), &*of));
  EXPECT_TRUE(is_wanted(
      *pvc("c").note(volumes::kBetaStorageProvisioner, "sim.berth.dev/x").selected("n1"), &*of));
}

TEST_F(SimRoom, AVolumeTellsItsPoolAndItsClaim) {
  const Segment segment{.key = "zone", .value = "z1"};
  const auto volume = make_volume(*pvc("c").size("3Gi"), *sim_class(), segment);
  EXPECT_EQ(pool_of(volume), pool_of("sim", segment));
  EXPECT_EQ(volume.spec.claim_ref->uid, "claim-c");
  EXPECT_EQ(volume.metadata.name, "pvc-claim-c");
  EXPECT_EQ(volume.metadata.finalizers.size(), 1U);
  EXPECT_FALSE(is_simulated_volume(*volumes::testing::pv("p")));
}

TEST_F(SimRoom, WhatIsReleasedGoesInTwoSteps) {
  auto volume = make_volume(*pvc("c"), *sim_class(), {});
  EXPECT_EQ(disposal_of(volume), Disposal::kNone);
  volume.status.phase = phase::kReleased;
  EXPECT_EQ(disposal_of(volume), Disposal::kRemove);
  volume.metadata.deletion_timestamp = api::Time{};
  EXPECT_EQ(disposal_of(volume), Disposal::kRelease);
  volume.metadata.finalizers.clear();
  EXPECT_EQ(disposal_of(volume), Disposal::kNone);
}

TEST_F(SimRoom, WhatIsBoundOrKeptStays) {
  auto volume = make_volume(*pvc("c"), *sim_class(), {});
  volume.metadata.deletion_timestamp = api::Time{};
  volume.status.phase = phase::kBound;
  EXPECT_EQ(disposal_of(volume), Disposal::kNone);
  volume.spec.persistent_volume_reclaim_policy = kRetain;
  EXPECT_EQ(disposal_of(volume), Disposal::kRelease);
  volume.metadata.deletion_timestamp.reset();
  volume.status.phase = phase::kReleased;
  EXPECT_EQ(disposal_of(volume), Disposal::kNone);
}

// Capacity objects. -------------------------------------------------------------------------------

class Capacities : public SimRoom {
 protected:
  std::vector<api::CSIStorageCapacity> wanted(ClassBuilder of) {
    api::StorageClass made = *of;
    made.parameters.insert_or_assign("capacity", "10Gi");
    made.parameters.insert_or_assign("topologyKey", "zone");
    const std::vector<ClassPtr> classes = {std::make_shared<const api::StorageClass>(made)};
    return wanted_capacities("kube-system", classes, nodes_, taken());
  }
};

TEST_F(Capacities, ThereIsOneForEachSegment) {
  taken_[pool_of("sim", {.key = "zone", .value = "z2"})] = 4 * kGi;
  const auto objects = wanted(sim_class());
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0].capacity->to_string(), "10Gi");
  EXPECT_EQ(objects[1].capacity->to_string(), "6Gi");
  EXPECT_EQ(objects[1].node_topology->match_labels.at("zone"), "z2");
}

TEST_F(Capacities, ClassesThatDoNotWaitOrAreNotOursHaveNone) {
  EXPECT_TRUE(wanted(sim_class().immediate()).empty());
  EXPECT_TRUE(wanted(storage_class("other").provisioner("example.com")).empty());
}

TEST_F(Capacities, WhatIsMissingIsMadeWhatIsWrongIsPatchedWhatIsLeftGoes) {
  const auto objects = wanted(sim_class());
  EXPECT_EQ(capacity_writes(objects, {}).creates.size(), 2U);

  auto wrong = objects[0];
  wrong.capacity = volumes::testing::quantity("1Gi");
  wrong.metadata.resource_version = "9";
  auto left = objects[1];
  left.metadata.name = "csisc-old";
  auto others = objects[1];
  others.metadata.name = "of-another";
  others.metadata.labels.clear();
  const std::vector<CapacityPtr> there = {std::make_shared<const api::CSIStorageCapacity>(wrong),
                                          std::make_shared<const api::CSIStorageCapacity>(left),
                                          std::make_shared<const api::CSIStorageCapacity>(others)};
  const CapacityWrites writes = capacity_writes(objects, there);
  ASSERT_EQ(writes.creates.size(), 1U);
  EXPECT_EQ(writes.creates[0].metadata.name, objects[1].metadata.name);
  ASSERT_EQ(writes.patches.size(), 1U);
  EXPECT_NE(writes.patches[0].body.find(R"("resourceVersion":"9")"), std::string::npos);
  ASSERT_EQ(writes.removes.size(), 1U);
  EXPECT_EQ(writes.removes[0].key.name, "csisc-old");
}

}  // namespace
}  // namespace berth::actors
