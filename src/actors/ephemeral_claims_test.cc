#include "actors/ephemeral_claims.h"

#include <gtest/gtest.h>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "volumes/rules.h"
#include "volumes/testing/builders.h"

namespace berth::actors {
namespace {

using volumes::testing::pod;

api::Pod asking() {
  api::Pod made = *pod("a").claim("c").ephemeral("scratch");
  api::PersistentVolumeClaimTemplate from;
  from.metadata.labels.insert_or_assign("disk", "fast");
  from.spec.storage_class_name = "wait";
  made.spec.volumes[1].source.ephemeral->volume_claim_template = from;
  return made;
}

TEST(EphemeralClaimsOf, APodOwnsTheClaimsOfItsEphemeralVolumes) {
  const auto claims = ephemeral_claims_of(asking());
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].metadata.name, "a-scratch");
  EXPECT_TRUE(volumes::is_made_for(claims[0], asking()));
  EXPECT_EQ(claims[0].metadata.labels.at("disk"), "fast");
  EXPECT_EQ(claims[0].spec.storage_class_name, "wait");
}

TEST(EphemeralClaimsOf, APodThatIsGoingGetsNone) {
  api::Pod going = asking();
  going.metadata.deletion_timestamp = api::Time{};
  EXPECT_TRUE(ephemeral_claims_of(going).empty());
}

TEST(EphemeralClaimsOf, AVolumeWithoutATemplateGetsNone) {
  EXPECT_TRUE(ephemeral_claims_of(*pod("a").ephemeral("scratch")).empty());
}

}  // namespace
}  // namespace berth::actors
