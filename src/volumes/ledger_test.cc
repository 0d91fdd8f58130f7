#include "volumes/ledger.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
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
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/view.h"

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
    for (const char* name : {"c1", "c2"}) {
      catalog_.set(ClaimPtr(claim(name)));
    }
    auto volume = std::make_shared<api::PersistentVolume>();
    volume->metadata = {.name = "pv", .uid = "pv-uid", .resource_version = "1"};
    volume->status.phase = "Available";
    catalog_.set(VolumePtr(volume));
    auto pool = std::make_shared<api::CSIStorageCapacity>();
    pool->metadata = {.name = "pool", .ns = "storage", .resource_version = "1"};
    pool->storage_class_name = "pooled";
    pool->capacity = gibibytes(10);
    pool_ = pool;
    catalog_.set(pool_);
  }

  ClaimPtr known_claim(std::string_view key) const {
    return catalog_.now().find_claim(key)->current();
  }
  VolumePtr known_volume() const { return catalog_.now().find_volume("pv")->current(); }
  std::int64_t promised_space() const {
    return catalog_.now().find_capacities("pooled")->find("storage/pool")->promised;
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

}  // namespace
}  // namespace berth::volumes
