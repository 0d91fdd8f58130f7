#include "volumes/restrictions.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/volume_sources.h"
#include "base/node_set.h"
#include "volumes/answer.h"
#include "volumes/hint.h"
#include "volumes/related_switches.h"
#include "volumes/testing/few_objects.h"

namespace berth::volumes {
namespace {

using few::ClaimBuilder;
using few::FewObjects;
using few::PodBuilder;

const RelatedSwitches kOurs;
const RelatedSwitches kUpstream = RelatedSwitches::upstream();
const Answer kNoDisk = Answer::unschedulable("node(s) had no available disk");
const Answer kInUse = Answer::unschedulable(
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
    "in-use by another pod");

api::VolumeSource rbd(std::vector<std::string> monitors,
                      std::string_view image,
                      bool read_only = false) {
  api::VolumeSource source;
  source.rbd = api::RBDVolumeSource{.monitors = std::move(monitors),
                                    .image = std::string(image),
                                    .pool = "pool",
                                    .read_only = read_only};
  return source;
}

api::VolumeSource iscsi(std::string_view iqn, bool read_only = false) {
  api::VolumeSource source;
  source.iscsi = api::ISCSIVolumeSource{.iqn = std::string(iqn), .read_only = read_only};
  return source;
}

ClaimBuilder exclusive(std::string_view name) {
  return ClaimBuilder(name).mode("ReadWriteOncePod");
}

// Nodes a and b, and the pods on them.
struct Cluster {
  explicit Cluster(const RelatedSwitches& switches = kOurs) : table(switches) {
    numbers.set("a", 0);
    numbers.set("b", 1);
  }

  RestrictionCheck check(const api::Pod& pod) const { return table.now().check(pod, objects); }

  // One node, asked in both ways, which must agree.
  Answer on_node(const api::Pod& pod, std::string_view node) const {
    const RestrictionCheck checked = check(pod);
    if (!checked.answer.is_success()) {
      return checked.answer;
    }
    const Answer answer = table.now().on_node(checked, node);
    NodeSet nodes = NodeSet::full(2);
    table.now().narrow(checked, numbers, nodes);
    EXPECT_EQ(nodes.test(*numbers.find(node)), answer.is_success());
    return answer;
  }

  FewObjects objects;
  RestrictionTable table;
  NodeNumbers numbers;
};

// The answer on the node of a pod that has `theirs`, for a pod that has `ours`.
Answer beside(const PodBuilder& theirs, const PodBuilder& ours) {
  Cluster cluster;
  api::Pod old = theirs;
  old.spec.node_name = "a";
  cluster.table.set_pod(old);
  EXPECT_EQ(cluster.on_node(ours, "b"), Answer::success()) << "other nodes do not matter";
  return cluster.on_node(ours, "a");
}

// 11.N N01
TEST(Restrictions, PodsWithoutRestrictedVolumesAreSkipped) {
  const Cluster cluster;
  EXPECT_EQ(cluster.check(PodBuilder("new")).answer, Answer::skip());
  EXPECT_EQ(cluster.check(PodBuilder("new").config_map()).answer, Answer::skip());
}

// 11.N N02
TEST(Restrictions, TheSameDiskIsUsedOnceOnANode) {
  EXPECT_EQ(beside(PodBuilder("old").gce("d"), PodBuilder("new").gce("d")), kNoDisk);
  EXPECT_EQ(beside(PodBuilder("old").aws("d"), PodBuilder("new").aws("d")), kNoDisk);
  EXPECT_EQ(beside(PodBuilder("old").volume(rbd({"m", "n"}, "i")),
                   PodBuilder("new").volume(rbd({"o", "n"}, "i"))),
            kNoDisk);
  EXPECT_EQ(beside(PodBuilder("old").volume(iscsi("iqn")), PodBuilder("new").volume(iscsi("iqn"))),
            kNoDisk);
}

// 11.N N03
TEST(Restrictions, DifferentDisksDoNotConflict) {
  EXPECT_EQ(beside(PodBuilder("old").gce("d"), PodBuilder("new").gce("e")), Answer::success());
  EXPECT_EQ(beside(PodBuilder("old").aws("d"), PodBuilder("new").aws("e")), Answer::success());
  EXPECT_EQ(beside(PodBuilder("old").aws("d"), PodBuilder("new").gce("d")), Answer::success());
  EXPECT_EQ(
      beside(PodBuilder("old").volume(rbd({"m"}, "i")), PodBuilder("new").volume(rbd({"m"}, "j"))),
      Answer::success());
  EXPECT_EQ(beside(PodBuilder("old").volume(iscsi("x")), PodBuilder("new").volume(iscsi("y"))),
            Answer::success());
}

// 11.N N04
TEST(Restrictions, ReadersShareADisk) {
  EXPECT_EQ(beside(PodBuilder("old").gce("d", true), PodBuilder("new").gce("d", true)),
            Answer::success());
  EXPECT_EQ(beside(PodBuilder("old").volume(rbd({"m"}, "i", true)),
                   PodBuilder("new").volume(rbd({"m"}, "i", true))),
            Answer::success());
  EXPECT_EQ(beside(PodBuilder("old").volume(iscsi("x", true)),
                   PodBuilder("new").volume(iscsi("x", true))),
            Answer::success());
  EXPECT_EQ(beside(PodBuilder("old").gce("d", true), PodBuilder("new").gce("d")), kNoDisk);
  EXPECT_EQ(beside(PodBuilder("old").gce("d"), PodBuilder("new").gce("d", true)), kNoDisk);
}

// 11.N N05
TEST(Restrictions, ReadersDoNotShareAnAwsDisk) {
  EXPECT_EQ(beside(PodBuilder("old").aws("d", true), PodBuilder("new").aws("d", true)), kNoDisk);
}

// 11.N N06
TEST(Restrictions, ImagesOfDisjointMonitorsAreDifferent) {
  EXPECT_EQ(
      beside(PodBuilder("old").volume(rbd({"m"}, "i")), PodBuilder("new").volume(rbd({"n"}, "i"))),
      Answer::success());
  EXPECT_EQ(beside(PodBuilder("old").volume(rbd({}, "i")), PodBuilder("new").volume(rbd({}, "i"))),
            Answer::success());
}

TEST(Restrictions, AnyOfSeveralDisksConflicts) {
  EXPECT_EQ(beside(PodBuilder("old").gce("d").gce("e"), PodBuilder("new").gce("f").gce("e")),
            kNoDisk);
}

// 11.N N07
TEST(Restrictions, AMissingClaimIsUnresolvable) {
  const Cluster cluster;
  EXPECT_EQ(cluster.check(PodBuilder("new").claim("c")).answer,
            Answer::unresolvable("persistentvolumeclaim \"c\" not found"));
}

// 11.N N08
TEST(Restrictions, AnUnusedExclusiveClaimIsSkipped) {
  Cluster cluster;
  cluster.objects.add(exclusive("c"));
  EXPECT_EQ(cluster.check(PodBuilder("new").claim("c")).answer, Answer::skip());
}

// 11.N N09
TEST(Restrictions, AnExclusiveClaimInUseExcludesAllNodes) {
  Cluster cluster;
  cluster.objects.add(exclusive("c"));
  cluster.table.set_pod(PodBuilder("old").on("a").claim("c"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("c"), "a"), kInUse);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("c"), "b"), kInUse);
}

TEST(Restrictions, ADiskConflictIsToldBeforeAClaimInUse) {
  Cluster cluster;
  cluster.objects.add(exclusive("c"));
  cluster.table.set_pod(PodBuilder("old").on("a").claim("c").gce("d"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("c").gce("d"), "a"), kNoDisk);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("c").gce("d"), "b"), kInUse);
}

// 11.N N10
TEST(Restrictions, EachExclusiveClaimInUseCounts) {
  Cluster cluster;
  cluster.objects.add(exclusive("c"));
  cluster.objects.add(exclusive("d"));
  cluster.table.set_pod(PodBuilder("old").on("a").claim("c").claim("d"));
  const RestrictionCheck check = cluster.check(PodBuilder("new").claim("c").claim("d"));
  EXPECT_EQ(check.conflicts, 2);
  EXPECT_EQ(cluster.table.now().on_node(check, "b"), kInUse);
}

// 11.N N11, as far as the dry run goes: the users are gone, and the pod fits.
TEST(Restrictions, ADryRunWithoutTheUsersFits) {
  Cluster cluster;
  cluster.objects.add(exclusive("c"));
  cluster.objects.add(exclusive("d"));
  const api::Pod one = PodBuilder("one").on("a").claim("c");
  const api::Pod two = PodBuilder("two").on("a").claim("d");
  cluster.table.set_pod(one);
  cluster.table.set_pod(two);
  RestrictionCheck check = cluster.check(PodBuilder("new").claim("c").claim("d"));
  check.remove_pod(one, kOurs);
  EXPECT_EQ(cluster.table.now().on_node(check, "a"), kInUse);
  check.remove_pod(two, kOurs);
  EXPECT_EQ(cluster.table.now().on_node(check, "a"), Answer::success());
  check.add_pod(two, kOurs);
  EXPECT_EQ(cluster.table.now().on_node(check, "a"), kInUse);
}

TEST(Restrictions, ADryRunSupposesDisksToo) {
  Cluster cluster;
  const api::Pod old = PodBuilder("old").on("a").gce("d");
  cluster.table.set_pod(old);
  const RestrictionView& view = cluster.table.now();
  const RestrictionCheck check = view.check(PodBuilder("new").gce("d").pod(), cluster.objects);
  EXPECT_EQ(view.on_node(check, "a", {.added = {}, .removed = {"uid-old"}}), Answer::success());
  EXPECT_EQ(view.on_node(check, "b", {.added = {&old}, .removed = {}}), kNoDisk);
}

// 11.N N12
TEST(Restrictions, SharedClaimsAreSkipped) {
  Cluster cluster;
  cluster.objects.add(ClaimBuilder("c").mode("ReadWriteMany"));
  cluster.table.set_pod(PodBuilder("old").on("a").claim("c"));
  EXPECT_EQ(cluster.check(PodBuilder("new").claim("c")).answer, Answer::skip());
}

// 11.N N15, as far as counting goes: an assumed pod uses its claims at once, a forgotten one no
// more.
TEST(Restrictions, AssumedPodsUseTheirClaims) {
  Cluster cluster;
  cluster.objects.add(exclusive("c"));
  cluster.objects.add(exclusive("d"));
  cluster.table.set_pod(PodBuilder("one").claim("c"));
  EXPECT_EQ(cluster.check(PodBuilder("two").claim("c")).answer, Answer::skip()) << "on no node";
  cluster.table.set_pod(PodBuilder("one").on("a").claim("c"));
  EXPECT_EQ(cluster.on_node(PodBuilder("two").claim("c"), "b"), kInUse);
  EXPECT_EQ(cluster.check(PodBuilder("two").claim("d")).answer, Answer::skip());
  cluster.table.remove_pod("uid-one");
  EXPECT_EQ(cluster.check(PodBuilder("two").claim("c")).answer, Answer::skip());
}

// 11.N N16
TEST(Restrictions, APodOfAnotherNamespaceChangesNothingUnlessUpstreamIsFollowed) {
  Cluster cluster;
  cluster.objects.add(exclusive("c"));
  cluster.table.set_pod(PodBuilder("old").on("a").claim("c"));
  const api::Pod stranger = PodBuilder("stranger").in("other").on("a").claim("c");
  const RestrictionCheck check = cluster.check(PodBuilder("new").claim("c"));
  RestrictionCheck ours = check;
  ours.remove_pod(stranger, kOurs);
  EXPECT_EQ(ours.conflicts, 1);
  ours.add_pod(stranger, kOurs);
  EXPECT_EQ(ours.conflicts, 1);
  RestrictionCheck upstream = check;
  upstream.remove_pod(stranger, kUpstream);
  EXPECT_EQ(upstream.conflicts, 0);
}

TEST(Restrictions, ClaimsOfOtherNamespacesAreOtherClaims) {
  Cluster cluster;
  cluster.objects.add(exclusive("c"));
  cluster.table.set_pod(PodBuilder("old").in("other").on("a").claim("c"));
  EXPECT_EQ(cluster.check(PodBuilder("new").claim("c")).answer, Answer::skip());
}

// 12.2 item 20
TEST(Restrictions, ClaimsOfEphemeralVolumesCountUnlessUpstreamIsFollowed) {
  const api::Pod old = PodBuilder("old").on("a").ephemeral();
  for (const RelatedSwitches& switches : {kOurs, kUpstream}) {
    Cluster cluster(switches);
    cluster.objects.add(exclusive("old-v0").made_for(old));
    cluster.table.set_pod(old);
    const Answer answer = cluster.on_node(PodBuilder("thief").claim("old-v0"), "b");
    EXPECT_EQ(answer, switches.see_ephemeral_claims ? kInUse : Answer::skip());
  }
}

TEST(Restrictions, AnEphemeralVolumeWithoutClaimIsLeftToOthers) {
  const Cluster cluster;
  EXPECT_EQ(cluster.check(PodBuilder("new").ephemeral()).answer, Answer::skip());
}

TEST(RestrictionTable, SettingAPodAgainChangesNothing) {
  Cluster cluster;
  const api::Pod old = PodBuilder("old").on("a").claim("c").claim("c").gce("d");
  cluster.table.set_pod(old);
  cluster.table.set_pod(old);
  EXPECT_EQ(cluster.table.now().claim_uses("default/c"), 2U);
  cluster.table.remove_pod("uid-old");
  EXPECT_EQ(cluster.table.now().claim_uses("default/c"), 0U);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").gce("d"), "a"), Answer::success());
  cluster.table.remove_pod("uid-old");
}

TEST(RestrictionTable, APodThatMovesTakesItsDisksAlong) {
  Cluster cluster;
  cluster.table.set_pod(PodBuilder("old").on("a").gce("d").gce("d"));
  cluster.table.set_pod(PodBuilder("old").on("b").gce("d").gce("d"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").gce("d"), "a"), Answer::success());
  EXPECT_EQ(cluster.on_node(PodBuilder("new").gce("d"), "b"), kNoDisk);
}

TEST(RestrictionTable, AViewKeepsWhatItKnew) {
  Cluster cluster;
  cluster.objects.add(exclusive("c"));
  cluster.table.set_pod(PodBuilder("old").on("a").claim("c"));
  const RestrictionView view = cluster.table.view();
  cluster.table.remove_pod("uid-old");
  EXPECT_EQ(view.claim_uses("default/c"), 1U);
  EXPECT_EQ(cluster.table.now().claim_uses("default/c"), 0U);
}

// 11.N N13
TEST(RestrictionHints, ADeletedPodQueuesWhoWantsItsDisksOrClaims) {
  const api::Pod deleted = PodBuilder("old").on("a").gce("d").claim("c");
  const auto hint = [&deleted](const api::Pod& pod) {
    return restriction_hint_for_deleted_pod(pod, deleted, kOurs);
  };
  EXPECT_EQ(hint(PodBuilder("new").gce("d")), Hint::kQueue);
  EXPECT_EQ(hint(PodBuilder("new").claim("c")), Hint::kQueue);
  EXPECT_EQ(hint(PodBuilder("new").gce("e").claim("d")), Hint::kSkip);
  EXPECT_EQ(hint(PodBuilder("new").in("other").gce("d").claim("c")), Hint::kSkip);
  EXPECT_EQ(hint(PodBuilder("new")), Hint::kSkip);
}

// 11.N N14
TEST(RestrictionHints, ANewClaimQueuesWhoNamesIt) {
  const api::Pod pod = PodBuilder("new").claim("c");
  EXPECT_EQ(restriction_hint_for_new_claim(pod, ClaimBuilder("c"), kOurs), Hint::kQueue);
  EXPECT_EQ(restriction_hint_for_new_claim(pod, ClaimBuilder("d"), kOurs), Hint::kSkip);
  EXPECT_EQ(restriction_hint_for_new_claim(pod, ClaimBuilder("c").in("other"), kOurs), Hint::kSkip);
}

}  // namespace
}  // namespace berth::volumes
