// Rows F of the catalogue: promising a plan, and giving it back.
#include <gtest/gtest.h>

#include <string_view>

#include "api/objects/persistent_volume.h"
#include "api/objects/references.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/catalog.h"
#include "volumes/ledger.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/rules.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

using testing::Place;
using testing::pod;
using testing::PodBuilder;
using testing::pv;
using testing::pvc;
using testing::Texts;

// A pod with a claim c that gets the volume p, and a claim d for which one is made.
class Promises : public Place {
 public:
  Promises() : ledger(catalog, switches) {
    add(pvc("c").of("wait").version("8"), pv("p").of("wait").on("n1"));
    add(pvc("d").of("wait-prov"));
  }

  const VolumeEntry& volume(std::string_view name) const {
    return *catalog.now().find_volume(name);
  }
  const ClaimEntry& claim(std::string_view name) const {
    return *catalog.now().find_claim(claim_key(testing::kNamespace, name));
  }
  bool is_anything_promised() const {
    for (const auto& [name, entry] : catalog.now().volumes()) {
      if (entry->promised != nullptr) {
        return true;
      }
    }
    for (const auto& [name, entry] : catalog.now().claims()) {
      if (entry->promised != nullptr) {
        return true;
      }
    }
    return false;
  }
  NodePlan planned() const { return look(both, "n1").plan; }
  Result<AssumedPlan> assume(const NodePlan& plan) { return ledger.assume(both, "n1", plan); }

  PodBuilder both = pod("a").claim("c").claim("d");
  PodBuilder one = pod("a").claim("c");
  Ledger ledger;
};

TEST(CatalogueF, F01_WhereAllIsBoundNothingIsPromised) {
  Promises place;
  const NodePlan plan = place.look(place.one, "n1").plan;
  place.add(pvc("c").of("wait").version("9").bound_to("p"));
  const auto assumed = place.ledger.assume(place.one, "n1", plan);
  ASSERT_TRUE(assumed);
  EXPECT_TRUE(assumed->is_all_bound);
  EXPECT_TRUE(assumed->volumes.empty());
  EXPECT_FALSE(place.is_anything_promised());
}

TEST(CatalogueF, F02_PromisedVolumePointsAtItsClaim) {
  Promises place;
  const auto assumed = place.assume(place.planned());
  ASSERT_TRUE(assumed);
  EXPECT_FALSE(assumed->is_all_bound);
  ASSERT_EQ(assumed->volumes.size(), 1U);
  EXPECT_EQ(assumed->volumes[0].volume, place.volume("p").current());
  EXPECT_TRUE(is_bound_to(*place.volume("p").current(), *place.claim("c").stored));
}

TEST(CatalogueF, F02_StoredVolumeStaysAsItIs) {
  Promises place;
  ASSERT_TRUE(place.assume(place.planned()));
  EXPECT_FALSE(place.volume("p").stored->spec.claim_ref.has_value());
}

TEST(CatalogueF, F03_SeveralVolumesArePromisedTogether) {
  Promises place;
  place.add(pvc("e").of("wait"), pv("q").of("wait").on("n1"));
  const PodBuilder asking = pod("a").claim("c").claim("e");
  ASSERT_TRUE(place.ledger.assume(asking, "n1", place.look(asking, "n1").plan));
  EXPECT_NE(place.volume("p").promised, nullptr);
  EXPECT_NE(place.volume("q").promised, nullptr);
}

TEST(CatalogueF, F04_VolumeThatPointsAtTheClaimAlreadyNeedsNoPromise) {
  Promises place;
  place.add(pv("p").of("wait").version("2").names("c", "claim-c"));
  const auto assumed = place.ledger.assume(place.one, "n1", place.look(place.one, "n1").plan);
  ASSERT_TRUE(assumed);
  EXPECT_EQ(place.volume("p").promised, nullptr);
  EXPECT_EQ(assumed->volumes.size(), 1U);
}

TEST(CatalogueF, F05_VolumeThatTheUserPointedGetsTheUidAndNoMark) {
  Promises place;
  place.add(pv("p").of("wait").version("2").names("c"));
  ASSERT_TRUE(place.ledger.assume(place.one, "n1", place.look(place.one, "n1").plan));
  const VolumePtr promised = place.volume("p").promised;
  ASSERT_NE(promised, nullptr);
  EXPECT_EQ(promised->spec.claim_ref->uid, "claim-c");
  EXPECT_EQ(find_annotation(promised->metadata, kBoundByController), nullptr);
}

TEST(CatalogueF, F06_UnknownSecondVolumeTakesTheFirstPromiseBack) {
  Promises place;
  place.add(pvc("e").of("wait").size("2G"), pv("q").of("wait").size("2G").on("n1"));
  const PodBuilder asking = pod("a").claim("c").claim("e");
  const NodePlan plan = place.look(asking, "n1").plan;
  place.catalog.remove_volume("q");
  const auto assumed = place.ledger.assume(asking, "n1", plan);
  ASSERT_FALSE(assumed);
  EXPECT_EQ(assumed.error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(place.is_anything_promised());
}

TEST(CatalogueF, F07_VolumeThatChangedInBetweenIsRefused) {
  Promises place;
  const NodePlan plan = place.planned();
  place.add(pv("p").of("wait").on("n1").version("2"));
  const auto assumed = place.assume(plan);
  ASSERT_FALSE(assumed);
  EXPECT_EQ(assumed.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(assumed.error().text(), "\"p\" is out of sync (stored: 2, assume: 1)");
}

TEST(CatalogueF, F07_EarlierPromisesAreTakenBack) {
  Promises place;
  place.add(pvc("e").of("wait").size("2G"), pv("q").of("wait").size("2G").on("n1"));
  const PodBuilder asking = pod("a").claim("c").claim("e");
  const NodePlan plan = place.look(asking, "n1").plan;
  place.add(pv("q").of("wait").size("2G").on("n1").version("2"));
  ASSERT_FALSE(place.ledger.assume(asking, "n1", plan));
  EXPECT_FALSE(place.is_anything_promised());
}

TEST(CatalogueF, F08_ClaimToBeProvisionedGetsItsNode) {
  Promises place;
  const auto assumed = place.assume(place.planned());
  ASSERT_TRUE(assumed);
  ASSERT_EQ(assumed->claims.size(), 1U);
  const std::string* selected =
      find_annotation(place.claim("d").current()->metadata, kSelectedNode);
  ASSERT_NE(selected, nullptr);
  EXPECT_EQ(*selected, "n1");
}

TEST(CatalogueF, F08_OriginalsStayAsTheyAre) {
  Promises place;
  const NodePlan plan = place.planned();
  ASSERT_TRUE(place.assume(plan));
  EXPECT_FALSE(plan.bindings[0].volume->spec.claim_ref.has_value());
  EXPECT_EQ(find_annotation(plan.provisions[0].claim->metadata, kSelectedNode), nullptr);
  EXPECT_EQ(find_annotation(place.claim("d").stored->metadata, kSelectedNode), nullptr);
}

TEST(CatalogueF, F09_ClaimThatChangedInBetweenTakesAllPromisesBack) {
  Promises place;
  const NodePlan plan = place.planned();
  place.add(pvc("d").of("wait-prov").version("2"));
  const auto assumed = place.assume(plan);
  ASSERT_FALSE(assumed);
  EXPECT_EQ(assumed.error().code(), ErrorCode::kConflict);
  EXPECT_FALSE(place.is_anything_promised());
}

TEST(CatalogueF, F10_ClaimThatAsksForTheNodeAlreadyIsPromisedAgain) {
  Promises place;
  place.add(pvc("d").of("wait-prov").version("2").selected("n1"));
  ASSERT_TRUE(place.assume(place.planned()));
  EXPECT_NE(place.claim("d").promised, nullptr);
}

TEST(CatalogueF, F11_GivingBackShowsTheStoredObjects) {
  Promises place;
  const auto assumed = place.assume(place.planned());
  ASSERT_TRUE(assumed);
  place.ledger.revert(*assumed);
  EXPECT_FALSE(place.is_anything_promised());
  EXPECT_EQ(place.volume("p").current(), place.volume("p").stored);
}

TEST(CatalogueF, F12_GivingBackTwiceDoesNothing) {
  Promises place;
  const auto assumed = place.assume(place.planned());
  ASSERT_TRUE(assumed);
  place.ledger.revert(*assumed);
  place.ledger.revert(*assumed);
  EXPECT_FALSE(place.is_anything_promised());
}

TEST(CatalogueF, F12_GivingBackNothingDoesNothing) {
  Promises place;
  ASSERT_TRUE(place.assume(place.planned()));
  place.ledger.revert(AssumedPlan());
  EXPECT_TRUE(place.is_anything_promised());
}

TEST(CatalogueF, F13_OnlyClaimThatWasBoundMeanwhileIsDone) {
  Promises place;
  const NodePlan plan = place.look(place.one, "n1").plan;
  place.add(pvc("c").of("wait").version("9").bound_to("another"));
  const auto assumed = place.ledger.assume(place.one, "n1", plan);
  ASSERT_TRUE(assumed);
  EXPECT_TRUE(assumed->is_all_bound);
}

TEST(CatalogueF, F15_ReferenceWrittenIntoAVolumeIsComplete) {
  Promises place;
  ASSERT_TRUE(place.assume(place.planned()));
  const VolumePtr promised = place.volume("p").promised;
  ASSERT_NE(promised, nullptr);
  EXPECT_EQ(*promised->spec.claim_ref,
            (api::ObjectReference{.kind = "PersistentVolumeClaim",
                                  .ns = "ns",
                                  .name = "c",
                                  .uid = "claim-c",
                                  .api_version = "v1",
                                  .resource_version = "8"}));
  const std::string* mark = find_annotation(promised->metadata, kBoundByController);
  ASSERT_NE(mark, nullptr);
  EXPECT_EQ(*mark, "yes");
}

TEST(CatalogueF, F16_PlanCanBePromisedAgainAfterItWasGivenBack) {
  Promises place;
  const NodePlan plan = place.planned();
  const auto assumed = place.assume(plan);
  ASSERT_TRUE(assumed);
  place.ledger.revert(*assumed);
  ASSERT_TRUE(place.assume(plan));
  EXPECT_NE(place.volume("p").promised, nullptr);
  EXPECT_NE(place.claim("d").promised, nullptr);
}

TEST(CatalogueQ, Q14_VolumeLabelledBetweenFilterAndReserveIsOutOfSyncAndRetried) {
  Promises place;
  const NodePlan stale = place.planned();
  place.add(pv("p").of("wait").on("n1").version("2").label("touched", "yes"));
  const auto refused = place.assume(stale);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(refused.error().text(), "\"p\" is out of sync (stored: 2, assume: 1)");
  EXPECT_FALSE(place.is_anything_promised());
  const auto retried = place.assume(place.planned());
  ASSERT_TRUE(retried);
  ASSERT_EQ(retried->volumes.size(), 1U);
  EXPECT_EQ(retried->volumes[0].volume->metadata.resource_version, "2");
  EXPECT_NE(place.volume("p").promised, nullptr);
}

}  // namespace
}  // namespace berth::volumes
