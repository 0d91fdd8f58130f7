#include "actors/volume_match.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/objects/meta.h"
#include "base/error.h"
#include "volumes/rules.h"
#include "volumes/testing/builders.h"

namespace berth::actors {
namespace {

using volumes::VolumePtr;
using volumes::testing::ClaimBuilder;
using volumes::testing::pv;
using volumes::testing::pvc;

class Match : public testing::Test {
 protected:
  std::string found(const ClaimBuilder& claim, bool is_delayed = false) const {
    const auto match = find_match(claim, is_delayed, {.pointing = pointing_, .free = free_});
    return match && *match ? (*match)->metadata.name : "";
  }

  std::vector<VolumePtr> pointing_;
  std::vector<VolumePtr> free_;
};

TEST_F(Match, TakesTheSmallestThatIsLargeEnough) {
  free_ = {pv("a").size("10G"), pv("b").size("3G"), pv("c").size("1G")};
  EXPECT_EQ(found(pvc("c").size("2G")), "b");
}

TEST_F(Match, OfEquallySmallOnesTheFirstByName) {
  free_ = {pv("a").size("3G"), pv("b").size("3G")};
  EXPECT_EQ(found(pvc("c")), "a");
}

TEST_F(Match, OneThatPointsAtTheClaimGoesFirst) {
  free_ = {pv("a").size("1G")};
  pointing_ = {pv("b").size("9G").names("c")};
  EXPECT_EQ(found(pvc("c")), "b");
}

TEST_F(Match, FewerAccessModesGoBeforeAnythingElse) {
  free_ = {pv("a").size("9G")};
  pointing_ = {pv("b").modes({"ReadWriteOnce", "ReadWriteMany"}).names("c")};
  EXPECT_EQ(found(pvc("c")), "a");
}

TEST_F(Match, EveryModeTheClaimWantsIsThere) {
  free_ = {pv("a")};
  EXPECT_EQ(found(pvc("c").modes({"ReadWriteOnce", "ReadOnlyMany"})), "");
}

TEST_F(Match, AClaimThatWaitsGetsOnlyWhatPointsAtIt) {
  free_ = {pv("a")};
  EXPECT_EQ(found(pvc("c"), true), "");
  pointing_ = {pv("b").names("c", "claim-c")};
  EXPECT_EQ(found(pvc("c"), true), "b");
}

TEST_F(Match, AVolumeOfAnEarlierClaimOfThatNameIsNotIts) {
  pointing_ = {pv("b").names("c", "another")};
  EXPECT_EQ(found(pvc("c")), "");
}

TEST_F(Match, WhatPointsAtTheClaimMustServeItNevertheless) {
  pointing_ = {pv("small").size("1M").names("c"),
               pv("block").volume_mode("Block").names("c"),
               pv("other").attributes("gold").names("c"),
               pv("going").deleting().names("c")};
  EXPECT_EQ(found(pvc("c")), "");
}

TEST_F(Match, WhatPointsAtTheClaimNeedsNeitherPhaseNorClassNorLabels) {
  pointing_ = {pv("p").of("other").phase("Pending").names("c")};
  api::LabelSelector selector;
  selector.match_labels.insert_or_assign("disk", "fast");
  EXPECT_EQ(found(pvc("c").of("wait").selector(selector)), "p");
}

TEST_F(Match, AFreeOneNeedsThemAll) {
  free_ = {pv("pending").phase("Pending"),
           pv("class").of("other"),
           pv("block").volume_mode("Block"),
           pv("going").deleting(),
           pv("plain")};
  api::LabelSelector selector;
  selector.match_labels.insert_or_assign("disk", "fast");
  EXPECT_EQ(found(pvc("c").selector(selector)), "");
  EXPECT_EQ(found(pvc("c")), "plain");
  free_.push_back(pv("fast").label("disk", "fast"));
  EXPECT_EQ(found(pvc("c").selector(selector)), "fast");
}

TEST_F(Match, ASelectorThatCannotBeReadIsAnError) {
  api::LabelSelector selector;
  selector.match_expressions.push_back({.key = "disk", .op = "Perhaps", .values = {}});
  const auto match = find_match(pvc("c").selector(selector), false, {});
  ASSERT_FALSE(match);
  EXPECT_EQ(match.error().code(), ErrorCode::kInvalid);
}

TEST(Mismatch, NamesTheFirstReason) {
  EXPECT_EQ(mismatch(pv("p"), pvc("c")), "");
  EXPECT_EQ(mismatch(pv("p").deleting(), pvc("c")), "the volume is marked for deletion \"p\"");
  EXPECT_EQ(mismatch(pv("p"), pvc("c").size("2G")), "requested PV is too small");
  EXPECT_EQ(mismatch(pv("p").of("a"), pvc("c")), "storageClassName does not match");
  EXPECT_EQ(mismatch(pv("p").attributes("a"), pvc("c")),
            "volumeAttributesClassName does not match");
  EXPECT_EQ(mismatch(pv("p").volume_mode("Block"), pvc("c")), "incompatible volumeMode");
  EXPECT_EQ(mismatch(pv("p").modes({"ReadOnlyMany"}), pvc("c")), "incompatible accessMode");
}

}  // namespace
}  // namespace berth::actors
