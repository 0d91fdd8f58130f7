#include "volumes/zones.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/rules/node_label_index.h"
#include "base/node_set.h"
#include "volumes/answer.h"
#include "volumes/hint.h"
#include "volumes/names.h"
#include "volumes/related_switches.h"
#include "volumes/testing/few_objects.h"

namespace berth::volumes {
namespace {

using few::ClaimBuilder;
using few::FewObjects;
using few::PodBuilder;
using few::storage_class;

const RelatedSwitches kOurs;
const RelatedSwitches kUpstream = RelatedSwitches::upstream();

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

api::StringMap label_map(const Labels& labels) {
  api::StringMap map;
  for (const auto& [key, value] : labels) {
    map.emplace(key, value);
  }
  return map;
}

api::PersistentVolume volume(const Labels& labels, std::string_view name = "pv") {
  api::PersistentVolume made;
  made.metadata.name = name;
  made.metadata.labels = label_map(labels);
  return made;
}

// A pod whose one claim is bound to a volume with these labels.
ZoneCheck check_volume(const Labels& labels) {
  FewObjects objects;
  objects.add(volume(labels));
  objects.add(ClaimBuilder("c").bound_to("pv"));
  return check_zones(PodBuilder("pod").claim("c").pod(), objects, kOurs);
}

Answer check_claim(const api::PersistentVolumeClaim& claim, FewObjects& objects) {
  objects.add(claim);
  return check_zones(PodBuilder("pod").claim(claim.metadata.name).pod(), objects, kOurs).answer;
}

// One node, asked in both ways, which must agree.
Answer on_node(const Labels& volume_labels, const Labels& node_labels) {
  const ZoneCheck check = check_volume(volume_labels);
  EXPECT_TRUE(check.answer.is_success());
  const Answer answer = check.on_node(label_map(node_labels));
  api::NodeLabelIndex index(1);
  index.set(0, "node", label_map(node_labels));
  NodeSet nodes = NodeSet::full(1);
  check.narrow(index, nodes);
  EXPECT_EQ(nodes.test(0), answer.is_success());
  return answer;
}

const Answer kFits = Answer::success();
const Answer kElsewhere = Answer::unresolvable("node(s) had no available volume zone");

// 11.O O01
TEST(Zones, PodsWithoutVolumesOrWithDelayedClaimsAreSkipped) {
  FewObjects objects;
  EXPECT_EQ(check_zones(PodBuilder("pod").pod(), objects, kOurs).answer, Answer::skip());
  EXPECT_EQ(check_zones(PodBuilder("pod").config_map().pod(), objects, kOurs).answer,
            Answer::skip());
  objects.add(storage_class("wait", "csi"));
  EXPECT_EQ(check_claim(ClaimBuilder("c").of_class("wait"), objects), Answer::skip());
}

TEST(Zones, VolumesWithoutZonesAreSkipped) {
  EXPECT_EQ(check_volume({{"other", "a"}}).answer, Answer::skip());
}

// 11.O O02
TEST(Zones, NodesWithoutZonesTakeAnyVolume) {
  EXPECT_EQ(on_node({{kZone, "a"}}, {{"other", "b"}}), kFits);
}

// 11.O O03
TEST(Zones, EqualBetaLabelsFit) {
  EXPECT_EQ(on_node({{kBetaZone, "a"}, {kBetaRegion, "r"}}, {{kBetaZone, "a"}, {kBetaRegion, "r"}}),
            kFits);
}

// 11.O O04
TEST(Zones, EqualGeneralLabelsFit) {
  EXPECT_EQ(on_node({{kZone, "a"}, {kRegion, "r"}}, {{kZone, "a"}, {kRegion, "r"}}), kFits);
}

// 11.O O05
TEST(Zones, AnyMismatchIsUnresolvable) {
  EXPECT_EQ(on_node({{kZone, "a"}}, {{kZone, "b"}}), kElsewhere);
  EXPECT_EQ(on_node({{kBetaZone, "a"}}, {{kBetaZone, "b"}}), kElsewhere);
  EXPECT_EQ(on_node({{kZone, "a"}, {kRegion, "r"}}, {{kZone, "a"}, {kRegion, "s"}}), kElsewhere);
}

// 11.O O06
TEST(Zones, ANodeMustHaveEveryLabelOfTheVolume) {
  EXPECT_EQ(on_node({{kZone, "a"}, {kRegion, "r"}}, {{kZone, "a"}}), kElsewhere);
}

// 11.O O07
TEST(Zones, GeneralLabelsOfANodeStandInForBetaOnes) {
  EXPECT_EQ(on_node({{kBetaZone, "a"}, {kBetaRegion, "r"}}, {{kZone, "a"}, {kRegion, "r"}}), kFits);
  EXPECT_EQ(on_node({{kBetaZone, "a"}}, {{kZone, "b"}}), kElsewhere);
  // Only where the beta label is missing.
  EXPECT_EQ(on_node({{kBetaZone, "a"}}, {{kBetaZone, "b"}, {kZone, "a"}}), kElsewhere);
}

// 11.O O08
TEST(Zones, BetaLabelsOfANodeDoNotStandInForGeneralOnes) {
  EXPECT_EQ(on_node({{kZone, "a"}}, {{kBetaZone, "a"}}), kElsewhere);
}

// 11.O O09
TEST(Zones, ALabelMayNameSeveralZones) {
  EXPECT_EQ(on_node({{kZone, "c__a"}}, {{kZone, "a"}}), kFits);
  EXPECT_EQ(on_node({{kZone, "c__ a "}}, {{kZone, "a"}}), kFits);
  EXPECT_EQ(on_node({{kZone, "c__a"}}, {{kZone, "b"}}), kElsewhere);
  EXPECT_EQ(on_node({{kZone, "c__a"}}, {{kZone, "c__a"}}), kElsewhere);
}

// 11.O O10
TEST(Zones, ALabelWithAnEmptyElementIsIgnored) {
  EXPECT_EQ(check_volume({{kZone, "a____b"}}).answer, Answer::skip());
  EXPECT_EQ(check_volume({{kZone, ""}}).answer, Answer::skip());
  const ZoneCheck check = check_volume({{kZone, "a__ "}, {kRegion, "r"}});
  EXPECT_EQ(check.demands, (std::vector<ZoneDemand>{{.key = kRegion, .values = {"r"}}}));
}

// 11.O O11
TEST(Zones, AnUnboundClaimNeedsAClass) {
  FewObjects objects;
  EXPECT_EQ(check_claim(ClaimBuilder("c"), objects),
            Answer::unresolvable("PersistentVolumeClaim had no pv name and storageClass name"));
}

// 11.O O12
TEST(Zones, TheClassOfAnUnboundClaimMustExist) {
  FewObjects objects;
  EXPECT_EQ(check_claim(ClaimBuilder("c").of_class("gone"), objects),
            Answer::unresolvable("storageclass.storage.k8s.io \"gone\" not found"));
}

// 11.O O13
TEST(Zones, AnUnboundClaimMustBeDelayed) {
  FewObjects objects;
  objects.add(storage_class("modeless", "csi", std::nullopt));
  objects.add(storage_class("now", "csi", "Immediate"));
  EXPECT_EQ(check_claim(ClaimBuilder("c").of_class("modeless"), objects),
            Answer::unresolvable("VolumeBindingMode not set for StorageClass \"modeless\""));
  EXPECT_EQ(check_claim(ClaimBuilder("d").of_class("now"), objects),
            Answer::unresolvable("PersistentVolume had no name"));
}

TEST(Zones, ClaimsAndVolumesMustExist) {
  FewObjects objects;
  EXPECT_EQ(check_zones(PodBuilder("pod").claim("c").pod(), objects, kOurs).answer,
            Answer::unresolvable("persistentvolumeclaim \"c\" not found"));
  EXPECT_EQ(check_zones(PodBuilder("pod").claim("").pod(), objects, kOurs).answer,
            Answer::unresolvable("PersistentVolumeClaim had no name"));
  EXPECT_EQ(check_claim(ClaimBuilder("c").bound_to("gone"), objects),
            Answer::unresolvable("persistentvolume \"gone\" not found"));
}

TEST(Zones, AllVolumesMustFitTheNode) {
  FewObjects objects;
  objects.add(volume({{kZone, "a__b"}}, "one"));
  objects.add(volume({{kZone, "b__c"}}, "two"));
  objects.add(ClaimBuilder("c").bound_to("one"));
  objects.add(ClaimBuilder("d").bound_to("two"));
  const ZoneCheck check =
      check_zones(PodBuilder("pod").claim("c").claim("d").pod(), objects, kOurs);
  api::NodeLabelIndex index(5);
  const std::vector<std::string> zones = {"a", "b", "c"};
  for (std::size_t node = 0; node < zones.size(); ++node) {
    index.set(node, "node-" + zones[node], label_map({{kZone, zones[node]}}));
  }
  index.set(3, "bare", {});
  NodeSet nodes = index.nodes();
  check.narrow(index, nodes);
  EXPECT_EQ(nodes.count(), 2U);
  EXPECT_TRUE(nodes.test(1));
  EXPECT_TRUE(nodes.test(3));
}

// 12.2 item 20
TEST(Zones, ClaimsOfEphemeralVolumesCountUnlessUpstreamIsFollowed) {
  const api::Pod pod = PodBuilder("pod").ephemeral();
  FewObjects objects;
  objects.add(volume({{kZone, "a"}}));
  objects.add(ClaimBuilder("pod-v0").bound_to("pv").made_for(pod));
  EXPECT_EQ(check_zones(pod, objects, kUpstream).answer, Answer::skip());
  const ZoneCheck check = check_zones(pod, objects, kOurs);
  EXPECT_EQ(check.on_node(label_map({{kZone, "b"}})), kElsewhere);
}

TEST(Zones, WhatIsWrongWithEphemeralClaimsIsLeftToOthers) {
  const api::Pod pod = PodBuilder("pod").ephemeral();
  FewObjects objects;
  EXPECT_EQ(check_zones(pod, objects, kOurs).answer, Answer::skip());
  objects.add(volume({{kZone, "a"}}));
  objects.add(ClaimBuilder("pod-v0").bound_to("pv"));
  EXPECT_EQ(check_zones(pod, objects, kOurs).answer, Answer::skip()) << "not made for the pod";
}

// 11.O O14
TEST(ZoneHints, AClaimQueuesThePodsThatNameIt) {
  const api::Pod pod = PodBuilder("pod").claim("c");
  EXPECT_EQ(zone_hint_for_claim(pod, ClaimBuilder("c"), kOurs), Hint::kQueue);
  EXPECT_EQ(zone_hint_for_claim(pod, ClaimBuilder("c").bound_to("pv"), kOurs), Hint::kQueue);
  EXPECT_EQ(zone_hint_for_claim(pod, ClaimBuilder("d"), kOurs), Hint::kSkip);
  EXPECT_EQ(zone_hint_for_claim(pod, ClaimBuilder("c").in("other"), kOurs), Hint::kSkip);
  EXPECT_EQ(zone_hint_for_claim(PodBuilder("pod").pod(), ClaimBuilder("c"), kOurs), Hint::kSkip);
  const api::Pod ephemeral = PodBuilder("pod").ephemeral();
  EXPECT_EQ(zone_hint_for_claim(ephemeral, ClaimBuilder("pod-v0"), kOurs), Hint::kQueue);
  EXPECT_EQ(zone_hint_for_claim(ephemeral, ClaimBuilder("pod-v0"), kUpstream), Hint::kSkip);
}

// 11.O O15
TEST(ZoneHints, ADelayedClassQueues) {
  EXPECT_EQ(zone_hint_for_new_class(storage_class("s", "csi")), Hint::kQueue);
  EXPECT_EQ(zone_hint_for_new_class(storage_class("s", "csi", "Immediate")), Hint::kSkip);
  EXPECT_EQ(zone_hint_for_new_class(storage_class("s", "csi", std::nullopt)), Hint::kSkip);
}

// 11.O O16
TEST(ZoneHints, AVolumeQueuesWhenItsZonesChange) {
  const api::PersistentVolume before = volume({{kZone, "a"}});
  EXPECT_EQ(zone_hint_for_volume_change(before, volume({{kZone, "b"}})), Hint::kQueue);
  EXPECT_EQ(zone_hint_for_volume_change(before, volume({{kZone, "a"}, {kRegion, "r"}})),
            Hint::kQueue);
  EXPECT_EQ(zone_hint_for_volume_change(before, volume({{kZone, "a"}, {"other", "x"}})),
            Hint::kSkip);
  EXPECT_EQ(zone_hint_for_volume_change(before, before), Hint::kSkip);
}

}  // namespace
}  // namespace berth::volumes
