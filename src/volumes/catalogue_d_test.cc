// Rows D of the catalogue: volumes that are made for the pod, and nodes that were asked for
// already.
#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "volumes/answer.h"
#include "volumes/ledger.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/pod_claims.h"
#include "volumes/search.h"
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

ClaimBuilder claim(std::string_view name = "c") {
  return pvc(name).of("wait-prov");
}

// The plan of n1 for a pod with one claim of the class `x`, or the reasons.
Texts plan_of_class(const testing::ClassBuilder& of) {
  Place place;
  place.add(of, pvc("c").of("x"));
  const NodeAnswer found = place.look(pod("a").claim("c"), "n1");
  return found.answer.is_success() ? Place::told(found.plan) : found.answer.reasons;
}

testing::ClassBuilder provisioned() {
  return storage_class("x").provisioner(testing::kProvisioner);
}

TEST(CatalogueD, D01_DelayedClaimIsProvisionedWhereTheTopologyAllows) {
  EXPECT_EQ(plan_of_class(provisioned().allows(testing::kHostname, {"n1"})), texts("c+"));
}

TEST(CatalogueD, D02_ClassWithoutAProvisionerMakesNothing) {
  EXPECT_EQ(plan_of_class(storage_class("x")), texts(kBindConflict));
}

TEST(CatalogueD, D03_EmptyProvisionerMakesNothing) {
  EXPECT_EQ(plan_of_class(storage_class("x").provisioner("")), texts(kBindConflict));
}

TEST(CatalogueD, D04_TopologiesThatExcludeTheNodeAreAConflict) {
  EXPECT_EQ(plan_of_class(provisioned().allows(testing::kHostname, {"n2"})), texts(kBindConflict));
}

TEST(CatalogueD, D05_NoTopologiesAllowAllNodes) {
  EXPECT_EQ(plan_of_class(provisioned()), texts("c+"));
}

TEST(CatalogueD, D06_OneEmptyTopologyAllowsNone) {
  EXPECT_EQ(plan_of_class(provisioned().allows_nothing()), texts(kBindConflict));
}

TEST(CatalogueD, D07_OneOfTwoTopologiesIsEnough) {
  EXPECT_EQ(
      plan_of_class(provisioned().allows("rack", {"1"}).allows(testing::kHostname, {"n2", "n1"})),
      texts("c+"));
}

TEST(CatalogueD, D08_OneClaimIsMatchedAndAnotherProvisioned) {
  Place place;
  place.add(claim("c").size("1G"), claim("d").size("2G"), pv("p").of("wait-prov").on("n1"));
  EXPECT_EQ(place.plan(pod("a").claim("c").claim("d"), "n1"), texts("c->p", "d+"));
}

TEST(CatalogueD, D09_BoundClaimsDoNotStandInTheWayOfProvisioning) {
  for (const std::string_view of : {"wait-prov", "imm"}) {
    Place place;
    place.add(pvc("c").of(of).bound_to("p"), pv("p").of(of).on("n1"), claim("d"));
    EXPECT_EQ(place.plan(pod("a").claim("c").claim("d"), "n1"), texts("d+")) << of;
  }
}

TEST(CatalogueD, D10_ClaimThatSelectedANodeIsProvisionedThere) {
  Place place;
  place.add(claim().selected("n1"));
  EXPECT_EQ(place.plan(pod("a").claim("c"), "n1"), texts("c+"));
}

TEST(CatalogueD, D10_AndNowhereElse) {
  Place place;
  place.add(claim().selected("n1"), pv("p").of("wait-prov").on("n2"));
  EXPECT_EQ(place.reasons(pod("a").claim("c"), "n2"), texts(kBindConflict));
}

TEST(CatalogueD, D11_ClaimThatSelectedANodeTakesNoFreeVolume) {
  Place place;
  place.add(claim().selected("n1"), pv("p").of("wait-prov").on("n1"));
  EXPECT_EQ(place.plan(pod("a").claim("c"), "n1"), texts("c+"));
}

TEST(CatalogueD, D12_BesideASelectedClaimAnotherIsPlannedFreely) {
  Place place;
  place.add(claim("c").selected("n1"), claim("d"));
  EXPECT_EQ(place.plan(pod("a").claim("d").claim("c"), "n1"), texts("c+", "d+"));
  place.add(pv("p").of("wait-prov").on("n1"));
  EXPECT_EQ(place.plan(pod("a").claim("d").claim("c"), "n1"), texts("d->p", "c+"));
}

TEST(CatalogueD, D13_ClaimsThatSelectedDifferentNodesFitNowhere) {
  Place place;
  place.add(claim("c").selected("n1"), claim("d").selected("n2"));
  EXPECT_EQ(place.reasons(pod("a").claim("c").claim("d"), "n1"), texts(kBindConflict));
  EXPECT_EQ(place.reasons(pod("a").claim("c").claim("d"), "n2"), texts(kBindConflict));
}

TEST(CatalogueD, D14_EmptySelectionFitsNowhere) {
  Place place;
  place.switches.ignore_dead_selection = false;
  place.add(claim().selected(""));
  EXPECT_EQ(place.reasons(pod("a").claim("c"), "n1"), texts(kBindConflict));
  EXPECT_EQ(place.reasons(pod("a").claim("c"), "n2"), texts(kBindConflict));
}

TEST(CatalogueD, D15_SelectedNodeThatIsGoneFitsNowhereWhereUpstreamsRuleIsKept) {
  Place place;
  place.switches.ignore_dead_selection = false;
  place.add(node("n3"), claim().selected("n3"));
  place.catalog.remove_node("n3");
  EXPECT_EQ(place.reasons(pod("a").claim("c"), "n1"), texts(kBindConflict));
  EXPECT_EQ(place.reasons(pod("a").claim("c"), "n2"), texts(kBindConflict));
}

TEST(CatalogueD, D15_SelectedNodeThatIsGoneIsIgnoredByOurs) {
  Place place;
  place.add(node("n3"), claim().selected("n3"));
  place.catalog.remove_node("n3");
  EXPECT_EQ(place.plan(pod("a").claim("c"), "n1"), texts("c+"));
}

TEST(CatalogueD, D16_ClassThatWentInBetweenIsAnError) {
  Place place;
  place.add(provisioned(), pvc("c").of("x"));
  PodCheck checked = place.check(pod("a").claim("c"));
  place.catalog.remove_class("x");
  EXPECT_EQ(place.look_after(std::move(checked), "n1").answer,
            Answer::error("failed to find storage class \"x\""));
}

// The claim c, the smaller one, is looked at first.
Texts reasons_of_two(std::string_view first_class, std::string_view second_class) {
  Place place;
  place.add(driver(testing::kProvisioner).tracks_capacity());
  place.add(storage_class("elsewhere").provisioner("other").allows(testing::kHostname, {"n2"}));
  place.add(storage_class("full").provisioner(testing::kProvisioner));
  place.add(pvc("c").of(first_class).size("1G"), pvc("d").of(second_class).size("2G"));
  return place.reasons(pod("a").claim("c").claim("d"), "n1");
}

TEST(CatalogueD, D17_OfTwoFailingClaimsTheFirstDecidesTopology) {
  EXPECT_EQ(reasons_of_two("elsewhere", "full"), texts(kBindConflict));
}

TEST(CatalogueD, D18_OfTwoFailingClaimsTheFirstDecidesCapacity) {
  EXPECT_EQ(reasons_of_two("full", "elsewhere"), texts(kNotEnoughSpace));
}

TEST(CatalogueD, D19_AnotherPodsSelectionOfASharedClaimBindsThisPodToo) {
  Place place;
  place.add(claim());
  Ledger ledger(place.catalog, place.switches);
  ASSERT_TRUE(ledger.assume(pod("a").claim("c"), "n1", place.look(pod("a").claim("c"), "n1").plan));
  EXPECT_EQ(place.reasons(pod("b").claim("c"), "n2"), texts(kBindConflict));
}

}  // namespace
}  // namespace berth::volumes
