#include "volumes/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/pod.h"
#include "volumes/catalog.h"
#include "volumes/explain_text.h"
#include "volumes/finding.h"
#include "volumes/ledger.h"
#include "volumes/names.h"
#include "volumes/pod_claims.h"
#include "volumes/search.h"
#include "volumes/switches.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"
#include "volumes/testing/random_world.h"

namespace berth::volumes {
namespace {

using testing::driver;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::node;
using testing::pod;
using testing::pool;
using testing::pv;
using testing::pvc;
using testing::storage_class;

class Explain : public ::testing::Test {
 protected:
  std::vector<Finding> findings(const api::Pod& of, std::string_view node_name) {
    Search search(place_.check(of).claims, place_.catalog.view(), place_.switches);
    Explainer explainer(search, place_.switches);
    return explainer.look_at(*search.view().find_node_number(node_name)).findings;
  }
  Finding finding(const api::Pod& of, std::string_view node_name) {
    const auto found = findings(of, node_name);
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? Finding{} : found.front();
  }
  std::vector<Finding> notes(const api::Pod& of) {
    Search search(place_.check(of).claims, place_.catalog.view(), place_.switches);
    return Explainer(search, place_.switches).notes();
  }
  std::vector<Finding> obstacles(const api::Pod& of) {
    return explain_pod(place_.catalog.now(), of);
  }

  testing::Place place_;
};

TEST_F(Explain, ABoundClaimNamesTheKeyAndBothValues) {
  place_.add(pvc("c").of("wait").bound_to("v"), pv("v").of("wait").on("n1"));
  EXPECT_EQ(finding(*pod("p").claim("c"), "n1").kind, FindingKind::kBound);
  const Finding found = finding(*pod("p").claim("c"), "n2");
  EXPECT_EQ(found.kind, FindingKind::kVolumeUnreachable);
  EXPECT_EQ(found.sentence(),
            "claim ns/c is bound to volume v, which wants kubernetes.io/hostname in [n1] (here: "
            "n2)");
}

TEST_F(Explain, ABoundClaimWhoseVolumeIsGone) {
  place_.add(pvc("c").of("wait").bound_to("v"));
  EXPECT_EQ(finding(*pod("p").claim("c"), "n1").kind, FindingKind::kVolumeMissing);
}

TEST_F(Explain, AClaimTakesTheVolumeOfThePlan) {
  place_.add(pvc("c").of("wait").size("1Gi"), pv("v").of("wait").size("2Gi").on("n1"));
  const Finding found = finding(*pod("p").claim("c"), "n1");
  EXPECT_EQ(found.kind, FindingKind::kTakes);
  EXPECT_EQ(found.text, "takes volume v (2Gi, of which 1Gi requested)");
}

TEST_F(Explain, VolumesAreCountedByTheirFirstObstacle) {
  place_.add(pvc("c").of("wait").size("4Gi"),
             pv("v1").of("wait").size("1Gi").on("n1"),
             pv("v2").of("wait").size("2Gi").on("n1"),
             pv("v3").of("wait").size("8Gi").on("n1").names("other"),
             pv("v4").of("wait").size("8Gi").on("n1").phase("Failed"),
             pv("v5").of("wait").size("8Gi").on("n2"));
  const Finding found = finding(*pod("p").claim("c"), "n1");
  EXPECT_EQ(found.kind, FindingKind::kNoVolume);
  EXPECT_EQ(found.text,
            "finds no volume of class wait for 4Gi: 1 claimed by other claims, 1 not in phase "
            "Available, 2 too small (the largest is v2, 2Gi), 1 out of reach, of which 1 would "
            "fit: v5 wants kubernetes.io/hostname in [n2] (here: n1); the class has no "
            "provisioner");
  EXPECT_EQ(found.missing_bytes, std::int64_t{2} << 30);
}

TEST_F(Explain, AVolumeThatNamesTheClaimElsewhere) {
  place_.add(pvc("c").of("wait-prov"), pv("v").of("wait-prov").size("100Gi").on("n1").names("c"));
  EXPECT_EQ(finding(*pod("p").claim("c"), "n1").kind, FindingKind::kTakes);
  EXPECT_EQ(finding(*pod("p").claim("c"), "n2").kind, FindingKind::kNamedUnreachable);
}

TEST_F(Explain, AClassThatIsNotForTheNode) {
  place_.add(storage_class("zonal").provisioner("z").allows(kZone, {"a", "b"}),
             node("n3").label(kZone, "c"),
             pvc("c").of("zonal"));
  EXPECT_EQ(finding(*pod("p").claim("c"), "n3").kind, FindingKind::kTopologyMismatch);
  EXPECT_EQ(finding(*pod("p").claim("c"), "n3").text,
            "cannot be provisioned: class zonal allows topology.kubernetes.io/zone in [a, b] "
            "(here: c)");
  EXPECT_THAT(finding(*pod("p").claim("c"), "n1").text, HasSubstr("(here: not set)"));
}

TEST_F(Explain, RoomThatOtherClaimsOfThePodTake) {
  place_.add(driver(testing::kProvisioner).tracks_capacity(),
             pool("pool").of("wait-prov").size("10Gi").on("n1"),
             pvc("a").of("wait-prov").size("6Gi"),
             pvc("b").of("wait-prov").size("7Gi"));
  const auto found = findings(*pod("p").claim("a").claim("b"), "n1");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, FindingKind::kProvision);
  EXPECT_EQ(found[1].kind, FindingKind::kNotEnoughCapacity);
  EXPECT_THAT(found[1].text, HasSubstr("has 4Gi left of 10Gi (the rest is for other claims), 7Gi"));
  EXPECT_EQ(found[1].missing_bytes, std::int64_t{3} << 30);
  EXPECT_THAT(findings(*pod("p").claim("a").claim("b"), "n2")[0].text,
              HasSubstr("reports no capacity of class wait-prov for this node"));
}

// A claim that another pod has been promised room for, and one more of the same class.
TEST_F(Explain, RoomThatIsPromisedToTheClaimItselfIsNotForOthers) {
  place_.add(driver(testing::kProvisioner).tracks_capacity(),
             pool("pool").of("wait-prov").size("10Gi").on("n1"),
             pvc("a").of("wait-prov").size("6Gi"),
             pvc("b").of("wait-prov").size("3Gi"),
             pvc("c").of("wait-prov").size("5Gi"));
  Ledger ledger(place_.catalog, place_.switches);
  ASSERT_TRUE(
      ledger.assume(*pod("x").claim("a"), "n1", place_.look(*pod("x").claim("a"), "n1").plan));
  const auto fits = findings(*pod("p").claim("a").claim("b"), "n1");
  ASSERT_EQ(fits.size(), 2U);
  EXPECT_EQ(fits[1].kind, FindingKind::kProvision);
  EXPECT_THAT(fits[1].text, HasSubstr("(10Gi, with 1Gi left after this pod)"));
  const auto short_of = findings(*pod("p").claim("a").claim("c"), "n1");
  ASSERT_EQ(short_of.size(), 2U);
  EXPECT_EQ(short_of[0].kind, FindingKind::kProvision);
  EXPECT_EQ(short_of[1].kind, FindingKind::kNotEnoughCapacity);
  EXPECT_THAT(short_of[1].text, HasSubstr("has 4Gi left of 10Gi (the rest is for other claims)"));
  EXPECT_EQ(short_of[1].missing_bytes, std::int64_t{1} << 30);
}

TEST_F(Explain, AClaimThatAsksForAnotherNode) {
  place_.add(pvc("c").of("wait-prov").selected("n1"));
  EXPECT_EQ(finding(*pod("p").claim("c"), "n2").kind, FindingKind::kSelectedElsewhere);
  EXPECT_THAT(finding(*pod("p").claim("c"), "n1").text, HasSubstr("asks for this node already"));
}

TEST_F(Explain, ANodeThatIsGoneIsANoteOrWithUpstreamARefusal) {
  place_.add(pvc("c").of("wait-prov").selected("n9"));
  ASSERT_EQ(notes(*pod("p").claim("c")).size(), 1U);
  EXPECT_EQ(notes(*pod("p").claim("c"))[0].kind, FindingKind::kVanishedNode);
  place_.switches = Switches::upstream();
  EXPECT_THAT(notes(*pod("p").claim("c")), IsEmpty());
  EXPECT_THAT(finding(*pod("p").claim("c"), "n1").text, HasSubstr("n9"));
}

TEST_F(Explain, AVolumeOfAnotherClassThatNamesTheClaimIsANote) {
  place_.add(pvc("c").of("wait-prov"), pv("v").of("other").names("c"));
  const auto found = notes(*pod("p").claim("c"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::kNamedUnfit);
  EXPECT_EQ(found[0].volume, "v");
}

TEST_F(Explain, FieldsInAnAffinityAreANote) {
  place_.add(pvc("c").of("wait").bound_to("v"),
             pv("v").of("wait").term(
                 {.match_fields = {{.key = "metadata.name", .op = "In", .values = {"n9"}}}}));
  const auto found = notes(*pod("p").claim("c"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::kFieldsIgnored);
}

TEST_F(Explain, EveryClaimThatKeepsThePodFromAllNodesIsTold) {
  place_.add(pvc("imm").of("imm"),
             pvc("typo").of("nonsense"),
             pvc("lost").of("wait").bound_to("v").phase("Lost"),
             pvc("gone").of("wait").deleting(),
             pvc("fine").of("wait"),
             pvc("p-e").of("wait").owner("another"));
  const api::Pod asks = *pod("p")
                             .uid("me")
                             .claim("imm")
                             .claim("typo")
                             .claim("lost")
                             .claim("gone")
                             .claim("fine")
                             .claim("missing")
                             .ephemeral("e")
                             .ephemeral("f");
  std::vector<FindingKind> kinds;
  for (const Finding& found : obstacles(asks)) {
    kinds.push_back(found.kind);
    EXPECT_TRUE(is_refusal(found.kind)) << found.sentence();
  }
  EXPECT_THAT(kinds,
              ElementsAre(FindingKind::kUnboundImmediate,
                          FindingKind::kUnboundImmediate,
                          FindingKind::kClaimLost,
                          FindingKind::kClaimDeleted,
                          FindingKind::kClaimMissing,
                          FindingKind::kNotOwner,
                          FindingKind::kEphemeralMissing));
}

TEST(ExplainText, SizesAreShort) {
  EXPECT_EQ(size_text(std::int64_t{0}), "0");
  EXPECT_EQ(size_text(std::int64_t{1023}), "1023");
  EXPECT_EQ(size_text(std::int64_t{5} << 30), "5Gi");
  EXPECT_EQ(size_text((std::int64_t{5} << 30) + 1), "5.0Gi");
  EXPECT_EQ(size_text(testing::quantity("100G")), "100G");
  EXPECT_EQ(size_text(testing::quantity("104853504Ki")), "100.0Gi");
}

TEST(DistanceOf, SizeThatIsMissingIsCloserThanAnythingElse) {
  const Finding met{.kind = FindingKind::kTakes};
  const Finding far{.kind = FindingKind::kTopologyMismatch};
  const Finding near{.kind = FindingKind::kNotEnoughCapacity, .missing_bytes = 10};
  const Finding nearer{.kind = FindingKind::kNotEnoughCapacity, .missing_bytes = 9};
  EXPECT_LT(distance_of({met, met}), distance_of({met, nearer}));
  EXPECT_LT(distance_of({met, nearer}), distance_of({met, near}));
  EXPECT_LT(distance_of({met, near}), distance_of({met, far}));
  EXPECT_LT(distance_of({met, far}), distance_of({near, nearer}));
}

// The reason that upstream would give for it.
std::string_view reason_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kVolumeMissing:
      return kVolumeNotExist;
    case FindingKind::kVolumeUnreachable:
      return kNodeConflict;
    case FindingKind::kNotEnoughCapacity:
      return kNotEnoughSpace;
    default:
      return kBindConflict;
  }
}

bool has_finding_for(const std::vector<Finding>& findings, const std::string& reason) {
  return std::ranges::any_of(findings, [&reason](const Finding& finding) {
    return is_refusal(finding.kind) && reason_of(finding.kind) == reason;
  });
}

// On random worlds: all claims are met where the search says so, and otherwise each of its reasons
// has a finding.
TEST(Explainer, SaysNoOtherThingThanTheSearch) {
  constexpr std::uint64_t kWorlds = 500;
  for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
    testing::Dice dice(seed);
    testing::RandomObjects objects(dice);
    Catalog catalog;
    testing::fill(catalog, objects, dice);
    const Switches switches = seed % 2 == 0 ? Switches{} : Switches::upstream();
    const api::Pod asks = objects.pod(1);
    PodCheck check = check_pod(catalog.view(), asks, switches);
    ASSERT_TRUE(check.answer.is_success() || check.answer.is_rejected()) << seed;
    EXPECT_EQ(explain_pod(catalog.now(), asks).empty(), check.answer.is_success()) << seed;
    if (!check.answer.is_success()) {
      continue;
    }
    Search search(std::move(check.claims), catalog.view(), switches);
    Explainer explainer(search, switches);
    for (const std::size_t number : search.view().nodes()) {
      const NodeFindings found = explainer.look_at(number);
      ASSERT_EQ(distance_of(found.findings).refusals == 0, found.answer.is_success()) << seed;
      for (const std::string& reason : found.answer.reasons) {
        EXPECT_TRUE(has_finding_for(found.findings, reason)) << seed << ": " << reason;
      }
    }
  }
}

}  // namespace
}  // namespace berth::volumes
