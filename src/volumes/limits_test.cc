#include "volumes/limits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/objects/persistent_volume.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "api/objects/volume_sources.h"
#include "base/node_set.h"
#include "volumes/answer.h"
#include "volumes/related_switches.h"
#include "volumes/testing/few_objects.h"

namespace berth::volumes {
namespace {

using few::attachment;
using few::ClaimBuilder;
using few::csi_node;
using few::csi_volume;
using few::FewObjects;
using few::PodBuilder;
using few::storage_class;

constexpr std::string_view kDriver = "csi";
constexpr std::string_view kEbs = "ebs.csi.aws.com";
const Answer kTooMany = Answer::unschedulable("node(s) exceed max volume count");
const Answer kFits = Answer::success();

api::CSIDriver csi_driver(std::string_view name, std::optional<bool> prevent) {
  api::CSIDriver driver;
  driver.metadata.name = name;
  driver.spec.prevent_pod_scheduling_if_missing = prevent;
  return driver;
}

api::PersistentVolume ebs_volume(std::string_view name, std::string_view id) {
  api::PersistentVolume volume;
  volume.metadata.name = name;
  volume.spec.source.aws_elastic_block_store =
      api::AWSElasticBlockStoreVolumeSource{.volume_id = std::string(id)};
  return volume;
}

// Nodes a (0) and b (1). Claims bound-1 to bound-9 have volumes of kDriver; pending-1 to pending-9
// will get one from the class "wait".
struct Cluster {
  explicit Cluster(const AttachOptions& options = {}) : table(objects, options) {
    table.set_node("a", 0);
    table.set_node("b", 1);
    objects.add(storage_class("wait", kDriver));
    for (const char number : std::string_view("123456789")) {
      const std::string bound = std::string("bound-") + number;
      objects.add(csi_volume("pv-" + bound, kDriver, "handle-" + bound));
      objects.add(ClaimBuilder(bound).bound_to("pv-" + bound).of_class("wait"));
      objects.add(ClaimBuilder(std::string("pending-") + number).of_class("wait"));
    }
  }

  void add_pod(const PodBuilder& builder) {
    table.set_pod(std::make_shared<const api::Pod>(builder));
  }
  void limit(std::int32_t count, std::string_view driver = kDriver) {
    table.set_csi_node(csi_node("a", {{.driver = driver, .count = count}}));
  }

  // Node a, asked in both ways, which must agree.
  Answer on_node(const api::Pod& pod) const {
    const AttachRequest request = table.now().request(pod, objects);
    EXPECT_EQ(request.answer, Answer::success());
    const Answer answer = table.now().on_node(request, 0);
    NodeSet nodes = NodeSet::full(2);
    table.now().narrow(request, nodes);
    EXPECT_EQ(nodes.test(0), answer.is_success());
    return answer;
  }

  FewObjects objects;
  AttachTable table;
};

AttachOptions upstream() {
  return {.switches = RelatedSwitches::upstream()};
}

// 11.P P01
TEST(AttachLimits, PodsWithoutAttachableVolumesAreSkipped) {
  const Cluster cluster;
  const AttachView& view = cluster.table.now();
  EXPECT_EQ(view.request(PodBuilder("new").config_map().pod(), cluster.objects).answer,
            Answer::skip());
  EXPECT_EQ(view.request(PodBuilder("new").pod(), cluster.objects).answer, Answer::skip());
  EXPECT_EQ(view.request(PodBuilder("new").aws("x").pod(), cluster.objects).answer,
            Answer::success());
  EXPECT_EQ(view.request(PodBuilder("new").ephemeral().pod(), cluster.objects).answer,
            Answer::success());
}

// 11.P P02
TEST(AttachLimits, ANodeTakesVolumesUpToItsLimit) {
  Cluster cluster;
  cluster.limit(4);
  cluster.add_pod(PodBuilder("old").on("a").claim("bound-1").claim("bound-2").claim("bound-3"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-4")), kFits);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-4").claim("bound-5")), kTooMany);
}

// 11.P P03
TEST(AttachLimits, AnOverfullNodeTakesNoFurtherVolume) {
  Cluster cluster;
  cluster.limit(2);
  cluster.add_pod(PodBuilder("old").on("a").claim("bound-1").claim("bound-2").claim("bound-3"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-4")), kTooMany);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-1")), kFits) << "it is there already";
}

// 11.P P04
TEST(AttachLimits, WithoutLimitOrCsiNodeAnyNumberFits) {
  Cluster cluster;
  cluster.add_pod(PodBuilder("old").on("a").claim("bound-1"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-2")), kFits);
  cluster.table.set_csi_node(csi_node("a", {{.driver = kDriver, .count = std::nullopt}}));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-2")), kFits);
  cluster.limit(0, "other");
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-2")), kFits);
  cluster.limit(0);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-2")), kTooMany);
}

// 11.P P05
TEST(AttachLimits, PendingClaimsCountForTheirClassesDriver) {
  Cluster cluster;
  cluster.limit(1);
  cluster.add_pod(PodBuilder("old").on("a").claim("pending-1"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-1")), kTooMany);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("pending-2")), kTooMany);
}

// 11.P P06
TEST(AttachLimits, APendingClaimOfTwoPodsCountsOnce) {
  Cluster cluster;
  cluster.limit(2);
  cluster.add_pod(PodBuilder("one").on("a").claim("pending-1"));
  cluster.add_pod(PodBuilder("two").on("a").claim("pending-1"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-1")), kFits);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("pending-1").claim("bound-1")), kFits);
}

// 11.P P07
TEST(AttachLimits, AClaimWhoseVolumeIsMissingCountsByItsClass) {
  Cluster cluster;
  cluster.limit(1);
  cluster.objects.remove_volume("pv-bound-1");
  cluster.add_pod(PodBuilder("old").on("a").claim("bound-1"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-2")), kTooMany);
}

// 11.P P08
TEST(AttachLimits, AClaimWithoutClassIsNotCounted) {
  Cluster cluster;
  cluster.limit(1);
  cluster.objects.add(ClaimBuilder("classless"));
  cluster.objects.add(ClaimBuilder("lost").of_class("gone"));
  cluster.add_pod(PodBuilder("old").on("a").claim("classless").claim("lost").claim("missing"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-2")), kFits);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("classless")), kFits);
}

// 11.P P09
TEST(AttachLimits, VolumesOfAnotherDriverAreNotCounted) {
  Cluster cluster;
  cluster.limit(1);
  cluster.objects.add(csi_volume("pv-other", "other", "h"));
  cluster.objects.add(ClaimBuilder("other").bound_to("pv-other"));
  cluster.add_pod(PodBuilder("old").on("a").claim("other"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-1")), kFits);
}

// 11.P P10
TEST(AttachLimits, MigratedVolumesCountForTheirCsiDriver) {
  Cluster cluster;
  cluster.limit(3, kEbs);
  cluster.objects.add(ebs_volume("pv-ebs", "vol-1"));
  cluster.objects.add(ClaimBuilder("ebs").bound_to("pv-ebs"));
  cluster.objects.add(storage_class("gp2", "kubernetes.io/aws-ebs"));
  cluster.objects.add(ClaimBuilder("gp2").of_class("gp2"));
  cluster.add_pod(PodBuilder("old").on("a").claim("ebs").claim("gp2").aws("vol-2"));
  EXPECT_EQ(cluster.table.now().attachments(0).count(kEbs), 3);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").aws("vol-3")), kTooMany);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").aws("aws:///vol-2")), kFits);
}

TEST(AttachLimits, MigrationNeedsACsiNodeAndNoAnnotation) {
  Cluster cluster;
  cluster.add_pod(PodBuilder("old").on("a").aws("vol-1").gce("disk"));
  EXPECT_EQ(cluster.table.now().attachments(0).count(kEbs), 0);
  cluster.limit(1, kEbs);
  EXPECT_EQ(cluster.table.now().attachments(0).count(kEbs), 1);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").aws("vol-2")), kTooMany);
  cluster.table.remove_csi_node("a");
  EXPECT_EQ(cluster.table.now().attachments(0).count(kEbs), 0);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").aws("vol-2")), kFits);
}

// 11.P P11
TEST(AttachLimits, OtherInTreeVolumesAreNotCounted) {
  Cluster cluster;
  cluster.limit(0, "kubernetes.io/azure-file");
  api::PersistentVolume volume;
  volume.metadata.name = "pv-rbd";
  volume.spec.source.rbd.emplace();
  cluster.objects.add(volume);
  cluster.objects.add(ClaimBuilder("rbd").bound_to("pv-rbd"));
  cluster.objects.add(storage_class("file", "kubernetes.io/azure-file"));
  cluster.objects.add(ClaimBuilder("file").of_class("file"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("rbd").claim("file")), kFits);
}

// 11.P P12
TEST(AttachLimits, AnInlineVolumeIsTheCsiVolumeOfTheSameId) {
  Cluster cluster;
  cluster.limit(1, kEbs);
  cluster.objects.add(csi_volume("pv-ebs", kEbs, "vol-1"));
  cluster.objects.add(ClaimBuilder("ebs").bound_to("pv-ebs"));
  cluster.add_pod(PodBuilder("old").on("a").claim("ebs"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").aws("vol-1")), kFits);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").aws("vol-2")), kTooMany);
}

// 11.P P13
TEST(AttachLimits, EphemeralVolumesNeedTheirOwnClaim) {
  Cluster cluster;
  cluster.limit(1);
  const api::Pod pod = PodBuilder("new").ephemeral();
  EXPECT_EQ(cluster.on_node(pod),
            Answer::unresolvable(
                "looking up PVC default/new-v0: persistentvolumeclaim \"new-v0\" not found"));
  cluster.objects.add(ClaimBuilder("new-v0").of_class("wait"));
  EXPECT_EQ(cluster.on_node(pod),
            Answer::error("PVC default/new-v0 was not created for pod default/new "
                          "(pod is not owner)"));
  cluster.objects.add(ClaimBuilder("new-v0").of_class("wait").made_for(pod));
  EXPECT_EQ(cluster.on_node(pod), kFits);
  cluster.add_pod(PodBuilder("old").on("a").claim("bound-1"));
  EXPECT_EQ(cluster.on_node(pod), kTooMany);
}

TEST(AttachLimits, AClaimNeedsAName) {
  const Cluster cluster;
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("")),
            Answer::error("PersistentVolumeClaim had no name"));
}

TEST(AttachLimits, AMalformedInlineVolumeIsAnErrorWhereItIsMigrated) {
  Cluster cluster;
  const api::Pod pod = PodBuilder("new").aws("aws://bad");
  EXPECT_EQ(cluster.on_node(pod), kFits) << "without CSINode nothing is translated";
  cluster.limit(1);
  EXPECT_EQ(cluster.on_node(pod),
            Answer::error("converting volume(v0) from inline to csi: failed to translate "
                          "Kubernetes ID to EBS Volume ID Invalid format for AWS volume "
                          "(aws://bad)"));
}

// 11.P P14
TEST(AttachLimits, AttachmentsWithoutPodsTakePlaces) {
  Cluster cluster;
  cluster.limit(2);
  cluster.table.set_attachment(attachment("va-1", kDriver, "pv-bound-1"));
  cluster.table.set_attachment(attachment("va-2", kDriver, "pv-bound-2"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-3")), kTooMany);
  cluster.table.remove_attachment("va-2");
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-3")), kFits);
}

// 11.P P15
TEST(AttachLimits, AttachmentsBelowTheLimitLeavePlaces) {
  Cluster cluster;
  cluster.limit(2);
  cluster.table.set_attachment(attachment("va-1", kDriver, "pv-bound-1"));
  cluster.add_pod(PodBuilder("old").on("a").claim("bound-1"));
  cluster.table.set_attachment(attachment("va-2", kDriver, "pv-bound-2", "b"));
  cluster.table.set_attachment(attachment("va-3", "", "pv-bound-3"));
  cluster.table.set_attachment(attachment("va-4", kDriver, "gone"));
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-4")), kFits);
}

// 11.P P16
TEST(AttachLimits, AnAttachedVolumeTakesNoSecondPlaceUnlessUpstreamIsFollowed) {
  for (const bool is_upstream : {false, true}) {
    Cluster cluster(is_upstream ? upstream() : AttachOptions());
    cluster.limit(2);
    cluster.table.set_attachment(attachment("va-1", kDriver, "pv-bound-1"));
    cluster.table.set_attachment(attachment("va-2", kDriver, "pv-bound-2"));
    EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-1")), is_upstream ? kTooMany : kFits);
    EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-1").claim("bound-3")), kTooMany);
  }
}

// 11.P P17
TEST(AttachLimits, ADriverMayKeepPodsFromNodesWithoutIt) {
  Cluster cluster;
  cluster.objects.add(csi_driver(kDriver, true));
  const Answer missing = Answer::unschedulable("csi CSI driver is not installed on the node");
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-1")), missing) << "no CSINode";
  cluster.limit(1, "other");
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-1")), missing);
  EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("pending-1")), missing);
}

// 11.P P18
TEST(AttachLimits, ADriverMustAskToKeepPodsAway) {
  for (const std::optional<bool> prevent : {std::optional<bool>(), std::optional<bool>(false)}) {
    Cluster cluster;
    cluster.objects.add(csi_driver(kDriver, prevent));
    cluster.limit(1, "other");
    EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-1")), kFits);
  }
  Cluster unknown;
  unknown.limit(1, "other");
  EXPECT_EQ(unknown.on_node(PodBuilder("new").claim("bound-1")), kFits);
  Cluster gate_off({.volume_limit_scaling = false});
  gate_off.objects.add(csi_driver(kDriver, true));
  EXPECT_EQ(gate_off.on_node(PodBuilder("new").claim("bound-1")), kFits);
  Cluster installed;
  installed.objects.add(csi_driver(kDriver, true));
  installed.limit(1);
  EXPECT_EQ(installed.on_node(PodBuilder("new").claim("bound-1")), kFits);
}

TEST(AttachLimits, ARunningPodAtFaultIsForgivenUnlessUpstreamIsFollowed) {
  for (const bool is_upstream : {false, true}) {
    Cluster cluster(is_upstream ? upstream() : AttachOptions());
    cluster.objects.add(ClaimBuilder("one-v0").of_class("wait"));
    cluster.objects.add(ClaimBuilder("two-v0").of_class("wait"));
    cluster.add_pod(PodBuilder("two").on("a").ephemeral().claim("bound-1"));
    cluster.add_pod(PodBuilder("one").on("a").ephemeral());
    EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-2")), kFits) << "no limits to look at";
    cluster.limit(2);
    EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-2")),
              is_upstream ? Answer::error("PVC default/two-v0 was not created for pod default/two "
                                          "(pod is not owner)")
                          : kFits);
    cluster.limit(1);
    EXPECT_EQ(cluster.on_node(PodBuilder("new").claim("bound-2")).code,
              is_upstream ? Code::kError : Code::kUnschedulable)
        << "what can be told of the pod counts";
  }
}

TEST(AttachLimits, ADryRunSupposesPodsOnTheNode) {
  Cluster cluster;
  cluster.limit(1);
  cluster.add_pod(PodBuilder("old").on("a").claim("bound-1"));
  const AttachView& view = cluster.table.now();
  const AttachRequest request =
      view.request(PodBuilder("new").claim("bound-2").pod(), cluster.objects);
  EXPECT_EQ(view.on_node(request, 0, {}, cluster.objects), kTooMany);
  EXPECT_EQ(view.on_node(request, 0, {.added = {}, .removed = {"uid-old"}}, cluster.objects),
            kFits);
  const api::Pod nominated = PodBuilder("nominated").claim("bound-3");
  EXPECT_EQ(
      view.on_node(request, 0, {.added = {&nominated}, .removed = {"uid-old"}}, cluster.objects),
      kTooMany);
  EXPECT_EQ(view.on_node(request, 0), kTooMany) << "nothing has changed";
}

}  // namespace
}  // namespace berth::volumes
