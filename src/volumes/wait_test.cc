// One evaluation of the wait condition: catalogue 11.H. Every row is asked of upstream's rules and
// of ours; where they differ the row says both.
#include "volumes/wait.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "volumes/bind_reason.h"
#include "volumes/names.h"
#include "volumes/recorded_plan.h"
#include "volumes/switches.h"
#include "volumes/testing/builders.h"
#include "volumes/testing/place.h"

namespace berth::volumes {
namespace {

using testing::csi_node;
using testing::node;
using testing::Place;
using testing::pv;
using testing::pvc;
using testing::VolumeBuilder;

constexpr std::string_view kWaiting = "waiting";
constexpr std::string_view kDone = "done";

// What our writes made of things: version 5 of everything.
class Wait : public ::testing::Test {
 public:
  Wait() { plan.pod = {.ns = "ns", .name = "a", .uid = "pod-a"}; }

  Wait& binds(std::string_view claim, std::string_view volume) {
    plan.bindings.push_back({.claim = recorded(claim, "claim-", "ns"),
                             .volume = recorded(volume, "volume-", ""),
                             .reference = std::string(RecordedBinding::kWhole)});
    return *this;
  }
  Wait& provisions(std::string_view claim) {
    plan.provisions.push_back({.claim = recorded(claim, "claim-", "ns"), .is_ours = true});
    return *this;
  }
  static RecordedObject recorded(std::string_view name, std::string kind, std::string ns) {
    return {.ns = std::move(ns),
            .name = std::string(name),
            .uid = std::move(kind) + std::string(name),
            .version = "1"};
  }
  static VolumeBuilder claimed(std::string_view name, std::string_view claim) {
    return pv(name).of("wait").version("5").names(claim, "claim-" + std::string(claim));
  }

  WaitAnswer answer(const Switches& switches) const {
    AwaitedVersions awaited = recorded_versions(plan);
    for (std::string& version : awaited.volumes) {
      version = "5";
    }
    for (std::string& version : awaited.claims) {
      version = "5";
    }
    return check_bound(plan, awaited, pod, place.catalog.now(), switches);
  }
  static std::string told(const WaitAnswer& answer) {
    if (!answer.problems.empty()) {
      return answer.problems.front().reason.text;
    }
    return std::string(answer.pending.empty() ? kDone : kWaiting);
  }
  std::string upstream() const { return told(answer(Switches::upstream())); }
  std::string ours() const { return told(answer({})); }
  BindVerdict verdict() const { return answer({}).problems.at(0).verdict; }
  std::string_view code() const { return answer({}).problems.at(0).reason.code; }

  void expect(std::string_view text) const {
    EXPECT_EQ(upstream(), text);
    EXPECT_EQ(ours(), text);
  }

  Place place;
  RecordedPlan plan{.node = {.name = "n1", .uid = "node-n1"}};
  PodFacts pod{.exists = true, .uid = "pod-a"};
};

TEST_F(Wait, H02NothingToBindIsDone) {
  expect(kDone);
}

TEST_F(Wait, H03BoundIsDone) {
  binds("c", "p").place.add(claimed("p", "c").phase("Bound"), pvc("c").of("wait").bound_to("p"));
  expect(kDone);
}

TEST_F(Wait, H04NamedButNotCompletedIsWaitedFor) {
  binds("c", "p").place.add(claimed("p", "c"), pvc("c").of("wait").names("p"));
  expect(kWaiting);
}

TEST_F(Wait, H05UnboundIsWaitedFor) {
  binds("c", "p").place.add(claimed("p", "c"), pvc("c").of("wait"));
  expect(kWaiting);
  const WaitAnswer waits = answer({});
  ASSERT_EQ(waits.pending.size(), 1U);
  EXPECT_EQ(waits.pending[0].claim, "ns/c");
  EXPECT_EQ(waits.pending[0].code, bind_reason::kNotBoundYet);
}

TEST_F(Wait, H06ClaimOfABindingIsGone) {
  binds("c", "p").place.add(claimed("p", "c"));
  expect("failed to check binding: persistentvolumeclaims \"ns/c\" not found");
  EXPECT_EQ(verdict(), BindVerdict::kGiveUpPod);
}

TEST_F(Wait, H07VolumeIsGone) {
  binds("c", "p").place.add(pvc("c").of("wait"));
  expect("failed to check binding: persistentvolumes \"p\" not found");
  EXPECT_EQ(verdict(), BindVerdict::kGiveUpNode);
}

TEST_F(Wait, H08ReferenceIsGone) {
  binds("c", "p").place.add(pv("p").of("wait").version("6"), pvc("c").of("wait"));
  expect("ClaimRef got reset for pv \"p\"");
  EXPECT_EQ(code(), bind_reason::kReferenceReset);
}

TEST_F(Wait, H09ReferenceHasLostItsUid) {
  binds("c", "p").place.add(pv("p").of("wait").version("6").names("c"), pvc("c").of("wait"));
  expect("ClaimRef got reset for pv \"p\"");
}

TEST_F(Wait, H10CacheThatIsBehindProvesNothing) {
  binds("c", "p").place.add(pv("p").of("wait").version("4"), pvc("c").of("wait"));
  expect(kWaiting);
  EXPECT_EQ(answer({}).pending[0].code, bind_reason::kNotSeenYet);
  // As numbers: 10 is newer than 5.
  place.add(claimed("p", "c").version("10"), pvc("c").of("wait").version("2").bound_to("p"));
  expect(kDone);
}

TEST_F(Wait, H11TwoBindingsOneOfThemBound) {
  binds("c", "p").binds("d", "q").place.add(
      claimed("p", "c"), claimed("q", "d"), pvc("c").of("wait").bound_to("p"), pvc("d").of("wait"));
  expect(kWaiting);
  EXPECT_EQ(answer({}).pending[0].claim, "ns/d");
}

TEST_F(Wait, H12VolumeIsNotReachedFromTheNodeAnyMore) {
  binds("c", "p").place.add(claimed("p", "c").on("n1"), pvc("c").of("wait"));
  expect(kWaiting);
  place.add(node("n1").version("2").label(testing::kHostname, "other"));
  expect("pv \"p\" node affinity doesn't match node \"n1\": no matching NodeSelectorTerms");
  EXPECT_EQ(verdict(), BindVerdict::kGiveUpNode);
}

TEST_F(Wait, H13ProvisionedAndBoundIsDone) {
  provisions("c").place.add(claimed("pvc-1", "c").on("n1"),
                            pvc("c").of("wait-prov").version("6").selected("n1").bound_to("pvc-1"));
  expect(kDone);
  EXPECT_EQ(answer({}).volumes, std::vector<std::string>{"pvc-1"});
}

TEST_F(Wait, H14UnprovisionedIsWaitedFor) {
  provisions("c").place.add(pvc("c").of("wait-prov").version("5").selected("n1"));
  expect(kWaiting);
}

TEST_F(Wait, H15ClaimToProvisionIsGone) {
  provisions("c");
  expect("failed to check provisioning pvc: persistentvolumeclaims \"ns/c\" not found");
  EXPECT_EQ(verdict(), BindVerdict::kGiveUpPod);
}

TEST_F(Wait, H16AllAnnotationsAreGone) {
  provisions("c").place.add(pvc("c").of("wait-prov").version("6"));
  expect("selectedNode annotation reset for PVC \"c\"");
  EXPECT_EQ(code(), bind_reason::kSelectionReset);
}

TEST_F(Wait, H17SelectedNodeIsGone) {
  provisions("c").place.add(pvc("c").of("wait-prov").version("6").note("other", "x"));
  expect("provisioning failed for PVC \"c\"");
  EXPECT_EQ(verdict(), BindVerdict::kGiveUpNode);
  const BindReason reason = answer({}).problems[0].reason;
  EXPECT_EQ(reason.code, bind_reason::kProvisioningFailed);
  EXPECT_EQ(reason.key, kSelectedNode);
  EXPECT_EQ(reason.wanted, "n1");
  EXPECT_EQ(reason.found, "");
}

TEST_F(Wait, H18SelectedNodeIsAnother) {
  provisions("c").place.add(pvc("c").of("wait-prov").version("6").selected("n2"));
  expect("provisioning failed for PVC \"c\"");
  EXPECT_EQ(answer({}).problems[0].reason.found, "n2");
}

TEST_F(Wait, H19CacheThatHasNotSeenOurWishProvesNothing) {
  provisions("c").place.add(pvc("c").of("wait-prov").version("4"));
  expect(kWaiting);
}

TEST_F(Wait, H20StaticIsBoundAndProvisionedIsNot) {
  binds("c", "p").provisions("d").place.add(claimed("p", "c"),
                                            pvc("c").of("wait").bound_to("p"),
                                            pvc("d").of("wait-prov").version("5").selected("n1"));
  expect(kWaiting);
}

TEST_F(Wait, H21ProvisionedVolumeIsNotSeenYet) {
  provisions("c").place.add(pvc("c").of("wait-prov").version("6").selected("n1").bound_to("pvc-1"));
  expect(kWaiting);
  EXPECT_EQ(answer({}).pending[0].code, bind_reason::kVolumeNotSeenYet);
}

TEST_F(Wait, H22ProvisionedOnAnotherNode) {
  provisions("c").place.add(claimed("pvc-1", "c").on("n2"),
                            pvc("c").of("wait-prov").version("6").selected("n1").bound_to("pvc-1"));
  expect("pv \"pvc-1\" node affinity doesn't match node \"n1\": no matching NodeSelectorTerms");
}

TEST_F(Wait, H23ProvisionedOnAnotherNodeFailsBeforeItIsCompleted) {
  provisions("c").place.add(claimed("pvc-1", "c").on("n2"),
                            pvc("c").of("wait-prov").version("6").selected("n1").names("pvc-1"));
  expect("pv \"pvc-1\" node affinity doesn't match node \"n1\": no matching NodeSelectorTerms");
}

TEST_F(Wait, H24NodeIsGone) {
  place.catalog.remove_node("n1");
  expect("failed to get node \"n1\": node \"n1\" not found");
  EXPECT_EQ(verdict(), BindVerdict::kGiveUpNode);
}

TEST_F(Wait, AnotherNodeOfTheSameNameIsNotTheOnePlanned) {
  place.add(node("n1").version("2").uid("another"));
  EXPECT_EQ(upstream(), kDone);
  EXPECT_EQ(ours(), "failed to get node \"n1\": another one has its name now");
  plan.node.uid.clear();  // nobody knew
  EXPECT_EQ(ours(), kDone);
}

TEST_F(Wait, H25PodIsGone) {
  pod.exists = false;
  expect("pod does not exist any more: pod \"a\" not found");
  EXPECT_EQ(verdict(), BindVerdict::kGiveUpPod);
  place.catalog.remove_node("n1");
  EXPECT_EQ(upstream(), "failed to get node \"n1\": node \"n1\" not found");
  EXPECT_EQ(answer({}).problems.size(), 2U);
}

TEST_F(Wait, H26PodWasReplaced) {
  pod.uid = "another";
  EXPECT_EQ(upstream(), kDone);
  EXPECT_EQ(ours(), "pod does not exist any more: another one is called \"a\" now");
  EXPECT_EQ(verdict(), BindVerdict::kGiveUpPod);
  pod.uid.clear();
  EXPECT_EQ(ours(), kDone);
}

VolumeBuilder disk(std::string_view zone) {
  VolumeBuilder volume = pv("p").of("wait").version("5").names("c", "claim-c");
  return volume.label(kBetaZone, zone)
      .source({.gce_persistent_disk = api::GCEPersistentDiskVolumeSource{.pd_name = "d"}});
}

class MigratedWait : public Wait {
 public:
  MigratedWait() {
    place.add(node("n1").version("2").label("topology.gke.io/zone", "z1"), pvc("c").of("wait"));
  }
  void migrate() { place.add(csi_node("n1").migrates("kubernetes.io/gce-pd")); }
};

TEST_F(MigratedWait, H27SameZoneIsWaitedFor) {
  binds("c", "p").place.add(disk("z1"));
  migrate();
  expect(kWaiting);
}

TEST_F(MigratedWait, H28WithoutCsiNodeOrPluginEveryZoneIsWaitedFor) {
  binds("c", "p").place.add(disk("z2"));
  expect(kWaiting);
  place.add(csi_node("n1").migrates("kubernetes.io/aws-ebs"));
  expect(kWaiting);
}

TEST_F(MigratedWait, H29OtherZoneFails) {
  binds("c", "p").place.add(disk("z2"));
  migrate();
  expect("pv \"p\" node affinity doesn't match node \"n1\": no matching NodeSelectorTerms");
}

TEST_F(MigratedWait, H30ProvisionedInTheSameZoneIsDone) {
  provisions("c").place.add(disk("z1"),
                            pvc("c").of("wait").version("6").selected("n1").bound_to("p"));
  migrate();
  expect(kDone);
}

TEST_F(MigratedWait, WhatCannotBeTranslatedFails) {
  place.add(csi_node("n1").migrates("kubernetes.io/aws-ebs"));
  VolumeBuilder broken = disk("z1");
  broken.source(
      {.aws_elastic_block_store = api::AWSElasticBlockStoreVolumeSource{.volume_id = "aws://bad"}});
  binds("c", "p").place.add(broken);
  EXPECT_TRUE(ours().starts_with("failed to translate pv to csi: could not translate pv: "))
      << ours();
  EXPECT_EQ(ours(), upstream());
  plan.bindings.clear();
  provisions("c").place.add(pvc("c").of("wait").version("6").selected("n1").bound_to("p"));
  EXPECT_TRUE(ours().starts_with("could not translate pv: ")) << ours();
  EXPECT_EQ(ours(), upstream());
}

TEST_F(Wait, H31FailureBehindAPendingItemCounts) {
  provisions("c").provisions("d").place.add(
      pvc("c").of("wait-prov").version("5").selected("n1"),
      pvc("d").of("wait-prov").version("6").note("other", "x"));
  EXPECT_EQ(upstream(), kWaiting);
  EXPECT_EQ(ours(), "provisioning failed for PVC \"d\"");
  EXPECT_EQ(answer({}).pending.size(), 1U);
}

TEST_F(Wait, H32ClaimThatIsGoingAwayIsNotWaitedFor) {
  binds("c", "p").place.add(claimed("p", "c"), pvc("c").of("wait").deleting());
  EXPECT_EQ(upstream(), kWaiting);
  EXPECT_EQ(ours(), "persistentvolumeclaim \"c\" is being deleted");
  EXPECT_EQ(verdict(), BindVerdict::kGiveUpPod);
}

TEST_F(Wait, H33BoundToAnotherVolumeIsJudgedByThatOne) {
  binds("c", "p").place.add(claimed("p", "c"), pvc("c").of("wait").version("6").bound_to("other"));
  EXPECT_EQ(upstream(), kDone);
  EXPECT_EQ(ours(), kWaiting);  // nobody has seen it
  place.add(claimed("other", "c").on("n2"));
  EXPECT_EQ(ours(),
            "pv \"other\" node affinity doesn't match node \"n1\": no matching NodeSelectorTerms");
  place.add(claimed("other", "c").version("6").on("n1"));
  EXPECT_EQ(ours(), kDone);
  // The PV controller takes our volume's reference back then, which is no failure.
  place.add(pv("p").of("wait").version("7"));
  EXPECT_EQ(upstream(), "ClaimRef got reset for pv \"p\"");
  EXPECT_EQ(ours(), kDone);
}

TEST_F(Wait, ClaimThatWasReplacedFails) {
  binds("c", "p").place.add(claimed("p", "c"), pvc("c").uid("new").version("6").bound_to("p"));
  EXPECT_EQ(upstream(), kDone);
  EXPECT_EQ(ours(), "PVC \"c\" was deleted and created again");
  EXPECT_EQ(code(), bind_reason::kClaimReplaced);
  plan.bindings.clear();
  provisions("c").place.add(pvc("c").uid("new").version("7").selected("n1"));
  EXPECT_EQ(upstream(), kWaiting);
  EXPECT_EQ(ours(), "PVC \"c\" was deleted and created again");
}

TEST_F(Wait, VolumeThatRefersToAnotherClaimFails) {
  binds("c", "p").place.add(pv("p").of("wait").version("6").names("d", "claim-d"),
                            pvc("c").of("wait"));
  EXPECT_EQ(upstream(), kWaiting);
  EXPECT_EQ(code(), bind_reason::kVolumeTaken);
}

TEST_F(Wait, VolumeThatIsGoingAwayIsNotWaitedFor) {
  binds("c", "p").place.add(claimed("p", "c").deleting(), pvc("c").of("wait"));
  EXPECT_EQ(upstream(), kWaiting);
  EXPECT_EQ(code(), bind_reason::kVolumeDeleting);
  place.add(claimed("p", "c").version("6").deleting().phase("Bound"));
  EXPECT_EQ(ours(), kWaiting);  // too late to go away
}

TEST_F(Wait, StatusHasToSayBoundToo) {
  binds("c", "p").place.add(claimed("p", "c"), pvc("c").bound_to("p").phase("Pending"));
  EXPECT_EQ(upstream(), kDone);
  EXPECT_EQ(ours(), kWaiting);
  EXPECT_EQ(answer({}).pending[0].key, "status.phase");
  place.add(pvc("c").version("2").bound_to("p").phase("Lost"));
  EXPECT_EQ(upstream(), kDone);
  EXPECT_EQ(code(), bind_reason::kClaimLost);
}

// Each row in which we look closer is upstream's again without its switch.
TEST_F(Wait, SwitchesTurnOffOneByOne) {
  Switches switches;
  binds("c", "p").place.add(claimed("p", "c"), pvc("c").deleting());
  switches.refuse_deleted_claims = false;
  EXPECT_EQ(told(answer(switches)), kWaiting);
  place.add(pvc("c").uid("new").version("2").bound_to("p"));
  switches = {};
  switches.verify_uids = false;
  EXPECT_EQ(told(answer(switches)), kDone);
  place.add(pvc("c").version("3").bound_to("elsewhere"));
  switches = {};
  switches.verify_bound_volume = false;
  EXPECT_EQ(told(answer(switches)), kDone);
  place.add(pvc("c").version("4").bound_to("p").phase("Pending"));
  switches = {};
  switches.wait_for_phase = false;
  EXPECT_EQ(told(answer(switches)), kDone);
}

}  // namespace
}  // namespace berth::volumes
