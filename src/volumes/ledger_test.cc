#include "volumes/ledger.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/storage.h"
#include "api/quantity.h"
#include "base/error.h"
#include "volumes/catalog.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/provisioning.h"
#include "volumes/recorded_plan.h"
#include "volumes/reliance.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/view.h"
#include "volumes/wait.h"

namespace berth::volumes {
namespace {

constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;

api::Quantity gibibytes(std::int64_t count) {
  return api::Quantity::of_int(count * kGibibyte, api::Quantity::Format::kBinarySI);
}

api::Pod pod(const std::string& name, const std::string& claim) {
  api::Pod made;
  made.metadata = {.name = name, .ns = "default", .uid = name + "-uid"};
  api::Volume volume{.name = "data"};
  volume.source.persistent_volume_claim =
      api::PersistentVolumeClaimVolumeSource{.claim_name = claim};
  made.spec.volumes.push_back(volume);
  return made;
}

std::shared_ptr<api::PersistentVolumeClaim> claim(const std::string& name,
                                                  const std::string& version = "1") {
  auto made = std::make_shared<api::PersistentVolumeClaim>();
  made->metadata = {
      .name = name, .ns = "default", .uid = name + "-uid", .resource_version = version};
  made->spec.storage_class_name = "pooled";
  made->spec.resources.requests.emplace(kStorage, gibibytes(6));
  return made;
}

class LedgerPromises : public ::testing::Test {
 protected:
  LedgerPromises() {
    pool_ = pool("1");
    fill(catalog_);
  }

  static CapacityPtr pool(const std::string& version) {
    auto pool = std::make_shared<api::CSIStorageCapacity>();
    pool->metadata = {.name = "pool", .ns = "storage", .resource_version = version};
    pool->storage_class_name = "pooled";
    pool->capacity = gibibytes(10);
    return pool;
  }
  void fill(Catalog& catalog) const {
    for (const char* name : {"c1", "c2"}) {
      catalog.set(ClaimPtr(claim(name)));
    }
    auto volume = std::make_shared<api::PersistentVolume>();
    volume->metadata = {.name = "pv", .uid = "pv-uid", .resource_version = "1"};
    volume->status.phase = "Available";
    catalog.set(VolumePtr(volume));
    catalog.set(pool_);
  }

  ClaimPtr known_claim(std::string_view key) const {
    return catalog_.now().find_claim(key)->current();
  }
  VolumePtr known_volume() const { return catalog_.now().find_volume("pv")->current(); }
  std::int64_t promised_space() const { return promised_space(catalog_); }
  static std::int64_t promised_space(const Catalog& catalog) {
    return catalog.now().find_capacities("pooled")->find("storage/pool")->promised;
  }
  NodePlan binding_to(std::string_view key) const {
    return {.bindings = {{.volume = known_volume(), .claim = known_claim(key)}}, .provisions = {}};
  }
  NodePlan provision_of(std::string_view key) const {
    return {.bindings = {}, .provisions = {{.claim = known_claim(key), .capacity = pool_}}};
  }

  Catalog catalog_;
  Ledger ledger_{catalog_, Switches()};
  CapacityPtr pool_;
};

TEST_F(LedgerPromises, RoomIsGivenBackThoughTheClaimHasANewVersion) {
  const auto assumed = ledger_.assume(pod("a", "c1"), "n1", provision_of("default/c1"));
  ASSERT_TRUE(assumed);
  EXPECT_EQ(promised_space(), 6 * kGibibyte);
  catalog_.set(ClaimPtr(claim("c1", "2")));  // as our own write makes it
  ledger_.revert(*assumed);
  EXPECT_EQ(promised_space(), 0);
}

TEST_F(LedgerPromises, RoomThatIsUsedStaysTakenUntilThePoolSaysSo) {
  const auto assumed = ledger_.assume(pod("a", "c1"), "n1", provision_of("default/c1"));
  ASSERT_TRUE(assumed);
  auto bound = claim("c1", "2");
  bound->spec.volume_name = "made";
  catalog_.set(ClaimPtr(bound));
  ledger_.revert(*assumed);
  EXPECT_EQ(promised_space(), 6 * kGibibyte);
}

TEST_F(LedgerPromises, RoomOfASharedClaimIsTakenOnceAndKeptForTheLast) {
  const auto first = ledger_.assume(pod("a", "c1"), "n1", provision_of("default/c1"));
  const auto second = ledger_.assume(pod("b", "c1"), "n1", provision_of("default/c1"));
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(promised_space(), 6 * kGibibyte);
  ledger_.revert(*first);
  EXPECT_EQ(promised_space(), 6 * kGibibyte);
  ledger_.revert(*second);
  EXPECT_EQ(promised_space(), 0);
}

TEST_F(LedgerPromises, AVolumeIsNotPromisedToASecondClaim) {
  const NodePlan one = binding_to("default/c1");
  const NodePlan other = binding_to("default/c2");
  ASSERT_TRUE(ledger_.assume(pod("a", "c1"), "n1", one));
  const auto refused = ledger_.assume(pod("b", "c2"), "n1", other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(known_volume()->spec.claim_ref->name, "c1");
}

TEST_F(LedgerPromises, AClaimIsNotPromisedToASecondNode) {
  const NodePlan plan = provision_of("default/c1");
  ASSERT_TRUE(ledger_.assume(pod("a", "c1"), "n1", plan));
  const auto refused = ledger_.assume(pod("b", "c1"), "n2", plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
}

TEST_F(LedgerPromises, APlanMadeOnAPromiseIsPromisedAnewWhenThatIsGone) {
  const auto first = ledger_.assume(pod("a", "c1"), "n1", binding_to("default/c1"));
  ASSERT_TRUE(first);
  const NodePlan shared = binding_to("default/c1");  // the volume as it was promised
  ledger_.revert(*first);
  const auto second = ledger_.assume(pod("b", "c1"), "n1", shared);
  ASSERT_TRUE(second);
  EXPECT_TRUE(known_volume()->spec.claim_ref.has_value());
}

TEST_F(LedgerPromises, AnOldPlanRevertedAgainDoesNotTouchTheNewOne) {
  const NodePlan plan = binding_to("default/c1");
  const auto first = ledger_.assume(pod("a", "c1"), "n1", plan);
  ASSERT_TRUE(first);
  ledger_.revert(*first);
  const auto second = ledger_.assume(pod("a", "c1"), "n1", plan);
  ASSERT_TRUE(second);
  ledger_.revert(*first);
  EXPECT_TRUE(known_volume()->spec.claim_ref.has_value());
}

TEST_F(LedgerPromises, ARoomIsTheClaimsOwnWhateverItsVersion) {
  ASSERT_TRUE(ledger_.assume(pod("a", "c1"), "n1", provision_of("default/c1")));
  catalog_.set(ClaimPtr(claim("c1", "2")));
  const CapacityEntry& pool = *catalog_.now().find_capacities("pooled")->find("storage/pool");
  EXPECT_EQ(promised_to_others(pool, *catalog_.now().find_claim("default/c1")), 0);
  EXPECT_EQ(promised_to_others(pool, *catalog_.now().find_claim("default/c2")), 6 * kGibibyte);
}

// After a crash: another catalog, filled by the API server, and the texts of the plans.
class LedgerAfterACrash : public LedgerPromises {
 protected:
  LedgerAfterACrash() { fill(next_catalog_); }

  // A plan of the process that died.
  RecordedPlan recorded(const std::string& name, const std::string& key, const NodePlan& plan) {
    const api::Pod of = pod(name, key);
    const auto assumed = ledger_.assume(of, "n1", plan);
    EXPECT_TRUE(assumed);
    const auto made = ledger_.record(*assumed, of, "test");
    EXPECT_TRUE(made);
    return *plan_from_text(*to_text(*made));
  }
  static PodFacts alive(const RecordedPlan& plan) { return {.exists = true, .uid = plan.pod.uid}; }

  Catalog next_catalog_;
  Ledger next_{next_catalog_, Switches()};
};

TEST_F(LedgerAfterACrash, PromisesAreWhatTheyWere) {
  const RecordedPlan first = recorded("a", "c1", binding_to("default/c1"));
  const RecordedPlan second = recorded("b", "c2", provision_of("default/c2"));
  const auto one = next_.restore(first, alive(first));
  const auto other = next_.restore(second, alive(second));
  ASSERT_TRUE(one);
  ASSERT_TRUE(other);
  const View& view = next_catalog_.now();
  EXPECT_EQ(*view.find_volume("pv")->promised, *known_volume());
  EXPECT_EQ(*view.find_claim("default/c2")->promised, *known_claim("default/c2"));
  EXPECT_EQ(promised_space(next_catalog_), 6 * kGibibyte);
  next_.revert(*one);
  next_.revert(*other);
  EXPECT_EQ(next_catalog_.now().find_volume("pv")->promised, nullptr);
  EXPECT_EQ(next_catalog_.now().find_claim("default/c2")->promised, nullptr);
  EXPECT_EQ(promised_space(next_catalog_), 0);
}

TEST_F(LedgerAfterACrash, NothingIsPromisedToAPodThatIsGone) {
  const RecordedPlan plan = recorded("a", "c1", provision_of("default/c1"));
  for (const PodFacts& pod :
       {PodFacts{.exists = false, .uid = {}}, PodFacts{.exists = true, .uid = "another-uid"}}) {
    const auto refused = next_.restore(plan, pod);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kNotFound);
    EXPECT_EQ(next_catalog_.now().find_claim("default/c1")->promised, nullptr);
    EXPECT_EQ(promised_space(next_catalog_), 0);
  }
}

TEST_F(LedgerAfterACrash, RoomIsPromisedAgainThoughTheClaimIsWritten) {
  const RecordedPlan plan = recorded("a", "c1", provision_of("default/c1"));
  next_catalog_.set(ClaimPtr(claim("c1", "2")));
  const auto restored = next_.restore(plan, alive(plan));
  ASSERT_TRUE(restored);
  EXPECT_EQ(next_catalog_.now().find_claim("default/c1")->promised, nullptr);
  EXPECT_EQ(promised_space(next_catalog_), 6 * kGibibyte);
  next_.revert(*restored);
  EXPECT_EQ(promised_space(next_catalog_), 0);
}

TEST_F(LedgerAfterACrash, RoomInAPoolThatHasSpokenSinceIsNot) {
  const RecordedPlan plan = recorded("a", "c1", provision_of("default/c1"));
  next_catalog_.set(pool("2"));
  const auto restored = next_.restore(plan, alive(plan));
  ASSERT_TRUE(restored);
  EXPECT_EQ(promised_space(next_catalog_), 0);
  next_.revert(*restored);
  EXPECT_EQ(promised_space(next_catalog_), 0);
}

TEST_F(LedgerAfterACrash, RoomOfASharedClaimIsTakenOnceAndKeptForTheLast) {
  const RecordedPlan first = recorded("a", "c1", provision_of("default/c1"));
  const RecordedPlan second = recorded("b", "c1", provision_of("default/c1"));
  const auto one = next_.restore(first, alive(first));
  const auto other = next_.restore(second, alive(second));
  ASSERT_TRUE(one);
  ASSERT_TRUE(other);
  next_.revert(*one);
  EXPECT_EQ(promised_space(next_catalog_), 6 * kGibibyte);
  next_.revert(*other);
  EXPECT_EQ(promised_space(next_catalog_), 0);
}

TEST_F(LedgerAfterACrash, OfTwoPlansForOneVolumeOneIsRefused) {
  const RecordedPlan first = recorded("a", "c1", binding_to("default/c1"));
  RecordedPlan second = first;  // as of two processes that knew nothing of each other
  second.bindings[0].claim.name = "c2";
  second.bindings[0].claim.uid = "c2-uid";
  ASSERT_TRUE(next_.restore(first, alive(first)));
  const auto refused = next_.restore(second, alive(second));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(next_catalog_.now().find_volume("pv")->owners.size(), 1U);
}

TEST_F(LedgerAfterACrash, AnUndoKnowsWhoReliesOnWhat) {
  const RecordedPlan plan = recorded("a", "c1", binding_to("default/c1"));
  const auto restored = next_.restore(plan, alive(plan));
  ASSERT_TRUE(restored);
  EXPECT_EQ(next_.reliance().find_user(need_of(plan.bindings[0])), "default/a");
  next_.revert(*restored);
  EXPECT_EQ(next_.reliance().find_user(need_of(plan.bindings[0])), std::nullopt);
}

}  // namespace
}  // namespace berth::volumes
