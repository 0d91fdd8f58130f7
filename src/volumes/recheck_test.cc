// Whether a decision still stands: what may have changed between planning and writing.
#include "volumes/recheck.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "volumes/bind_reason.h"
#include "volumes/names.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"

namespace berth::volumes {
namespace {

using testing::ClaimBuilder;
using testing::Place;
using testing::pv;
using testing::pvc;
using testing::VolumeBuilder;

class Recheck : public ::testing::Test {
 public:
  // The code of what is wrong; empty when nothing is.
  std::string volume(const VolumeBuilder& volume, const ClaimBuilder& claim) const {
    return told(recheck_volume(binding, *volume, &*claim, where()));
  }
  std::string volume(const VolumeBuilder& volume) const { return this->volume(volume, wanted()); }
  std::string claim(const ClaimBuilder& claim) const {
    return told(recheck_claim(binding, *claim, where()));
  }
  std::string provisioned(const ClaimBuilder& claim) const {
    return told(recheck_claim(provision, *claim, where()));
  }
  RecheckPlace where() const {
    return {.plan = plan,
            .view = place.catalog.now(),
            .switches = place.switches,
            .is_identity_only = is_identity_only};
  }
  static std::string told(const std::optional<BindProblem>& problem) {
    return problem ? std::string(problem->reason.code) : "";
  }
  static ClaimBuilder wanted() { return pvc("c").of("wait"); }
  static VolumeBuilder offered() { return pv("p").of("wait"); }

  Place place;
  RecordedPlan plan{.node = {.name = "n1"}};
  RecordedBinding binding{.claim = {.ns = "ns", .name = "c", .uid = "claim-c", .version = "1"},
                          .volume = {.name = "p", .uid = "volume-p", .version = "1"},
                          .reference = std::string(RecordedBinding::kWhole),
                          .adds_mark = true};
  RecordedProvision provision{.claim = binding.claim, .is_ours = true};
  bool is_identity_only = false;
};

TEST_F(Recheck, VolumeThatIsFreeOrOursWillDo) {
  EXPECT_EQ(volume(offered()), "");
  EXPECT_EQ(volume(offered().names("c")), "");
  EXPECT_EQ(volume(offered().names("c", "claim-c")), "");
  EXPECT_EQ(volume(offered().names("c", "claim-c").phase("Bound")), "");
}

TEST_F(Recheck, VolumeThatIsAnothers) {
  EXPECT_EQ(volume(offered().names("d")), bind_reason::kVolumeTaken);
  EXPECT_EQ(volume(offered().names("c", "another")), bind_reason::kVolumeTaken);
  EXPECT_EQ(volume(offered().uid("another")), bind_reason::kVolumeReplaced);
  EXPECT_EQ(volume(offered().deleting()), bind_reason::kVolumeDeleting);
}

TEST_F(Recheck, VolumeThatNoLongerFits) {
  EXPECT_EQ(volume(offered().size("1")), bind_reason::kVolumeUnfit);
  EXPECT_EQ(volume(offered().volume_mode("Block")), bind_reason::kVolumeUnfit);
  EXPECT_EQ(volume(offered().attributes("gold")), bind_reason::kVolumeUnfit);
  EXPECT_EQ(volume(offered().phase("Released")), bind_reason::kVolumeUnfit);
  EXPECT_EQ(volume(offered().of("other")), bind_reason::kVolumeUnfit);
  EXPECT_EQ(volume(offered().modes({"ReadOnlyMany"})), bind_reason::kVolumeUnfit);
  EXPECT_EQ(volume(offered(), wanted().selector({.match_labels = {{"disk", "fast"}}})),
            bind_reason::kVolumeUnfit);
  EXPECT_EQ(volume(offered().label("disk", "fast"),
                   wanted().selector({.match_labels = {{"disk", "fast"}}})),
            "");
  const auto problem = recheck_volume(binding, *offered().size("5"), &*wanted(), where());
  EXPECT_EQ(problem->reason.key, "spec.capacity");
  EXPECT_EQ(problem->reason.wanted, "1G");
  EXPECT_EQ(problem->reason.found, "5");
}

TEST_F(Recheck, VolumeThatNamesTheClaimIsForgivenWhatTheMatcherForgives) {
  EXPECT_EQ(volume(offered().names("c").of("other").phase("Pending")), "");
  EXPECT_EQ(volume(offered().names("c").modes({})), bind_reason::kVolumeUnfit);
  place.switches.prebound_modes = false;
  EXPECT_EQ(volume(offered().names("c").modes({})), "");
}

TEST_F(Recheck, VolumeHasToBeReached) {
  EXPECT_EQ(volume(offered().on("n1")), "");
  EXPECT_EQ(volume(offered().on("n2")), bind_reason::kVolumeUnreachable);
}

TEST_F(Recheck, ClaimOfABinding) {
  EXPECT_EQ(claim(wanted()), "");
  EXPECT_EQ(claim(wanted().bound_to("p")), "");
  EXPECT_EQ(claim(wanted().names("q")), bind_reason::kClaimBoundElsewhere);
  EXPECT_EQ(claim(wanted().uid("another")), bind_reason::kClaimReplaced);
  EXPECT_EQ(claim(wanted().deleting()), bind_reason::kClaimDeleting);
  // One that asks for a volume to be made does not take a free one.
  EXPECT_EQ(claim(wanted().selected("n2")), bind_reason::kClaimPinned);
  EXPECT_EQ(claim(wanted().selected("n1")), bind_reason::kClaimPinned);
  EXPECT_EQ(claim(wanted().selected("dead")), "");
  place.switches.ignore_dead_selection = false;
  EXPECT_EQ(claim(wanted().selected("dead")), bind_reason::kClaimPinned);
}

TEST_F(Recheck, ClaimOfAProvision) {
  EXPECT_EQ(provisioned(wanted()), "");
  EXPECT_EQ(provisioned(wanted().selected("n1")), "");
  EXPECT_EQ(provisioned(wanted().selected("n1").bound_to("made")), "");
  EXPECT_EQ(provisioned(wanted().names("q")), bind_reason::kClaimBoundElsewhere);
  EXPECT_EQ(provisioned(wanted().selected("n2")), bind_reason::kClaimPinned);
  EXPECT_EQ(provisioned(wanted().selected("dead")), "");
  EXPECT_EQ(provisioned(wanted().uid("another")), bind_reason::kClaimReplaced);
  EXPECT_EQ(provisioned(wanted().deleting()), bind_reason::kClaimDeleting);
}

TEST_F(Recheck, SwitchesSayWhatIsLookedAt) {
  place.switches.verify_uids = false;
  EXPECT_EQ(claim(wanted().uid("another")), "");
  EXPECT_EQ(volume(offered().uid("another")), "");
  place.switches.refuse_deleted_claims = false;
  EXPECT_EQ(claim(wanted().deleting()), "");
  EXPECT_EQ(volume(offered().deleting()), "");
}

TEST_F(Recheck, IdentityAloneIsLessThanAll) {
  is_identity_only = true;
  EXPECT_EQ(claim(wanted().names("q")), "");
  EXPECT_EQ(claim(wanted().uid("another")), bind_reason::kClaimReplaced);
  EXPECT_EQ(provisioned(wanted().selected("n2")), "");
  EXPECT_EQ(volume(offered().names("d").on("n2").size("1")), "");
  EXPECT_EQ(volume(offered().uid("another")), bind_reason::kVolumeReplaced);
}

TEST_F(Recheck, WritesFollowFromHowTheObjectIsNow) {
  const VolumePtr now = offered().version("9").names("c");
  Write write = write_of(binding, now);
  EXPECT_EQ(write.resource_version, "9");
  EXPECT_EQ(write.changes.claim_ref.uid, "claim-c");
  EXPECT_TRUE(write.changes.annotations.empty());  // a user named it
  write = write_of(binding, offered().names("c", "claim-c"));
  EXPECT_TRUE(write.changes.empty());
  write = write_of(provision, *wanted().version("9").selected("dead"), plan);
  EXPECT_EQ(write.resource_version, "9");
  EXPECT_EQ(write.changes.annotations.at(0).value, "n1");
  EXPECT_TRUE(write_of(provision, *wanted().selected("n1"), plan).changes.empty());
}

}  // namespace
}  // namespace berth::volumes
