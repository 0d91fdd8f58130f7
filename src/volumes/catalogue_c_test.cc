// Rows C of the catalogue: which free volume a delayed claim gets on a node.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/meta.h"
#include "volumes/answer.h"
#include "volumes/ledger.h"
#include "volumes/names.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"

namespace berth::volumes {
namespace {

using testing::ClaimBuilder;
using testing::driver;
using testing::node;
using testing::Place;
using testing::pod;
using testing::pv;
using testing::pvc;
using testing::storage_class;
using testing::Texts;
using testing::texts;
using testing::VolumeBuilder;

ClaimBuilder claim(std::string_view name = "c") {
  return pvc(name).of("wait");
}
VolumeBuilder volume(std::string_view name) {
  return pv(name).of("wait");
}

// The volume that the claim gets on n1, if it is the only one of its pod; empty for none.
std::string match(const ClaimBuilder& claim,
                  std::initializer_list<VolumeBuilder> volumes,
                  const Switches& switches = {}) {
  Place place;
  place.switches = switches;
  place.add(claim);
  for (const VolumeBuilder& one : volumes) {
    place.add(one);
  }
  const NodeAnswer found = place.look(pod("a").claim(claim->metadata.name), "n1");
  if (found.plan.bindings.empty()) {
    EXPECT_EQ(found.answer, Answer::unresolvable(kBindConflict));
    return "";
  }
  return found.plan.bindings[0].volume->metadata.name;
}

Texts plan(std::initializer_list<ClaimBuilder> claims,
           std::initializer_list<VolumeBuilder> volumes,
           const testing::PodBuilder& asking) {
  Place place;
  for (const ClaimBuilder& one : claims) {
    place.add(one);
  }
  for (const VolumeBuilder& one : volumes) {
    place.add(one);
  }
  const NodeAnswer found = place.look(asking, "n1");
  return found.answer.is_success() ? Place::told(found.plan) : found.answer.reasons;
}

TEST(CatalogueC, C01_SmallestFittingVolumeOnTheNodeIsTaken) {
  EXPECT_EQ(match(claim().size("1G"),
                  {volume("small").size("1G").on("n2"),
                   volume("large").size("10G").on("n1"),
                   volume("middle").size("5G").on("n1")}),
            "middle");
}

TEST(CatalogueC, C02_VolumeElsewhereDoesNotHelp) {
  EXPECT_EQ(match(claim(), {volume("p").on("n2")}), "");
}

TEST(CatalogueC, C03_ClaimsGetVolumesInTheOrderOfTheirSizes) {
  EXPECT_EQ(plan({claim("c").size("1G"), claim("d").size("5G")},
                 {volume("p").size("5G"), volume("q").size("10G")},
                 pod("a").claim("c").claim("d")),
            texts("c->p", "d->q"));
}

TEST(CatalogueC, C04_OrderInThePodDoesNotMatter) {
  EXPECT_EQ(plan({claim("c").size("1G"), claim("d").size("5G")},
                 {volume("p").size("5G"), volume("q").size("10G")},
                 pod("a").claim("d").claim("c")),
            texts("c->p", "d->q"));
}

TEST(CatalogueC, C05_TooFewVolumesAreAConflict) {
  EXPECT_EQ(plan({claim("c").size("1G"), claim("d").size("5G")},
                 {volume("p").size("5G")},
                 pod("a").claim("c").claim("d")),
            texts(kBindConflict));
}

TEST(CatalogueC, C06_OnlyUnboundClaimsArePlanned) {
  EXPECT_EQ(plan({claim("c").bound_to("p"), claim("d")},
                 {volume("p").names("c", "claim-c").phase("Bound").on("n1"), volume("q").on("n1")},
                 pod("a").claim("c").claim("d")),
            texts("d->q"));
}

TEST(CatalogueC, C07_BoundClaimDoesNotHelpAnUnboundOne) {
  EXPECT_EQ(plan({claim("c").bound_to("p"), claim("d")},
                 {volume("p").names("c", "claim-c").phase("Bound").on("n1"), volume("q").on("n2")},
                 pod("a").claim("c").claim("d")),
            texts(kBindConflict));
}

TEST(CatalogueC, C08_ExactSizeIsTakenBeforeALargerOne) {
  EXPECT_EQ(match(claim().size("100G"), {volume("p").size("150G"), volume("q").size("100G")}), "q");
}

TEST(CatalogueC, C09_VolumeThatNamesTheClaimIsTakenBeforeASmallerFreeOne) {
  EXPECT_EQ(match(claim(), {volume("p").size("9G").names("c"), volume("q")}), "p");
}

TEST(CatalogueC, C10_VolumeThatNamesAnEarlierClaimOfThatNameIsNotTaken) {
  EXPECT_EQ(match(claim(), {volume("p").names("c", "another uid")}), "");
}

TEST(CatalogueC, C11_VolumeWithTheClaimsUidIsTaken) {
  EXPECT_EQ(match(claim(), {volume("p").size("9G").names("c", "claim-c"), volume("q")}), "p");
}

TEST(CatalogueC, C12_PreboundElsewhereMatchesNothing) {
  EXPECT_EQ(match(claim(), {volume("p").names("c").on("n2"), volume("q").on("n1")}), "");
  EXPECT_EQ(match(claim(), {volume("q").names("c").on("n2"), volume("p").on("n1")}), "");
}

TEST(CatalogueC, C13_PreboundElsewhereMayBeProvisionedWhereUpstreamsRuleIsKept) {
  Place place;
  place.add(pvc("c").of("wait-prov"), pv("p").of("wait-prov").names("c").on("n2"));
  place.switches.exclusive_prebound = false;
  EXPECT_EQ(place.plan(pod("a").claim("c"), "n1"), texts("c+"));
}

TEST(CatalogueC, C13_PreboundElsewhereIsNotProvisionedByOurs) {
  Place place;
  place.add(pvc("c").of("wait-prov"), pv("p").of("wait-prov").names("c").on("n2"));
  EXPECT_EQ(place.reasons(pod("a").claim("c"), "n1"), texts(kBindConflict));
}

TEST(CatalogueC, C14_PreboundTooSmallDoesNotStandInTheWay) {
  EXPECT_EQ(match(claim().size("5G"), {volume("p").size("1G").names("c"), volume("q").size("5G")}),
            "q");
}

TEST(CatalogueC, C15_PhaseOfAPreboundVolumeDoesNotMatter) {
  for (const std::string_view phase : {"Bound", "Pending"}) {
    EXPECT_EQ(match(claim(), {volume("p").names("c").phase(phase)}), "p") << phase;
  }
}

TEST(CatalogueC, C16_AccessModesOfAPreboundVolumeDoNotMatterWhereUpstreamsRuleIsKept) {
  EXPECT_EQ(match(claim().modes({"ReadWriteMany"}),
                  {volume("p").names("c")},
                  Switches{.prebound_modes = false}),
            "p");
}

TEST(CatalogueC, C16_AccessModesOfAPreboundVolumeMatterToOurs) {
  EXPECT_EQ(match(claim().modes({"ReadWriteMany"}), {volume("p").names("c")}), "");
}

TEST(CatalogueC, C17_PreboundVolumeOfAnotherClassIsNotSeen) {
  Place place;
  place.add(claim(), storage_class("other"), pv("p").of("other").names("c"));
  EXPECT_EQ(place.reasons(pod("a").claim("c"), "n1"), texts(kBindConflict));
}

TEST(CatalogueC, C18_FreeVolumeMustBeAvailable) {
  for (const std::string_view phase : {"Pending", "Released", "Failed", ""}) {
    EXPECT_EQ(match(claim(), {volume("p").phase(phase)}), "") << phase;
  }
}

TEST(CatalogueC, C19_MissingAccessModeExcludes) {
  EXPECT_EQ(match(claim().modes({"ReadWriteMany"}),
                  {volume("p").modes({"ReadWriteOnce", "ReadOnlyMany"})}),
            "");
}

TEST(CatalogueC, C20_MoreAccessModesThanWantedAreFine) {
  EXPECT_EQ(match(claim().modes({"ReadWriteOnce"}),
                  {volume("p").modes({"ReadWriteOnce", "ReadOnlyMany"})}),
            "p");
}

TEST(CatalogueC, C21_ClaimThatWantsNoAccessModeTakesAny) {
  EXPECT_EQ(match(claim().modes({}), {volume("p").modes({"ReadOnlyMany"})}), "p");
}

TEST(CatalogueC, C22_SelectorDecidesByLabels) {
  const api::LabelSelector fast{.match_labels = {{"disk", "fast"}}};
  EXPECT_EQ(match(claim().selector(fast), {volume("p").label("disk", "fast")}), "p");
  EXPECT_EQ(match(claim().selector(fast), {volume("p").label("disk", "slow")}), "");
}

TEST(CatalogueC, C23_EmptySelectorTakesAll) {
  EXPECT_EQ(match(claim().selector({}), {volume("p")}), "p");
}

TEST(CatalogueC, C24_InvalidSelectorIsAnError) {
  Place place;
  place.add(claim().selector({.match_expressions = {{.key = "disk", .op = "Almost"}}}),
            volume("p"));
  EXPECT_EQ(place.look(pod("a").claim("c"), "n1").answer.code, Code::kError);
}

TEST(CatalogueC, C25_VolumeThatIsGoingAwayIsNotTaken) {
  EXPECT_EQ(match(claim(), {volume("p").deleting()}), "");
  EXPECT_EQ(match(claim(), {volume("p").names("c").deleting()}), "");
}

TEST(CatalogueC, C26_BlockAndFilesystemDoNotMatch) {
  EXPECT_EQ(match(claim().volume_mode("Block"), {volume("p").volume_mode("Filesystem")}), "");
  EXPECT_EQ(match(claim().volume_mode("Filesystem"), {volume("p").volume_mode("Block")}), "");
}

TEST(CatalogueC, C27_UnsetModeIsFilesystem) {
  EXPECT_EQ(match(claim(), {volume("p").volume_mode("Filesystem")}), "p");
  EXPECT_EQ(match(claim().volume_mode("Filesystem"), {volume("p")}), "p");
  EXPECT_EQ(match(claim(), {volume("p")}), "p");
}

TEST(CatalogueC, C28_UnsetModeIsNotBlock) {
  EXPECT_EQ(match(claim(), {volume("p").volume_mode("Block")}), "");
  EXPECT_EQ(match(claim().volume_mode("Block"), {volume("p")}), "");
}

TEST(CatalogueC, C29_EqualAttributesClassesMatch) {
  EXPECT_EQ(match(claim().attributes("silver"), {volume("p").attributes("silver")}), "p");
}

TEST(CatalogueC, C30_OtherAttributesClassesDoNotMatch) {
  EXPECT_EQ(match(claim().attributes("silver"), {volume("p")}), "");
  EXPECT_EQ(match(claim().attributes("silver"), {volume("p").attributes("gold")}), "");
}

TEST(CatalogueC, C30_NorWhereTheVolumeNamesTheClaim) {
  EXPECT_EQ(match(claim().attributes("silver"), {volume("p").attributes("gold").names("c")}), "");
}

TEST(CatalogueC, C31_UnsetAttributesClassIsTheEmptyOne) {
  EXPECT_EQ(match(claim(), {volume("p").attributes("")}), "p");
}

TEST(CatalogueC, C32_ChosenVolumeIsNotChosenAgain) {
  EXPECT_EQ(plan({claim("c"), claim("d")},
                 {volume("p").size("1G"), volume("q").size("2G")},
                 pod("a").claim("c").claim("d")),
            texts("c->p", "d->q"));
}

TEST(CatalogueC, C33_WhenAllAreChosenThereIsNone) {
  EXPECT_EQ(plan({claim("c"), claim("d")}, {volume("p")}, pod("a").claim("c").claim("d")),
            texts(kBindConflict));
}

TEST(CatalogueC, C34_EachNodeGetsItsOwnVolume) {
  Place place;
  place.add(claim(), volume("p").on("n1"), volume("q").on("n2"), node("n3"));
  EXPECT_EQ(place.plan(pod("a").claim("c"), "n1"), texts("c->p"));
  EXPECT_EQ(place.plan(pod("a").claim("c"), "n2"), texts("c->q"));
  EXPECT_EQ(place.reasons(pod("a").claim("c"), "n3"), texts(kBindConflict));
}

TEST(CatalogueC, C35_VolumeWithoutAffinityServesAnyNode) {
  Place place;
  place.add(claim(), volume("p"));
  EXPECT_EQ(place.plan(pod("a").claim("c"), "n2"), texts("c->p"));
}

TEST(CatalogueC, C36_ClaimThatRequestsNothingTakesTheSmallest) {
  EXPECT_EQ(match(claim().without_size(), {volume("p").size("2G"), volume("q").size("1k")}), "q");
}

TEST(CatalogueC, C37_SizesAreComparedExactly) {
  EXPECT_EQ(match(claim().size("1Gi"), {volume("p").size("1G")}), "");
}

TEST(CatalogueC, C38_VeryLargeSizesAreComparedExactly) {
  EXPECT_EQ(match(claim().size("200E"), {volume("p").size("199999999999999999999")}), "");
  EXPECT_EQ(match(claim().size("200E"), {volume("p").size("200000000000000000000")}), "p");
}

TEST(CatalogueC, C39_PromisedVolumeStaysTheChoiceOfItsClaim) {
  Place place;
  place.add(claim(), volume("p"), volume("q"), volume("r"));
  Ledger ledger(place.catalog, place.switches);
  NodePlan chosen = place.look(pod("a").claim("c"), "n1").plan;
  chosen.bindings[0].volume = place.catalog.now().find_volume("q")->stored;
  ASSERT_TRUE(ledger.assume(pod("a").claim("c"), "n1", chosen));
  EXPECT_EQ(place.plan(pod("a").claim("c"), "n1"), texts("c->q"));
}

TEST(CatalogueC, C40_PromisedVolumeIsNotOfferedToOthers) {
  Place place;
  place.add(claim("c"), claim("d"), volume("p"));
  Ledger ledger(place.catalog, place.switches);
  ASSERT_TRUE(ledger.assume(pod("a").claim("c"), "n1", place.look(pod("a").claim("c"), "n1").plan));
  EXPECT_EQ(place.reasons(pod("b").claim("d"), "n1"), texts(kBindConflict));
}

TEST(CatalogueC, C41_ClaimNamedTwiceIsPlannedOnce) {
  EXPECT_EQ(plan({claim()}, {volume("p"), volume("q")}, pod("a").claim("c").claim("c")),
            texts("c->p"));
}

TEST(CatalogueC, C41_ClaimNamedTwiceIsPlannedTwiceWhereUpstreamsRuleIsKept) {
  Place place;
  place.switches.merge_same_claim = false;
  place.add(claim(), volume("p"), volume("q"));
  EXPECT_EQ(place.plan(pod("a").claim("c").claim("c"), "n1"), texts("c->p", "c->q"));
}

TEST(CatalogueC, C42_ManyEqualClaimsGetDistinctVolumes) {
  Place place;
  testing::PodBuilder asking = pod("a");
  Texts expected;
  for (int i = 10; i < 30; ++i) {
    place.add(claim(fmt::format("c{}", i)), volume(fmt::format("p{}", i)));
    asking.claim(fmt::format("c{}", i));
    expected.push_back(fmt::format("c{0}->p{0}", i));
  }
  EXPECT_EQ(place.plan(asking, "n1"), expected);
}

TEST(CatalogueC, C46_CapacityTrackingHasNoSayInStaticMatching) {
  for (const bool tracks : {true, false}) {
    Place place;
    place.add(driver(testing::kProvisioner).tracks_capacity(tracks));
    place.add(pvc("c").of("wait-prov"), pv("p").of("wait-prov").on("n1"));
    EXPECT_EQ(place.plan(pod("a").claim("c"), "n1"), texts("c->p")) << tracks;
  }
}

}  // namespace
}  // namespace berth::volumes
