// Rows K of the catalogue: objects as they are stored, and as they are promised.
//
// Upstream keeps promises beside an informer's store, which may be ahead of the events. Here events
// and store are one: what an event brought is what is stored from then on.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
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

using testing::ClaimBuilder;
using testing::Place;
using testing::pod;
using testing::PodBuilder;
using testing::pv;
using testing::pvc;
using testing::texts;
using testing::VolumeBuilder;

constexpr std::string_view kOwner = "pod-a";

VolumeBuilder stored(std::string_view version) {
  return pv("p").of("wait").version(version);
}
VolumeBuilder promised(std::string_view version) {
  return stored(version).names("c", "claim-c");
}

// What is seen of the volume p.
const VolumeEntry* seen(const Catalog& catalog) {
  return catalog.now().find_volume("p");
}
bool is_promised(const Catalog& catalog) {
  return seen(catalog) != nullptr && seen(catalog)->current()->spec.claim_ref.has_value();
}

std::size_t free_volumes_of(const View& view, std::string_view storage_class) {
  const VolumesByReach* places = view.find_free({.storage_class = std::string(storage_class),
                                                 .mode = std::string(kFilesystemMode),
                                                 .attributes_class = ""});
  std::size_t count = 0;
  if (places != nullptr) {
    for (const auto& [reach, place] : *places) {
      count += place.volumes.size();
    }
  }
  return count;
}

TEST(CatalogueK, K01_UnknownIsNotFound) {
  const Catalog catalog;
  EXPECT_EQ(catalog.now().find_volume("p"), nullptr);
  EXPECT_EQ(catalog.now().find_claim("ns/c"), nullptr);
}

TEST(CatalogueK, K02_IndexShowsWhatIsStored) {
  Catalog catalog;
  for (int i = 0; i < 10; ++i) {
    catalog.set(pv("p" + std::to_string(i)).of("wait"));
  }
  catalog.set(pv("p3").of("wait").version("2").phase("Released"));
  catalog.remove_volume("p4");
  EXPECT_EQ(free_volumes_of(catalog.now(), "wait"), 8U);
}

TEST(CatalogueK, K03_IndexKeepsItsValuesApart) {
  Catalog catalog;
  catalog.set(pv("p").of("wait"));
  catalog.set(pv("q").of("other"));
  catalog.set(pv("r").of("other"));
  EXPECT_EQ(free_volumes_of(catalog.now(), "wait"), 1U);
  EXPECT_EQ(free_volumes_of(catalog.now(), "other"), 2U);
}

TEST(CatalogueK, K04_PromiseOnTheStoredVersionIsSeen) {
  Catalog catalog;
  catalog.set(stored("5"));
  ASSERT_TRUE(catalog.promise(promised("5"), kOwner));
  EXPECT_TRUE(is_promised(catalog));
}

TEST(CatalogueK, K05_PromiseOnANewerVersionIsRefused) {
  Catalog catalog;
  catalog.set(stored("5"));
  EXPECT_EQ(catalog.promise(promised("6"), kOwner).error().code(), ErrorCode::kConflict);
  EXPECT_FALSE(is_promised(catalog));
}

TEST(CatalogueK, K06_PromiseOnAnOlderOrOddVersionIsRefused) {
  for (const std::string_view version : {"4", "odd"}) {
    Catalog catalog;
    catalog.set(stored("5"));
    EXPECT_EQ(catalog.promise(promised(version), kOwner).error().code(), ErrorCode::kConflict)
        << version;
  }
}

TEST(CatalogueK, K07_VersionsAreComparedAsTexts) {
  Catalog catalog;
  catalog.set(stored("odd"));
  EXPECT_FALSE(catalog.promise(promised("odder"), kOwner));
  EXPECT_TRUE(catalog.promise(promised("odd"), kOwner));
}

TEST(CatalogueK, K08_PromiseOnAnUnknownObjectIsRefused) {
  Catalog catalog;
  EXPECT_EQ(catalog.promise(promised("5"), kOwner).error().code(), ErrorCode::kNotFound);
}

TEST(CatalogueK, K09_GivingBackWhatWasNeverPromisedDoesNothing) {
  Catalog catalog;
  catalog.release_volume("p", kOwner);
  catalog.set(stored("5"));
  catalog.release_volume("p", kOwner);
  EXPECT_EQ(seen(catalog)->current(), seen(catalog)->stored);
}

TEST(CatalogueK, K10_AfterGivingBackTheStoredObjectIsSeen) {
  Catalog catalog;
  catalog.set(stored("5"));
  ASSERT_TRUE(catalog.promise(promised("5"), kOwner));
  catalog.release_volume("p", kOwner);
  EXPECT_FALSE(is_promised(catalog));
}

TEST(CatalogueK, K11_GivingBackAnOldPromiseLeavesANewerOne) {
  Place place;
  Ledger ledger(place.catalog, place.switches);
  const PodBuilder asking = pod("a").claim("c");
  place.add(pvc("c").of("wait"), stored("5"));
  const auto old = ledger.assume(asking, "n1", place.look(asking, "n1").plan);
  ASSERT_TRUE(old);
  place.add(stored("7"));
  ASSERT_TRUE(ledger.assume(asking, "n1", place.look(asking, "n1").plan));
  ledger.revert(*old);
  EXPECT_TRUE(is_promised(place.catalog));
}

TEST(CatalogueK, K12_SameVersionComingAgainLeavesThePromise) {
  Catalog catalog;
  catalog.set(stored("5"));
  ASSERT_TRUE(catalog.promise(promised("5"), kOwner));
  catalog.set(stored("5"));
  EXPECT_TRUE(is_promised(catalog));
}

TEST(CatalogueK, K13_EventsThatLeadToTheVersionLeaveThePromise) {
  Catalog catalog;
  catalog.set(stored("1"));
  catalog.remove_volume("p");
  catalog.set(stored("2"));
  ASSERT_TRUE(catalog.promise(promised("2"), kOwner));
  catalog.set(stored("2"));
  EXPECT_TRUE(is_promised(catalog));
}

TEST(CatalogueK, K14_NewerStoredVersionIsSeen) {
  Catalog catalog;
  catalog.set(stored("5"));
  ASSERT_TRUE(catalog.promise(promised("5"), kOwner));
  catalog.set(stored("6"));
  EXPECT_EQ(seen(catalog)->current()->metadata.resource_version, "6");
  EXPECT_EQ(free_volumes_of(catalog.now(), "wait"), 1U);
}

TEST(CatalogueK, K15_RemovedObjectTakesItsPromiseWithIt) {
  Catalog catalog;
  catalog.set(stored("5"));
  ASSERT_TRUE(catalog.promise(promised("5"), kOwner));
  catalog.remove_volume("p");
  EXPECT_EQ(seen(catalog), nullptr);
}

TEST(CatalogueK, K16_ObjectMadeAnewHasNoPromise) {
  Catalog catalog;
  catalog.set(stored("5"));
  ASSERT_TRUE(catalog.promise(promised("5"), kOwner));
  catalog.remove_volume("p");
  catalog.set(stored("9").uid("another"));
  EXPECT_FALSE(is_promised(catalog));
}

TEST(CatalogueK, K16_AlsoWhenItsRemovalWasMissed) {
  Catalog catalog;
  catalog.set(stored("5"));
  ASSERT_TRUE(catalog.promise(promised("5"), kOwner));
  catalog.set(stored("5").uid("another"));
  EXPECT_FALSE(is_promised(catalog));
}

TEST(CatalogueK, K17_WhatOneProfilePromisesTheOthersSee) {
  Place place;
  place.add(pvc("c").of("wait"), pvc("d").of("wait"), stored("5"));
  Ledger ledger(place.catalog, place.switches);
  const PodBuilder of_one_profile = pod("a").claim("c");
  ASSERT_TRUE(ledger.assume(of_one_profile, "n1", place.look(of_one_profile, "n1").plan));
  EXPECT_EQ(place.reasons(pod("of another profile").claim("d"), "n1"), texts(kBindConflict));
}

TEST(CatalogueK, K17_TwoCatalogsShareTheObjectsAndPromiseEachForItself) {
  const VolumePtr shared = stored("5");
  Catalog one;
  Catalog other;
  one.set(shared);
  other.set(shared);
  ASSERT_TRUE(one.promise(promised("5"), kOwner));
  EXPECT_TRUE(is_promised(one));
  EXPECT_EQ(free_volumes_of(one.now(), "wait"), 0U);
  EXPECT_FALSE(is_promised(other));
  EXPECT_EQ(free_volumes_of(other.now(), "wait"), 1U);
  EXPECT_EQ(seen(one)->stored, seen(other)->stored);
}

TEST(CatalogueK, K18_PromisedObjectIsFiledUnderTheStoredClass) {
  Catalog catalog;
  catalog.set(stored("5"));
  ASSERT_TRUE(catalog.promise(stored("5").note(kBetaStorageClass, "other"), kOwner));
  EXPECT_EQ(class_of(*seen(catalog)->current()), "other");
  EXPECT_EQ(free_volumes_of(catalog.now(), "wait"), 1U);
  EXPECT_EQ(free_volumes_of(catalog.now(), "other"), 0U);
  catalog.release_volume("p", kOwner);
  EXPECT_EQ(free_volumes_of(catalog.now(), "wait"), 1U);
}

TEST(CatalogueK, K18_NoPlanPromisesAnotherClass) {
  const VolumePtr before = stored("5").note(kBetaStorageClass, "other");
  const ClaimedVolume claimed = claim_volume(before, *pvc("c").of("wait"));
  EXPECT_EQ(class_of(*claimed.volume), class_of(*before));
}

// Two pods share a claim; one of them gives its promise back.
bool is_promised_after_one_of_two(bool counts_owners) {
  Place place;
  place.switches.count_owners = counts_owners;
  Ledger ledger(place.catalog, place.switches);
  place.add(pvc("c").of("wait-prov"));
  const auto first =
      ledger.assume(pod("a").claim("c"), "n1", place.look(pod("a").claim("c"), "n1").plan);
  const auto second =
      ledger.assume(pod("b").claim("c"), "n1", place.look(pod("b").claim("c"), "n1").plan);
  EXPECT_TRUE(first && second);
  ledger.revert(*first);
  return place.catalog.now().find_claim("ns/c")->promised != nullptr;
}

TEST(CatalogueK, K19_PromiseLastsUntilItsLastOwnerGivesItBack) {
  EXPECT_TRUE(is_promised_after_one_of_two(true));
}

TEST(CatalogueK, K19_PromiseIsGoneForBothWhereUpstreamsRuleIsKept) {
  EXPECT_FALSE(is_promised_after_one_of_two(false));
}

TEST(CatalogueK, K20_ReadersNeverSeeHalfAChange) {
  Catalog catalog;
  catalog.set(stored("5"));
  const View before = catalog.view();
  ASSERT_TRUE(catalog.promise(promised("5"), kOwner));
  const View during = catalog.view();
  catalog.set(stored("6").phase("Released"));
  EXPECT_EQ(free_volumes_of(before, "wait"), 1U);
  EXPECT_TRUE(before.volumes_naming("ns/c").empty());
  EXPECT_EQ(free_volumes_of(during, "wait"), 0U);
  EXPECT_EQ(during.volumes_naming("ns/c").size(), 1U);
  EXPECT_EQ(before.find_volume("p")->current()->metadata.resource_version, "5");
}

}  // namespace
}  // namespace berth::volumes
