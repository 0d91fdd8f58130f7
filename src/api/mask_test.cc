#include "api/mask.h"

#include <gtest/gtest.h>

#include "api/codec.h"
#include "api/objects/pod.h"

namespace berth::api {
namespace {

Pod example() {
  const auto pod = from_json<Pod>(R"({
    "metadata": {"name": "a", "namespace": "n", "labels": {"x": "y"}},
    "spec": {
      "nodeName": "node-1",
      "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}],
      "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "claim"}}]
    }})");
  return *pod;
}

// What a mask leaves of the example, the same from both encodings.
Pod through(const Mask& mask) {
  const auto from_text = from_json<Pod>(to_json(example()), &mask);
  const auto from_bytes = from_protobuf<Pod>(to_protobuf(example()), &mask);
  EXPECT_TRUE(from_text && from_bytes);
  EXPECT_EQ(*from_text, *from_bytes);
  return *from_text;
}

TEST(Mask, KeepsOnlyWhatItNames) {
  Pod expected;
  expected.metadata.name = "a";
  expected.spec.node_name = "node-1";
  EXPECT_EQ(through(Mask::keeping<Pod>({"metadata.name", "spec.nodeName"})), expected);
}

TEST(Mask, PassesThroughListsAndInlinedStructs) {
  Pod expected;
  expected.spec.containers.emplace_back().resources = example().spec.containers[0].resources;
  expected.spec.volumes.emplace_back().source.persistent_volume_claim.emplace().claim_name =
      "claim";
  EXPECT_EQ(through(Mask::keeping<Pod>(
                {"spec.containers.resources", "spec.volumes.persistentVolumeClaim"})),
            expected);
}

TEST(Mask, KeepsAllOfAStructThatItNames) {
  Pod expected;
  expected.metadata = example().metadata;
  EXPECT_EQ(through(Mask::keeping<Pod>({"metadata.name", "metadata", "metadata.labels"})),
            expected);
}

TEST(Mask, DropsOnlyWhatItNames) {
  Pod expected = example();
  expected.metadata.labels.clear();
  expected.spec.containers[0].image.clear();
  expected.spec.volumes[0].source.persistent_volume_claim.reset();
  EXPECT_EQ(
      through(Mask::dropping<Pod>(
          {"metadata.labels", "spec.containers.image", "spec.volumes.persistentVolumeClaim"})),
      expected);
}

TEST(Mask, HasNoErrorsInWhatItDrops) {
  const auto mask = Mask::dropping<Pod>({"spec"});
  const auto pod =
      from_json<Pod>(R"({"metadata":{"name":"a"},"spec":{"priority":"wrong"}})", &mask);
  ASSERT_TRUE(pod) << pod.error().text();
  EXPECT_EQ(pod->metadata.name, "a");
}

TEST(MaskDeathTest, RefusesAPathThatDoesNotExist) {
  EXPECT_DEATH(static_cast<void>(Mask::keeping<Pod>({"spec.nodename"})), "'nodename' does not");
  EXPECT_DEATH(static_cast<void>(Mask::keeping<Pod>({"spec.nodeName.x"})), "behind a struct");
}

}  // namespace
}  // namespace berth::api
