// Rows A of the catalogue: PreFilter, and how a pod's claims are sorted.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "volumes/answer.h"
#include "volumes/ledger.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/pod_claims.h"
#include "volumes/rules.h"
#include "volumes/search.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

using testing::Place;
using testing::pod;
using testing::pv;
using testing::pvc;
using testing::storage_class;
using testing::Texts;
using testing::texts;

Texts names_of(const std::vector<ClaimEntryPtr>& entries) {
  Texts names;
  for (const ClaimEntryPtr& entry : entries) {
    names.push_back(entry->current()->metadata.name);
  }
  return names;
}

// A refusal no other pod's going can change, with one reason.
void expect_refused(const Answer& answer, std::string_view reason) {
  EXPECT_EQ(answer, Answer::unresolvable(reason));
}

constexpr std::string_view kNotOwner =
    "PVC ns/a-vol was not created for pod ns/a (pod is not owner)";

TEST(CatalogueA, A01_PodWithoutVolumesIsSkipped) {
  EXPECT_EQ(Place().answer(pod("a")), Answer::skip());
}

TEST(CatalogueA, A02_OtherVolumesAreSkipped) {
  EXPECT_EQ(Place().answer(pod("a").settings().scratch()), Answer::skip());
}

TEST(CatalogueA, A03_MissingClaimIsNamed) {
  expect_refused(Place().answer(pod("a").claim("pvc-a")),
                 "persistentvolumeclaim \"pvc-a\" not found");
}

TEST(CatalogueA, A04_OfTwoClaimsTheMissingOneIsNamed) {
  Place place;
  place.add(pvc("first").of("wait").bound_to("p"));
  expect_refused(place.answer(pod("a").claim("first").claim("second")),
                 "persistentvolumeclaim \"second\" not found");
}

TEST(CatalogueA, A05_ClaimOfAnEphemeralVolumeIsWaitedFor) {
  expect_refused(Place().answer(pod("a").ephemeral("vol")),
                 "waiting for ephemeral volume controller to create the persistentvolumeclaim "
                 "\"a-vol\"");
}

TEST(CatalogueA, A06_EphemeralClaimWithoutOwnerIsRefused) {
  Place place;
  place.add(pvc("a-vol").of("wait").bound_to("p"));
  expect_refused(place.answer(pod("a").ephemeral("vol")), kNotOwner);
}

TEST(CatalogueA, A07_EphemeralClaimOfAnEarlierPodIsRefused) {
  Place place;
  place.add(pvc("a-vol").of("wait").bound_to("p").owner("another uid"));
  expect_refused(place.answer(pod("a").ephemeral("vol")), kNotOwner);
}

TEST(CatalogueA, A08_EphemeralClaimOfThePodIsAsGoodAsAny) {
  Place place;
  place.add(pvc("a-vol").of("wait").bound_to("p").owner("pod-a"), pv("p").of("wait"));
  EXPECT_EQ(place.reasons(pod("a").ephemeral("vol"), "n1"), Texts());
}

TEST(CatalogueA, A09_OwnerThatDoesNotControlDoesNotOwn) {
  Place place;
  place.add(pvc("a-vol").of("wait").bound_to("p").owner("pod-a", false));
  expect_refused(place.answer(pod("a").ephemeral("vol")), kNotOwner);
}

TEST(CatalogueA, A10_LostClaimNamesItsVolume) {
  Place place;
  place.add(pvc("pvc-a").of("wait").bound_to("pv-a").phase("Lost"));
  expect_refused(place.answer(pod("a").claim("pvc-a")),
                 "persistentvolumeclaim \"pvc-a\" bound to non-existent persistentvolume \"pv-a\"");
}

TEST(CatalogueA, A11_ClaimThatIsGoingAwayIsRefused) {
  Place place;
  place.add(pvc("pvc-a").of("wait").deleting());
  expect_refused(place.answer(pod("a").claim("pvc-a")),
                 "persistentvolumeclaim \"pvc-a\" is being deleted");
}

TEST(CatalogueA, A12_LostIsSaidBeforeGoingAway) {
  Place place;
  place.add(pvc("pvc-a").of("wait").bound_to("pv-a").phase("Lost").deleting());
  expect_refused(place.answer(pod("a").claim("pvc-a")),
                 "persistentvolumeclaim \"pvc-a\" bound to non-existent persistentvolume \"pv-a\"");
}

TEST(CatalogueA, A13_UnboundImmediateClaimIsWaitedFor) {
  Place place;
  place.add(pvc("c").of("imm"));
  expect_refused(place.answer(pod("a").claim("c")), kUnboundImmediate);
}

TEST(CatalogueA, A14_UnboundImmediateClaimBesideABoundOneIsWaitedFor) {
  Place place;
  place.add(pvc("c").of("imm"), pvc("d").of("wait").bound_to("p"), pv("p").of("wait"));
  expect_refused(place.answer(pod("a").claim("c").claim("d")), kUnboundImmediate);
}

TEST(CatalogueA, A15_UnboundImmediateClaimBesideAnUnboundDelayedOneIsOneReason) {
  Place place;
  place.add(pvc("c").of("imm"), pvc("d").of("wait"));
  expect_refused(place.answer(pod("a").claim("c").claim("d")), kUnboundImmediate);
}

TEST(CatalogueA, A16_ClaimThatNamesItsVolumeCountsAsImmediate) {
  Place place;
  place.add(pvc("c").of("wait").names("p"), pv("p").of("wait"));
  expect_refused(place.answer(pod("a").claim("c")), kUnboundImmediate);
}

TEST(CatalogueA, A17_ClaimThatNamesItsVolumeBesideAPlainOneIsWaitedFor) {
  Place place;
  place.add(pvc("c").of("wait").names("p"), pvc("d").of("wait"), pv("p").of("wait"));
  expect_refused(place.answer(pod("a").claim("d").claim("c")), kUnboundImmediate);
}

TEST(CatalogueA, A18_ClaimOfAnUnknownClassCountsAsImmediate) {
  Place place;
  place.add(pvc("c").of("unheard"));
  expect_refused(place.answer(pod("a").claim("c")), kUnboundImmediate);
}

TEST(CatalogueA, A19_ClaimWithoutAClassCountsAsImmediate) {
  Place place;
  place.add(pvc("c"));
  expect_refused(place.answer(pod("a").claim("c")), kUnboundImmediate);
}

TEST(CatalogueA, A20_ClassWithoutABindingModeIsAnError) {
  Place place;
  place.add(storage_class("x").without_mode(), pvc("c").of("x"));
  EXPECT_EQ(place.answer(pod("a").claim("c")),
            Answer::error("VolumeBindingMode not set for StorageClass \"x\""));
}

TEST(CatalogueA, A21_BoundClaimIsFoundBound) {
  Place place;
  place.add(pvc("c").of("wait").bound_to("p"), pv("p").of("wait"));
  const PodCheck check = place.check(pod("a").claim("c"));
  EXPECT_EQ(names_of(check.claims.bound), texts("c"));
  EXPECT_TRUE(check.claims.delayed.empty());
}

TEST(CatalogueA, A22_MarkOfAFinishedBindingCountsWhateverItsValue) {
  for (const std::string_view value : {"true", "yes", ""}) {
    EXPECT_TRUE(is_fully_bound(*pvc("c").of("wait").bound_to("p").note(kBindCompleted, value)))
        << value;
  }
}

TEST(CatalogueA, A23_BoundPhaseWithoutTheMarkIsNotBound) {
  Place place;
  place.add(pvc("c").of("wait").bound_to("p").without_note(kBindCompleted), pv("p").of("wait"));
  expect_refused(place.answer(pod("a").claim("c")), kUnboundImmediate);
}

TEST(CatalogueA, A24_MarkWithoutAVolumeIsNotBound) {
  Place place;
  place.add(pvc("c").of("wait").note(kBindCompleted, "yes"));
  EXPECT_EQ(names_of(place.check(pod("a").claim("c")).claims.delayed), texts("c"));
}

TEST(CatalogueA, A25_DelayedClaimWithoutAnyVolumePasses) {
  Place place;
  place.add(pvc("c").of("wait"));
  EXPECT_EQ(place.answer(pod("a").claim("c")), Answer::success());
}

TEST(CatalogueA, A26_VolumesAreKeptApartByClass) {
  Place place;
  place.add(storage_class("other"), pvc("c").of("wait"), pvc("d").of("other"));
  place.add(pv("p").of("wait"), pv("q").of("other"));
  EXPECT_EQ(place.plan(pod("a").claim("d").claim("c"), "n1"), texts("d->q", "c->p"));
}

TEST(CatalogueA, A27_VolumesInUseAreStillKnown) {
  // They are not offered, but one that names the claim is found whatever its phase.
  Place place;
  place.add(pvc("c").of("wait"));
  place.add(pv("p").of("wait").phase("Released").names("c"),
            pv("q").of("wait").phase("Bound").names("another", "uid"));
  EXPECT_EQ(place.plan(pod("a").claim("c"), "n1"), texts("c->p"));
}

TEST(CatalogueA, A28_OldClassAnnotationWinsOnBothSides) {
  Place place;
  place.add(pvc("c").of("imm").note(kBetaStorageClass, "wait"));
  place.add(pv("p").of("wait").note(kBetaStorageClass, "imm").size("1G"),
            pv("q").of("imm").note(kBetaStorageClass, "wait").size("2G"));
  EXPECT_EQ(place.plan(pod("a").claim("c"), "n1"), texts("c->q"));
}

TEST(CatalogueA, A29_EmptyOldClassAnnotationMeansNoClass) {
  Place place;
  place.add(pvc("c").of("wait").note(kBetaStorageClass, ""), pv("p").of("wait"));
  expect_refused(place.answer(pod("a").claim("c")), kUnboundImmediate);
}

TEST(CatalogueA, A30_ClaimsOfTwoNamespacesAreTwoClaims) {
  Place place;
  place.add(pvc("c").of("wait"), pvc("c").of("imm").ns("other"));
  EXPECT_EQ(place.answer(pod("a").claim("c")), Answer::success());
  expect_refused(place.answer(pod("a").ns("other").claim("c")), kUnboundImmediate);
}

TEST(CatalogueA, A32_PodWithoutClaimsPassesAllLaterSteps) {
  Place place;
  Ledger ledger(place.catalog, place.switches);
  const auto assumed = ledger.assume(pod("a").settings(), "n1", NodePlan());
  ASSERT_TRUE(assumed);
  EXPECT_TRUE(assumed->is_all_bound);
}

TEST(CatalogueA, A33_PromiseOnAClaimIsSeen) {
  Place place;
  place.add(pvc("c").of("wait-prov"));
  Ledger ledger(place.catalog, place.switches);
  const auto first = pod("a").claim("c");
  ASSERT_TRUE(ledger.assume(first, "n1", place.look(first, "n1").plan));
  const PodCheck check = place.check(pod("b").claim("c"));
  ASSERT_EQ(names_of(check.claims.delayed), texts("c"));
  const std::string* selected =
      find_annotation(check.claims.delayed[0]->current()->metadata, kSelectedNode);
  ASSERT_NE(selected, nullptr);
  EXPECT_EQ(*selected, "n1");
}

}  // namespace
}  // namespace berth::volumes
