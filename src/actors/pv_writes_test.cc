#include "actors/pv_writes.h"

#include <gtest/gtest.h>

#include <string>

#include "actors/names.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "base/error.h"
#include "volumes/names.h"
#include "volumes/testing/builders.h"

namespace berth::actors {
namespace {

using volumes::testing::ClaimBuilder;
using volumes::testing::pv;
using volumes::testing::pvc;
using volumes::testing::VolumeBuilder;

std::string next(const VolumeBuilder& volume, const ClaimBuilder& claim) {
  const auto write = next_bind_write(volume, *claim);
  if (!write || !*write) {
    return "";
  }
  return std::string((*write)->kind->name) + " " + (*write)->subresource + " " + (*write)->body;
}

VolumeBuilder claimed() {
  return pv("p").names("c", "claim-c");
}

TEST(BindWrites, FirstTheVolumePointsAtTheClaim) {
  EXPECT_EQ(next(pv("p").version("4"), pvc("c").version("7")),
            R"(PersistentVolume  {"metadata":{"uid":"volume-p","resourceVersion":"4",)"
            R"("annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}},"spec":{"claimRef":)"
            R"({"kind":"PersistentVolumeClaim","namespace":"ns","name":"c","uid":"claim-c",)"
            R"("apiVersion":"v1","resourceVersion":"7","fieldPath":null}}})");
}

TEST(BindWrites, ThenTheVolumeSaysBound) {
  EXPECT_EQ(next(claimed().version("4"), pvc("c")),
            R"(PersistentVolume status {"metadata":{"uid":"volume-p","resourceVersion":"4"},)"
            R"("status":{"phase":"Bound"}})");
}

TEST(BindWrites, ThenTheClaimNamesTheVolume) {
  EXPECT_EQ(next(claimed().phase("Bound"), pvc("c").version("7")),
            R"(PersistentVolumeClaim  {"metadata":{"uid":"claim-c","resourceVersion":"7",)"
            R"("annotations":{"pv.kubernetes.io/bound-by-controller":"yes",)"
            R"("pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"p"}})");
}

TEST(BindWrites, AClaimThatNamedItItselfGetsOneMarkOnly) {
  EXPECT_EQ(next(claimed().phase("Bound"), pvc("c").names("p").version("7")),
            R"(PersistentVolumeClaim  {"metadata":{"uid":"claim-c","resourceVersion":"7",)"
            R"("annotations":{"pv.kubernetes.io/bind-completed":"yes"}}})");
}

TEST(BindWrites, LastTheClaimSaysBoundAndWhatItGot) {
  EXPECT_EQ(next(claimed().phase("Bound").size("5Gi").attributes("gold"),
                 pvc("c").bound_to("p").phase("Pending").version("7")),
            R"(PersistentVolumeClaim status {"metadata":{"uid":"claim-c","resourceVersion":"7"},)"
            R"("status":{"phase":"Bound","capacity":{"storage":"5Gi"},)"
            R"("accessModes":["ReadWriteOnce"],"currentVolumeAttributesClassName":"gold"}})");
}

TEST(BindWrites, ThenThereIsNothingLeft) {
  api::PersistentVolumeClaim claim = *pvc("c").bound_to("p");
  claim.status.access_modes = {"ReadWriteOnce"};
  const auto write = next_bind_write(claimed().phase("Bound"), claim);
  ASSERT_TRUE(write);
  EXPECT_FALSE(*write);
}

TEST(BindWrites, TheSizeOfABoundClaimIsNotTouched) {
  EXPECT_EQ(next(claimed().phase("Bound").size("9Gi"), pvc("c").bound_to("p").version("7")),
            R"(PersistentVolumeClaim status {"metadata":{"uid":"claim-c","resourceVersion":"7"},)"
            R"("status":{"accessModes":["ReadWriteOnce"]}})");
}

TEST(BindWrites, AVolumeThatIsStillToGrowIsWorthWhatItWas) {
  const std::string body =
      next(claimed().phase("Bound").size("9Gi").note(kPreResizeCapacity, "5Gi"),
           pvc("c").bound_to("p").phase("Pending"));
  EXPECT_NE(body.find(R"("capacity":{"storage":"5Gi"})"), std::string::npos) << body;
}

TEST(BindWrites, AVolumeWithoutASizeCannotBeBound) {
  api::PersistentVolume volume = *claimed().phase("Bound");
  volume.spec.capacity.clear();
  const auto write = next_bind_write(std::make_shared<const api::PersistentVolume>(volume),
                                     *pvc("c").bound_to("p").phase("Pending"));
  ASSERT_FALSE(write);
  EXPECT_EQ(write.error().code(), ErrorCode::kInvalid);
}

TEST(PhaseWrites, WhoLosesItsVolumeLosesWhatItGot) {
  api::PersistentVolumeClaim claim = *pvc("c").bound_to("p").version("7");
  claim.status.access_modes = {"ReadWriteOnce"};
  claim.status.capacity.insert_or_assign("storage", volumes::testing::quantity("5Gi"));
  claim.status.current_volume_attributes_class_name = "gold";
  EXPECT_EQ(claim_phase_write(claim, phase::kLost)->body,
            R"({"metadata":{"uid":"claim-c","resourceVersion":"7"},"status":{"phase":"Lost",)"
            R"("accessModes":null,"capacity":null,"currentVolumeAttributesClassName":null}})");
  EXPECT_FALSE(claim_phase_write(*pvc("c"), phase::kPending));
}

TEST(PhaseWrites, AMessageGoesWithItsPhase) {
  api::PersistentVolume volume = *pv("p").phase("Failed");
  volume.status.message = "no";
  EXPECT_NE(volume_phase_write(volume, phase::kAvailable)->body.find(R"("message":null)"),
            std::string::npos);
}

TEST(FinalizerWrites, OnlyTheOneGoes) {
  api::PersistentVolume volume = *pv("p").version("4");
  volume.metadata.finalizers = {"a", std::string(kProvisionerFinalizer)};
  EXPECT_EQ(finalizer_write(volume, kProvisionerFinalizer).body,
            R"({"metadata":{"uid":"volume-p","resourceVersion":"4","finalizers":["a"]}})");
}

}  // namespace
}  // namespace berth::actors
