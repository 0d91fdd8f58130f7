// Rows B of the catalogue: bound claims, and from where their volumes are reached.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/objects/affinity.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/volume_sources.h"
#include "volumes/answer.h"
#include "volumes/names.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"

namespace berth::volumes {
namespace {

using testing::csi_node;
using testing::node;
using testing::NodeBuilder;
using testing::Place;
using testing::pod;
using testing::pv;
using testing::pvc;
using testing::Texts;
using testing::texts;
using testing::VolumeBuilder;

// The claim c is bound to the volume p; whether its pod can go to a node with these labels.
bool is_reached(const VolumeBuilder& volume, NodeBuilder from) {
  Place place;
  place.add(pvc("c").of("imm").bound_to("p"), volume, from.version("2"));
  const Texts reasons = place.reasons(pod("a").claim("c"), from->metadata.name);
  EXPECT_TRUE(reasons.empty() || reasons == texts(kNodeConflict));
  return reasons.empty();
}

api::NodeSelectorTerm both(std::string_view key, std::string_view other_key) {
  return {.match_expressions = {{.key = std::string(key), .op = "Exists"},
                                {.key = std::string(other_key), .op = "Exists"}}};
}

TEST(CatalogueB, B01_ReachableVolumeOfABoundClaimNeedsNoPlan) {
  Place place;
  place.add(pvc("c").of("imm").bound_to("p"), pv("p").of("imm").on("n1"));
  const NodeAnswer found = place.look(pod("a").claim("c"), "n1");
  EXPECT_TRUE(found.answer.is_success());
  EXPECT_TRUE(found.plan.empty());
}

TEST(CatalogueB, B02_BoundClaimWhoseVolumeIsGoneSaysSo) {
  Place place;
  place.add(pvc("c").of("imm").bound_to("p"));
  EXPECT_EQ(place.look(pod("a").claim("c"), "n1").answer, Answer::unresolvable(kVolumeNotExist));
}

TEST(CatalogueB, B03_BoundVolumeIsReachedFromItsNodeOnly) {
  EXPECT_TRUE(is_reached(pv("p").on("n1"), node("n1")));
  EXPECT_FALSE(is_reached(pv("p").on("n1"), node("n2")));
}

TEST(CatalogueB, B04_WithoutAffinityAVolumeIsReachedFromEverywhere) {
  EXPECT_TRUE(is_reached(pv("p"), node("n1")));
}

TEST(CatalogueB, B05_AffinityWithoutASelectorReachesEverywhere) {
  EXPECT_TRUE(is_reached(pv("p").affinity_without_selector(), node("n1")));
}

TEST(CatalogueB, B06_SelectorWithoutTermsReachesNowhere) {
  EXPECT_FALSE(is_reached(pv("p").reachable({}), node("n1")));
}

TEST(CatalogueB, B07_TermWithoutRequirementsReachesNowhere) {
  EXPECT_FALSE(is_reached(pv("p").term({}), node("n1")));
}

TEST(CatalogueB, B08_OneOfTwoTermsIsEnough) {
  EXPECT_TRUE(is_reached(pv("p").where("rack", "In", {"1"}).where("rack", "In", {"2"}),
                         node("n1").label("rack", "2")));
}

TEST(CatalogueB, B09_AllRequirementsOfATermAreNeeded) {
  EXPECT_TRUE(is_reached(pv("p").term(both("x", "y")), node("n1").label("x", "").label("y", "")));
  EXPECT_FALSE(is_reached(pv("p").term(both("x", "y")), node("n1").label("x", "")));
}

TEST(CatalogueB, B10_AbsentLabelDoesNotMatch) {
  EXPECT_FALSE(is_reached(pv("p").where("rack", "In", {"1"}), node("n1")));
}

TEST(CatalogueB, B11_OtherValueDoesNotMatch) {
  EXPECT_FALSE(is_reached(pv("p").where("rack", "In", {"1"}), node("n1").label("rack", "2")));
}

TEST(CatalogueB, B12_WithoutAMatchingTermNothingMatches) {
  EXPECT_FALSE(is_reached(pv("p").where("rack", "In", {"1"}).where("row", "In", {"1"}),
                          node("n1").label("rack", "2").label("row", "2")));
}

TEST(CatalogueB, B13_RequirementsOnFieldsAreNotLookedAt) {
  EXPECT_TRUE(is_reached(
      pv("p").term({.match_fields = {{.key = "metadata.name", .op = "In", .values = {"n2"}}}}),
      node("n1")));
}

TEST(CatalogueB, B14_AbsentLabelSatisfiesNotIn) {
  EXPECT_TRUE(is_reached(pv("p").where("rack", "NotIn", {"1"}), node("n1")));
}

TEST(CatalogueB, B14_GtComparesNumbers) {
  const VolumeBuilder volume = pv("p").where("disks", "Gt", {"9"});
  EXPECT_TRUE(is_reached(volume, node("n1").label("disks", "10")));
  EXPECT_FALSE(is_reached(volume, node("n1").label("disks", "9")));
}

TEST(CatalogueB, B15_MalformedTermDoesNotSpoilAnother) {
  EXPECT_TRUE(is_reached(pv("p").where("rack", "Almost", {"1"}).on("n1"), node("n1")));
}

TEST(CatalogueB, B16_UnreachableVolumeAndUnmatchedClaimAreBothTold) {
  Place place;
  place.add(pvc("c").of("imm").bound_to("p"), pv("p").of("imm").on("n2"), pvc("d").of("wait"));
  EXPECT_EQ(place.reasons(pod("a").claim("c").claim("d"), "n1"),
            texts(kNodeConflict, kBindConflict));
}

TEST(CatalogueB, B17_UnmatchedClaimAndMissingVolumeAreBothTold) {
  Place place;
  place.add(pvc("c").of("imm").bound_to("p"), pvc("d").of("wait"));
  EXPECT_EQ(place.reasons(pod("a").claim("c").claim("d"), "n1"),
            texts(kBindConflict, kVolumeNotExist));
}

TEST(CatalogueB, B18_MissingVolumeHidesALaterUnreachableOne) {
  Place place;
  place.add(pvc("c").of("imm").bound_to("gone"));
  place.add(pvc("d").of("imm").bound_to("p"), pv("p").of("imm").on("n2"));
  EXPECT_EQ(place.reasons(pod("a").claim("c").claim("d"), "n1"), texts(kVolumeNotExist));
}

// In-tree volumes that a CSI driver serves.

constexpr std::string_view kGcePlugin = "kubernetes.io/gce-pd";
constexpr std::string_view kGceZone = "topology.gke.io/zone";

VolumeBuilder gce_disk() {
  api::PersistentVolumeSource source;
  source.gce_persistent_disk = api::GCEPersistentDiskVolumeSource{.pd_name = "disk"};
  return pv("p").of("imm").source(source).label(kBetaZone, "a").label(kBetaRegion, "r");
}

VolumeBuilder ebs_disk(std::string_view id) {
  api::PersistentVolumeSource source;
  source.aws_elastic_block_store =
      api::AWSElasticBlockStoreVolumeSource{.volume_id = std::string(id)};
  return pv("p").of("imm").source(source);
}

// The reasons of n1, which is in this zone and serves these plugins by CSI, for a pod whose claim
// is bound to p.
Texts reasons_in_zone(const VolumeBuilder& volume,
                      std::string_view zone_key,
                      std::string_view zone,
                      std::string_view plugins) {
  Place place;
  place.add(
      pvc("c").of("imm").bound_to("p"), volume, node("n1").version("2").label(zone_key, zone));
  place.add(csi_node("n1").migrates(plugins));
  return place.reasons(pod("a").claim("c"), "n1");
}

TEST(CatalogueB, B19_MigratedVolumeIsReachedWithinItsZone) {
  EXPECT_EQ(reasons_in_zone(gce_disk(), kGceZone, "a", kGcePlugin), Texts());
}

TEST(CatalogueB, B20_MigratedVolumeIsNotReachedFromAnotherZone) {
  EXPECT_EQ(reasons_in_zone(gce_disk(), kGceZone, "b", kGcePlugin), texts(kNodeConflict));
}

TEST(CatalogueB, B21_WhereThePluginIsNotListedNothingIsTranslated) {
  EXPECT_EQ(reasons_in_zone(gce_disk(), kGceZone, "b", "kubernetes.io/aws-ebs"), Texts());
}

TEST(CatalogueB, B22_WithoutACsiNodeNothingIsTranslated) {
  Place place;
  place.add(pvc("c").of("imm").bound_to("p"), gce_disk());
  place.add(node("n1").version("2").label(kGceZone, "b"));
  EXPECT_EQ(place.reasons(pod("a").claim("c"), "n1"), Texts());
}

TEST(CatalogueB, B23_SourceThatIsNeverMigratedIsNotTranslated) {
  api::PersistentVolumeSource source;
  source.rbd = api::RBDPersistentVolumeSource{};
  EXPECT_EQ(reasons_in_zone(pv("p").of("imm").source(source).label(kBetaZone, "a"),
                            kGceZone,
                            "b",
                            "kubernetes.io/rbd,kubernetes.io/gce-pd"),
            Texts());
}

TEST(CatalogueB, B24_NamesOfMigratedPluginsAreNotTrimmed) {
  EXPECT_EQ(reasons_in_zone(gce_disk(), kGceZone, "b", "a, kubernetes.io/gce-pd"), Texts());
}

TEST(CatalogueB, B25_VolumeThatCannotBeTranslatedIsAnError) {
  Place place;
  place.add(pvc("c").of("imm").bound_to("p"), ebs_disk("aws://too/many/parts/of/it"));
  place.add(csi_node("n1").migrates("kubernetes.io/aws-ebs"));
  const Answer answer = place.look(pod("a").claim("c"), "n1").answer;
  EXPECT_EQ(answer.code, Code::kError);
  ASSERT_EQ(answer.reasons.size(), 1U);
  EXPECT_TRUE(answer.reasons[0].starts_with("could not translate pv: ")) << answer.reasons[0];
}

TEST(CatalogueB, B26_TranslationRenamesTheZoneKey) {
  const VolumeBuilder volume = ebs_disk("vol-1").where(kZone, "In", {"a"});
  constexpr std::string_view kPlugin = "kubernetes.io/aws-ebs";
  EXPECT_EQ(reasons_in_zone(volume, "topology.ebs.csi.aws.com/zone", "a", kPlugin), Texts());
  EXPECT_EQ(reasons_in_zone(volume, kZone, "a", kPlugin), texts(kNodeConflict));
}

TEST(CatalogueB, B27_ZonesJoinedInALabelAreSeveralZones) {
  const VolumeBuilder volume = ebs_disk("vol-1").label(kZone, "a__b");
  for (const std::string_view zone : {"a", "b", "c"}) {
    EXPECT_EQ(
        reasons_in_zone(volume, "topology.ebs.csi.aws.com/zone", zone, "kubernetes.io/aws-ebs")
            .empty(),
        zone != "c")
        << zone;
  }
}

}  // namespace
}  // namespace berth::volumes
