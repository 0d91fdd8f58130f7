#include "kube/typed.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "api/codec/protobuf.h"
#include "api/mask.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/testing/fake_client.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::kube {
namespace {

constexpr const char* kPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u",)"
    R"("resourceVersion":"5"},"spec":{"nodeName":"x"}})";

TEST(GuardedMerge, PutsPreconditionsIntoTheMetadataOfTheBody) {
  const Preconditions both{.uid = "u", .resource_version = "5"};
  EXPECT_EQ(guarded_merge(R"({"spec":{"a":1}})", both),
            R"({"metadata":{"uid":"u","resourceVersion":"5"},"spec":{"a":1}})");
  EXPECT_EQ(guarded_merge("{}", both), R"({"metadata":{"uid":"u","resourceVersion":"5"}})");
  EXPECT_EQ(guarded_merge(R"({ "metadata" : { "labels":{"a":"b"}} })", {.uid = "u"}),
            R"({ "metadata" : {"uid":"u", "labels":{"a":"b"}} })");
  EXPECT_EQ(guarded_merge(R"({"metadata":{}})", {.resource_version = "5"}),
            R"({"metadata":{"resourceVersion":"5"}})");
}

TEST(GuardedMerge, IsNotMisledByMetadataElsewhere) {
  EXPECT_EQ(
      guarded_merge(R"({"spec":{"metadata":{}},"x":"\"metadata\":{","y":["metadata"]})",
                    {.uid = "u"}),
      R"({"metadata":{"uid":"u"},"spec":{"metadata":{}},"x":"\"metadata\":{","y":["metadata"]})");
}

TEST(GuardedMerge, WithoutPreconditionsIsTheBody) {
  EXPECT_EQ(guarded_merge(R"({"a":1})", {}), R"({"a":1})");
}

TEST(GuardedMergeDeathTest, RefusesWhatIsNotAnObject) {
  EXPECT_DEATH(guarded_merge("[1]", {.uid = "u"}), "JSON object");
}

TEST(Decode, ReadsBothEncodingsAndKeepsOnlyTheMask) {
  const auto pod = decode<api::Pod>({.bytes = kPod});
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->spec.node_name, "x");
  const Document protobuf{.encoding = Document::Encoding::kProtobuf,
                          .bytes = api::codec::write_protobuf(api::Pod::table(), &*pod)};
  const auto mask = api::Mask::keeping<api::Pod>({"metadata"});
  const auto masked = decode<api::Pod>(protobuf, &mask);
  ASSERT_TRUE(masked);
  EXPECT_EQ(masked->metadata, pod->metadata);
  EXPECT_EQ(masked->spec.node_name, "");
}

TEST(Decode, TheHeadIsReadWhereTheRestCannotBe) {
  const Document bad{
      .bytes = R"({"kind":"Pod","metadata":{"name":"a","resourceVersion":"5"},"spec":[1]})"};
  EXPECT_FALSE(decode<api::Pod>(bad));
  const auto head = read_head(bad);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->metadata.name, "a");
  EXPECT_EQ(head->metadata.resource_version, "5");
}

rt::Task<void> patch_pod(Client* client, std::optional<Result<api::Pod>>* result) {
  auto patched = co_await patch_object<api::Pod>(client, {"n", "a"}, "{}", {});
  result->emplace(std::move(patched));
}

TEST(Typed, AnAnswerThatCannotBeReadIsAnUnknownOutcome) {
  rt::Simulation simulation(1);
  testing::FakeClient client(simulation);
  client.on_patch = [](const PatchRequest&) -> Result<Document> {
    return Document{.bytes = "not JSON"};
  };
  rt::Scope scope(simulation, "test");
  std::optional<Result<api::Pod>> result;
  scope.spawn("patch", patch_pod(&client, &result));
  simulation.run_until(rt::kNever);
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().code(), ErrorCode::kUnknownOutcome);
}

}  // namespace
}  // namespace berth::kube
