#include "binder/order.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>

#include "api/codec.h"
#include "api/objects/bind_request.h"
#include "api/objects/pod.h"

namespace berth::binder {
namespace {

api::BindRequest order_of(const std::string& json) {
  return *api::from_json<api::BindRequest>(json);
}

api::BindRequest plain_order(const std::string& status = "{}") {
  return order_of(R"({"metadata":{"name":"a","namespace":"ns"},
      "spec":{"podName":"a","selectedNode":"n1"},"status":)" +
                  status + "}");
}

api::Pod pod_of_json(const std::string& rest) {
  return *api::from_json<api::Pod>(R"({"metadata":{"name":"a","namespace":"ns","uid":"u1"})" +
                                   rest + "}");
}

std::string reason_of(const Judgement& judgement) {
  const auto* refused = std::get_if<IsRefused>(&judgement);
  return refused != nullptr ? refused->reason : "not refused";
}

TEST(Order, IsOpenUntilItSucceededOrFailedForGood) {
  EXPECT_TRUE(is_open(plain_order()));
  EXPECT_TRUE(is_open(plain_order(R"({"phase":"Pending"})")));
  EXPECT_TRUE(is_open(plain_order(R"({"phase":"SomethingNew"})")));
  EXPECT_FALSE(is_open(plain_order(R"({"phase":"Succeeded"})")));
  EXPECT_FALSE(is_open(plain_order(R"({"phase":"Failed"})")));
}

TEST(Order, AFailureIsNotFinalWhileAttemptsAreLeft) {
  api::BindRequest order = plain_order(R"({"phase":"Failed","failedAttempts":1})");
  EXPECT_FALSE(is_open(order));
  order.spec.backoff_limit = 1;
  EXPECT_FALSE(is_open(order));
  order.spec.backoff_limit = 2;
  EXPECT_TRUE(is_open(order));
  order.spec.backoff_limit = -1;
  EXPECT_FALSE(is_open(order));
}

TEST(Order, IsClosedWhenItIsBeingDeleted) {
  EXPECT_FALSE(is_open(order_of(
      R"({"metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{}})")));
}

TEST(Order, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(flaw_of(plain_order()), std::nullopt);
  EXPECT_EQ(flaw_of(order_of(R"({"spec":{"selectedNode":"n1"}})")),
            "invalid bind request: spec.podName is empty");
  EXPECT_EQ(flaw_of(order_of(R"({"spec":{"podName":"a"}})")),
            "invalid bind request: spec.selectedNode is empty");
}

TEST(Order, APlainPodIsToBeBound) {
  const api::Pod pod = pod_of_json(R"(,"spec":{"volumes":[{"name":"v","emptyDir":{}}]})");
  EXPECT_TRUE(std::holds_alternative<ToBind>(judge(plain_order(), &pod)));
}

TEST(Order, ABoundPodIsBoundWhereverThatIsAndWhateverBecameOfIt) {
  const api::Pod pod = pod_of_json(R"(,"spec":{"nodeName":"n2"},"status":{"phase":"Succeeded"})");
  const Judgement judgement = judge(plain_order(), &pod);
  ASSERT_TRUE(std::holds_alternative<IsBound>(judgement));
  EXPECT_EQ(std::get<IsBound>(judgement).node, "n2");
}

TEST(Order, RefusesPodsThatCannotBeBound) {
  EXPECT_EQ(reason_of(judge(plain_order(), nullptr)), "Pod \"a\" not found");
  api::Pod pod = pod_of_json(R"(,"status":{"phase":"Failed"})");
  EXPECT_EQ(reason_of(judge(plain_order(), &pod)), "pod <ns/a> has finished (phase Failed)");
  pod = *api::from_json<api::Pod>(
      R"({"metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"}})");
  EXPECT_EQ(reason_of(judge(plain_order(), &pod)), "pod <ns/a> is being deleted");
  pod = pod_of_json(
      R"(,"spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]})");
  EXPECT_EQ(reason_of(judge(plain_order(), &pod)),
            "pod <ns/a> has volume claims, which this binder does not bind yet");
  pod = pod_of_json(R"(,"spec":{"volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":
      {"spec":{"accessModes":["ReadWriteOnce"]}}}}]})");
  EXPECT_EQ(reason_of(judge(plain_order(), &pod)),
            "pod <ns/a> has volume claims, which this binder does not bind yet");
  pod = pod_of_json(R"(,"spec":{"resourceClaims":[{"name":"gpu"}]})");
  EXPECT_EQ(reason_of(judge(plain_order(), &pod)),
            "pod <ns/a> has resource claims, which this binder does not allocate yet");
}

TEST(Order, RefusesWhatAPlainBindingDoesNotDo) {
  const api::Pod pod = pod_of_json("");
  api::BindRequest order = plain_order();
  order.spec.received_resource_type = "Fraction";
  EXPECT_EQ(reason_of(judge(order, &pod)),
            "pod <ns/a> is to have a share of a GPU, which this binder does not bind yet");
  // Only the exact word means a share.
  order.spec.received_resource_type = "fraction";
  EXPECT_TRUE(std::holds_alternative<ToBind>(judge(order, &pod)));
  order = order_of(R"({"metadata":{"name":"a","namespace":"ns"},"spec":{"podName":"a",
      "selectedNode":"n","resourceClaimAllocations":[{"name":"gpu","allocation":{}}]}})");
  EXPECT_EQ(reason_of(judge(order, &pod)),
            "pod <ns/a> has resource claims, which this binder does not allocate yet");
}

// A binding that another binder has sent may still be applied to such a pod.
TEST(Order, TellsWhichRefusalsABindingUnderWayMeetsToo) {
  const auto is_beyond = [](const Judgement& judgement) {
    return std::get<IsRefused>(judgement).is_beyond_binding;
  };
  EXPECT_TRUE(is_beyond(judge(plain_order(), nullptr)));
  api::Pod pod = pod_of_json(R"(,"status":{"phase":"Failed"})");
  EXPECT_FALSE(is_beyond(judge(plain_order(), &pod)));
  pod = pod_of_json(R"(,"spec":{"resourceClaims":[{"name":"gpu"}]})");
  EXPECT_FALSE(is_beyond(judge(plain_order(), &pod)));
}

TEST(Order, BelongsToTheInstanceOfThePodThatOwnsIt) {
  api::BindRequest order = plain_order();
  order.metadata.owner_references.push_back(
      {.api_version = "v1", .kind = "Pod", .name = "a", .uid = "u1"});
  api::Pod pod = pod_of_json("");
  EXPECT_TRUE(std::holds_alternative<ToBind>(judge(order, &pod)));
  pod.metadata.uid = "u2";
  EXPECT_EQ(reason_of(judge(order, &pod)),
            "bind request belongs to a previous instance of the pod");
  // A bound pod of the same name is not the one that was meant.
  pod.spec.node_name = "n1";
  EXPECT_EQ(reason_of(judge(order, &pod)),
            "bind request belongs to a previous instance of the pod");
  // Another owner says nothing about the pod.
  order.metadata.owner_references.front().name = "operator";
  EXPECT_TRUE(std::holds_alternative<IsBound>(judge(order, &pod)));
}

}  // namespace
}  // namespace berth::binder
