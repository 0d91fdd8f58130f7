// Rows E of the catalogue: whether a pool of capacity has room for a claim.
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string_view>

#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/search.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"

namespace berth::volumes {
namespace {

using testing::ClaimBuilder;
using testing::driver;
using testing::Place;
using testing::pod;
using testing::pool;
using testing::PoolBuilder;
using testing::pvc;
using testing::storage_class;
using testing::Texts;
using testing::texts;

ClaimBuilder claim(std::string_view name = "c") {
  return pvc(name).of("wait-prov").size("1Gi");
}
PoolBuilder space(std::string_view name = "pool") {
  return pool(name).of("wait-prov");
}

// The driver tracks capacity, and these are all pools there are.
class Tracked : public Place {
 public:
  Tracked(std::initializer_list<PoolBuilder> pools) {
    add(driver(testing::kProvisioner).tracks_capacity(), claim());
    for (const PoolBuilder& one : pools) {
      add(one);
    }
  }
  // Of the pod with the one claim.
  Texts said(std::string_view node_name = "n1") const {
    return reasons(pod("a").claim("c"), node_name);
  }
  CapacityPtr pool_of_plan(std::string_view node_name = "n1") const {
    const NodeAnswer found = look(pod("a").claim("c"), node_name);
    EXPECT_EQ(found.plan.provisions.size(), 1U);
    return found.plan.provisions.empty() ? nullptr : found.plan.provisions[0].capacity;
  }
};

const Texts kFits;
const Texts kNoSpace = texts(kNotEnoughSpace);

TEST(CatalogueE, E01_PoolThatIsLargeEnoughIsRemembered) {
  const CapacityPtr found = Tracked({space().size("1Gi")}).pool_of_plan();
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->metadata.name, "pool");
}

TEST(CatalogueE, E02_PoolServesTheNodesItSelects) {
  const Tracked place({space().size("1Gi").on("n1")});
  EXPECT_EQ(place.said("n1"), kFits);
  EXPECT_EQ(place.said("n2"), kNoSpace);
}

TEST(CatalogueE, E03_OfSeveralPoolsOneThatFitsIsTaken) {
  const Tracked place({space("a").size("1Gi").on("n2"),
                       space("b").size("1Mi").on("n1"),
                       space("c").size("1Gi").on("n1")});
  const CapacityPtr found = place.pool_of_plan();
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->metadata.name, "c");
}

TEST(CatalogueE, E04_NoPoolIsNoSpace) {
  EXPECT_EQ(Tracked({}).said(), kNoSpace);
}

TEST(CatalogueE, E05_PoolOfAnotherClassIsNone) {
  EXPECT_EQ(Tracked({pool("pool").of("other").size("1Gi")}).said(), kNoSpace);
}

TEST(CatalogueE, E06_SmallPoolIsNoSpace) {
  EXPECT_EQ(Tracked({space().size("1Mi")}).said(), kNoSpace);
}

TEST(CatalogueE, E07_LargestVolumeDecidesBeforeTheCapacity) {
  EXPECT_EQ(Tracked({space().size("1Gi").largest("1Mi")}).said(), kNoSpace);
}

TEST(CatalogueE, E08_LargestVolumeDecidesAlsoWhenItAllowsMore) {
  EXPECT_EQ(Tracked({space().size("1Mi").largest("1Gi")}).said(), kFits);
}

TEST(CatalogueE, E09_PoolOfZeroIsNoSpace) {
  EXPECT_EQ(Tracked({space().size("0")}).said(), kNoSpace);
  EXPECT_EQ(Tracked({space().size("1Gi").largest("0")}).said(), kNoSpace);
}

TEST(CatalogueE, E10_PoolThatSaysNothingIsNoSpace) {
  EXPECT_EQ(Tracked({space()}).said(), kNoSpace);
}

TEST(CatalogueE, E11_PoolWithoutATopologyReachesNoNode) {
  EXPECT_EQ(Tracked({space().size("1Gi").nowhere()}).said(), kNoSpace);
}

TEST(CatalogueE, E12_PoolWithAnInvalidTopologyIsLeftOut) {
  const PoolBuilder broken = space("broken").size("1Gi").topology(
      {.match_expressions = {{.key = "rack", .op = "Almost"}}});
  EXPECT_EQ(Tracked({broken}).said(), kNoSpace);
  EXPECT_EQ(Tracked({broken, space().size("1Gi")}).said(), kFits);
}

TEST(CatalogueE, E13_UnknownDriverIsNotAsked) {
  Tracked place({space().size("1Mi")});
  place.catalog.remove_driver(testing::kProvisioner);
  EXPECT_EQ(place.pool_of_plan(), nullptr);
}

TEST(CatalogueE, E14_DriverThatDoesNotTrackCapacityIsNotAsked) {
  for (const std::optional<bool> tracks : {std::optional<bool>(false), std::optional<bool>()}) {
    Tracked place({space().size("1Mi")});
    place.add(driver(testing::kProvisioner).version("2").tracks_capacity(tracks));
    EXPECT_EQ(place.pool_of_plan(), nullptr);
  }
}

TEST(CatalogueE, E15_ClaimThatRequestsNothingAlwaysFits) {
  Tracked place({});
  place.add(claim("d").without_size());
  EXPECT_EQ(place.reasons(pod("a").claim("d"), "n1"), kFits);
}

TEST(CatalogueE, E16_PoolsOfAllNamespacesCount) {
  EXPECT_EQ(Tracked({space("a").ns("x").size("1Mi"), space("a").ns("y").size("1Gi")}).said(),
            kFits);
}

TEST(CatalogueE, E17_EachClaimIsLookedAtAloneWhereUpstreamsRuleIsKept) {
  Tracked place({space().size("100Gi")});
  place.switches.subtract_capacity = false;
  place.add(claim("d").size("60Gi"), claim("e").size("60Gi"));
  EXPECT_EQ(place.reasons(pod("a").claim("d").claim("e"), "n1"), kFits);
}

TEST(CatalogueE, E17_OursSubtractsWhatThePlanTakesAlready) {
  Tracked place({space().size("100Gi")});
  place.add(claim("d").size("60Gi"), claim("e").size("60Gi"));
  EXPECT_EQ(place.reasons(pod("a").claim("d").claim("e"), "n1"), kNoSpace);
}

TEST(CatalogueE, E18_RequestsAreRoundedUpToBytes) {
  Tracked place({space().size("1073741824")});
  place.add(claim("d").size("1073741823.5"), claim("e").size("1073741824.5"));
  EXPECT_EQ(place.reasons(pod("a").claim("d"), "n1"), kFits);
  EXPECT_EQ(place.reasons(pod("a").claim("e"), "n1"), kNoSpace);
}

TEST(CatalogueE, E19_SelectedNodeThatBecameTooSmallIsRefusedWhereUpstreamsRuleIsKept) {
  Tracked place({space().size("1Mi").on("n1")});
  place.switches.trust_started_provisioning = false;
  place.add(claim("d").selected("n1").note(kStorageProvisioner, testing::kProvisioner));
  EXPECT_EQ(place.reasons(pod("a").claim("d"), "n1"), kNoSpace);
}

TEST(CatalogueE, E19_SelectedNodeThatBecameTooSmallIsRefusedBeforeProvisioningBegan) {
  Tracked place({space().size("1Mi").on("n1")});
  place.add(claim("d").selected("n1"));
  EXPECT_EQ(place.reasons(pod("a").claim("d"), "n1"), kNoSpace);
}

TEST(CatalogueE, E19_OursTrustsProvisioningThatBegan) {
  Tracked place({space().size("1Mi").on("n1")});
  place.add(claim("d").selected("n1").note(kStorageProvisioner, testing::kProvisioner));
  EXPECT_EQ(place.reasons(pod("a").claim("d"), "n1"), kFits);
}

TEST(CatalogueE, E20_MigratedClassIsNotAskedForItsDriversCapacity) {
  Tracked place({});
  place.add(driver("ebs.csi.aws.com").tracks_capacity());
  place.add(storage_class("in-tree").provisioner("kubernetes.io/aws-ebs"));
  place.add(claim("d").of("in-tree"));
  EXPECT_EQ(place.reasons(pod("a").claim("d"), "n1"), kFits);
}

}  // namespace
}  // namespace berth::volumes
