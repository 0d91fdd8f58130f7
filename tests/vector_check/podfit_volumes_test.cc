#include "podfit_volumes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "difference.h"
#include "volumes/related_switches.h"

namespace berth::vector_check {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

boost::json::object row(std::string_view text) {
  return boost::json::parse({text.data(), text.size()}).as_object();
}

std::vector<std::string> paths(const Differences& differences) {
  std::vector<std::string> result;
  for (const Difference& difference : differences) {
    result.push_back(difference.path);
  }
  return result;
}

// The one place of the node is taken by the volume the pod wants; upstream counts it twice.
const boost::json::object kAttached = row(R"({"id": "1", "tags": [],
    "objects": {
      "nodes": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}],
      "csinodes": [{"apiVersion": "storage.k8s.io/v1", "kind": "CSINode",
                    "metadata": {"name": "n"},
                    "spec": {"drivers": [{"name": "d", "allocatable": {"count": 1}}]}}],
      "persistentvolumes": [{"apiVersion": "v1", "kind": "PersistentVolume",
                             "metadata": {"name": "pv"},
                             "spec": {"csi": {"driver": "d", "volumeHandle": "h"}}}],
      "persistentvolumeclaims": [{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                                  "metadata": {"name": "c", "namespace": "default"},
                                  "spec": {"volumeName": "pv"}}],
      "volumeattachments": [{"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
                             "metadata": {"name": "va"},
                             "spec": {"attacher": "d", "nodeName": "n",
                                      "source": {"persistentVolumeName": "pv"}}}]},
    "pod": {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "p", "namespace": "default", "uid": "u"},
            "spec": {"volumes": [{"name": "v",
                                  "persistentVolumeClaim": {"claimName": "c"}}]}},
    "expect": {"filter": {
      "NodeVolumeLimits": {"preFilter": {"code": "Success"},
                           "nodes": {"n": {"code": "Unschedulable",
                                           "reasons": ["node(s) exceed max volume count"]}}},
      "VolumeRestrictions": {"preFilter": {"code": "Skip"}},
      "VolumeZone": {"preFilter": {"code": "Skip"}}}}})");

TEST(PodfitRows, AgreeWithUpstreamsRules) {
  EXPECT_TRUE(is_podfit_row(kAttached));
  EXPECT_FALSE(is_podfit_row(row(R"({"kind": "parse"})")));
  EXPECT_FALSE(is_podfit_row(row(R"({"expect": {"filter": {"n": {}}}})")));
  EXPECT_THAT(paths(check_podfit_row(kAttached, volumes::RelatedSwitches::upstream())), IsEmpty());
}

TEST(PodfitRows, DifferWhereBerthDoesBetter) {
  EXPECT_THAT(paths(check_podfit_row(kAttached, {})),
              ElementsAre("NodeVolumeLimits.nodes.n.code", "NodeVolumeLimits.nodes.n.reasons"));
}

TEST(PodfitRows, AlteredExpectationIsTheOneDifference) {
  auto altered = kAttached;
  altered["expect"].at("filter").at("VolumeZone").at("preFilter").as_object()["code"] = "Success";
  EXPECT_THAT(paths(check_podfit_row(altered, volumes::RelatedSwitches::upstream())),
              ElementsAre("VolumeZone.preFilter.code"));
}

}  // namespace

}  // namespace berth::vector_check
