// status, binding and eviction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "api/kind.h"
#include "api/objects/bind_request.h"
#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "base/error.h"
#include "base/result.h"
#include "behaviour/behaviour.h"
#include "kube/client.h"

namespace berth::tests {
namespace {

constexpr const api::Kind& kPod = api::Pod::kKind;
constexpr const api::Kind& kBudget = api::PodDisruptionBudget::kKind;

class Status : public Behaviour {};

TEST_F(Status, PatchChangesTheStatus) {
  made(kPod, pod("a"));
  const auto changed = merge_status(kPod, "a", R"({"status":{"phase":"Running"}})");
  ASSERT_TRUE(changed.has_value()) << changed.error().text();
  EXPECT_EQ(text(*changed, "status.phase"), "Running");
}

TEST_F(Status, PatchLeavesTheSpecAlone) {
  made(kPod, pod("a"));
  const auto changed = merge_status(
      kPod, "a", R"({"spec":{"activeDeadlineSeconds":5},"status":{"phase":"Running"}})");
  ASSERT_TRUE(changed.has_value()) << changed.error().text();
  EXPECT_EQ(text(*changed, "spec.activeDeadlineSeconds"), "");
}

TEST_F(Status, IsLeftAloneByAPatchOfTheObject) {
  made(kPod, pod("a"));
  const Object changed =
      merged(kPod, "a", R"({"metadata":{"labels":{"b":"c"}},"status":{"phase":"Running"}})");
  EXPECT_EQ(text(changed, "status.phase"), "Pending");
  EXPECT_EQ(text(changed, "metadata.labels.b"), "c");
}

TEST_F(Status, PatchHasPreconditions) {
  const Object first = made(kPod, pod("a"));
  ASSERT_TRUE(merge_status(kPod, "a", R"({"status":{"phase":"Running"}})").has_value());
  EXPECT_CODE(merge_status(kPod,
                           "a",
                           R"({"metadata":{"resourceVersion":")" + version(first) +
                               R"("},"status":{"phase":"Failed"}})"),
              ErrorCode::kConflict);
}

TEST_F(Status, DoesNotExistForEveryKind) {
  made(api::ConfigMap::kKind, config_map("a"));
  EXPECT_CODE(merge_status(api::ConfigMap::kKind, "a", R"({"status":{}})"), ErrorCode::kNotFound);
}

class CustomResource : public Behaviour {
 protected:
  void prepare() override {
    if (!server().has_custom_resources()) {
      GTEST_SKIP() << "this server has no BindRequests";
    }
    first_ = made(kKind,
                  {{"apiVersion", kKind.api_version()},
                   {"kind", kKind.name},
                   {"metadata", {{"name", "a"}, {"labels", {{"app", "web"}}}}},
                   {"spec", {{"podName", "p"}, {"selectedNode", "node-1"}}},
                   {"status", {{"phase", "Succeeded"}}}});
  }

  static constexpr const api::Kind& kKind = api::BindRequest::kKind;
  Object first_;
};

TEST_F(CustomResource, BeginsWithoutStatusAndWithAGeneration) {
  EXPECT_EQ(text(first_, "status.phase"), "");
  EXPECT_EQ(text(first_, "metadata.generation"), "1");
}

TEST_F(CustomResource, StatusPatchChangesNothingElse) {
  const auto changed = merge_status(
      kKind,
      "a",
      R"({"metadata":{"labels":{"app":"db"}},"spec":{"podName":"q"},"status":{"phase":"Failed"}})");
  ASSERT_TRUE(changed.has_value()) << changed.error().text();
  EXPECT_EQ(text(*changed, "status.phase"), "Failed");
  EXPECT_EQ(text(*changed, "spec.podName"), "p");
  EXPECT_EQ(text(*changed, "metadata.labels.app"), "web");
  EXPECT_EQ(text(*changed, "metadata.generation"), "1");
}

TEST_F(CustomResource, SpecPatchRaisesTheGeneration) {
  const Object changed = merged(kKind, "a", R"({"spec":{"selectedNode":"node-2"}})");
  EXPECT_EQ(text(changed, "metadata.generation"), "2");
}

TEST_F(CustomResource, HasNoStrategicMergePatch) {
  EXPECT_CODE(patch(kKind, "a", kube::PatchType::kStrategic, R"({"spec":{"podName":"q"}})"),
              ErrorCode::kInvalid);
}

class Binding : public Behaviour {
 protected:
  Result<Object> bind(const std::string& pod, const Object& body) {
    return post(pod, "binding", body);
  }
  std::string node_of(const std::string& pod) { return text(*get(kPod, pod), "spec.nodeName"); }
};

TEST_F(Binding, PutsAPodOntoANode) {
  made(kPod, pod("a"));
  const auto answer = bind("a", binding("a", "node-1"));
  ASSERT_TRUE(answer.has_value()) << answer.error().text();
  EXPECT_EQ(text(*answer, "kind"), "Status");
  EXPECT_EQ(node_of("a"), "node-1");
}

TEST_F(Binding, SaysThatThePodIsScheduled) {
  made(kPod, pod("a"));
  ASSERT_TRUE(merge_status(kPod, "a", R"({"status":{"conditions":[
      {"type":"PodScheduled","status":"False","reason":"Unschedulable"}]}})")
                  .has_value());
  ASSERT_TRUE(bind("a", binding("a", "node-1")).has_value());
  const Object bound = *get(kPod, "a");
  ASSERT_EQ(value(bound, "/status/conditions").as_array().size(), 1U);
  EXPECT_EQ(text(bound, "status.conditions.0.type"), "PodScheduled");
  EXPECT_EQ(text(bound, "status.conditions.0.status"), "True");
}

TEST_F(Binding, CarriesAnnotationsToThePod) {
  Object body = pod("a");
  body["metadata"].as_object()["annotations"] = Object{{"kept", "1"}, {"changed", "1"}};
  made(kPod, body);
  Object request = binding("a", "node-1");
  request["metadata"].as_object()["annotations"] = Object{{"changed", "2"}, {"new", "2"}};
  ASSERT_TRUE(bind("a", request).has_value());
  EXPECT_EQ(value(*get(kPod, "a"), "/metadata/annotations"),
            json::value({{"kept", "1"}, {"changed", "2"}, {"new", "2"}}));
}

TEST_F(Binding, IsDoneOnce) {
  made(kPod, pod("a"));
  ASSERT_TRUE(bind("a", binding("a", "node-1")).has_value());
  EXPECT_CODE(bind("a", binding("a", "node-2")), ErrorCode::kConflict);
  EXPECT_CODE(bind("a", binding("a", "node-1")), ErrorCode::kConflict);
  EXPECT_EQ(node_of("a"), "node-1");
}

TEST_F(Binding, OfThePodItMeansIsDone) {
  const Object made = this->made(kPod, pod("a"));
  Object request = binding("a", "node-1");
  request["metadata"].as_object()["uid"] = uid(made);
  request["metadata"].as_object()["resourceVersion"] = version(made);
  const auto answer = bind("a", request);
  EXPECT_TRUE(answer.has_value()) << answer.error().text();
}

TEST_F(Binding, OfAnotherPodOfThatNameIsAConflict) {
  const Object first = made(kPod, pod("a"));
  ASSERT_TRUE(remove(kPod, "a").has_value());
  made(kPod, pod("a"));
  Object request = binding("a", "node-1");
  request["metadata"].as_object()["uid"] = uid(first);
  EXPECT_CODE(bind("a", request), ErrorCode::kConflict);
  EXPECT_EQ(node_of("a"), "");
}

TEST_F(Binding, OfAnOlderVersionIsAConflict) {
  const Object first = made(kPod, pod("a"));
  merged(kPod, "a", R"({"metadata":{"labels":{"b":"c"}}})");
  Object request = binding("a", "node-1");
  request["metadata"].as_object()["resourceVersion"] = version(first);
  EXPECT_CODE(bind("a", request), ErrorCode::kConflict);
}

TEST_F(Binding, OfAPodThatIsBeingDeletedIsAConflict) {
  made(kPod, with_finalizer(pod("a"), "example.com/guard"));
  ASSERT_TRUE(remove(kPod, "a").has_value());
  EXPECT_CODE(bind("a", binding("a", "node-1")), ErrorCode::kConflict);
  merged(kPod, "a", R"({"metadata":{"finalizers":null}})");
}

TEST_F(Binding, OfAPodBehindAGateIsAConflict) {
  Object body = pod("a");
  body["spec"].as_object()["schedulingGates"] = json::array{Object{{"name", "example.com/wait"}}};
  made(kPod, body);
  EXPECT_CODE(bind("a", binding("a", "node-1")), ErrorCode::kConflict);
}

TEST_F(Binding, OfAMissingPodIsNotFound) {
  EXPECT_CODE(bind("a", binding("a", "node-1")), ErrorCode::kNotFound);
}

TEST_F(Binding, MustNameANodeAndThePod) {
  made(kPod, pod("a"));
  EXPECT_FALSE(bind("a", binding("a", "")).has_value());
  EXPECT_CODE(bind("a", binding("b", "node-1")), ErrorCode::kInvalid);
  EXPECT_EQ(node_of("a"), "");
}

class Eviction : public Behaviour {
 protected:
  void make_running(const std::string& name) {
    Object body = pod_on(name, "node-1");
    body["metadata"].as_object()["labels"] = Object{{"app", "guarded"}};
    made(kPod, body);
    ASSERT_TRUE(merge_status(kPod, name, R"({"status":{"phase":"Running","conditions":[
        {"type":"Ready","status":"True"}]}})")
                    .has_value());
  }
  void make_budget(int allowed) {
    made(kBudget, disruption_budget("b"));
    ASSERT_TRUE(merge_status(kBudget,
                             "b",
                             R"({"status":{"observedGeneration":1,"disruptionsAllowed":)" +
                                 std::to_string(allowed) +
                                 R"(,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1}})")
                    .has_value());
  }
  Result<Object> evict(const std::string& name) { return post(name, "eviction", eviction(name)); }
};

TEST_F(Eviction, DeletesThePod) {
  make_running("a");
  const auto answer = evict("a");
  ASSERT_TRUE(answer.has_value()) << answer.error().text();
  EXPECT_FALSE(text(*get(kPod, "a"), "metadata.deletionTimestamp").empty());
}

TEST_F(Eviction, OfAMissingPodIsNotFound) {
  EXPECT_CODE(evict("a"), ErrorCode::kNotFound);
}

TEST_F(Eviction, HasThePreconditionsOfADeletion) {
  make_running("a");
  Object body = eviction("a");
  body["deleteOptions"] =
      Object{{"preconditions", {{"uid", "00000000-0000-4000-8000-000000000000"}}}};
  EXPECT_CODE(post("a", "eviction", body), ErrorCode::kConflict);
  EXPECT_EQ(text(*get(kPod, "a"), "metadata.deletionTimestamp"), "");
}

TEST_F(Eviction, HasAGracePeriod) {
  make_running("a");
  Object body = eviction("a");
  body["deleteOptions"] = Object{{"gracePeriodSeconds", 0}};
  ASSERT_TRUE(post("a", "eviction", body).has_value());
  EXPECT_CODE(get(kPod, "a"), ErrorCode::kNotFound);
}

TEST_F(Eviction, WaitsForTheBudget) {
  make_running("a");
  make_budget(0);
  EXPECT_CODE(evict("a"), ErrorCode::kTooManyRequests);
  EXPECT_EQ(text(*get(kPod, "a"), "metadata.deletionTimestamp"), "");
}

TEST_F(Eviction, SpendsTheBudget) {
  make_running("a");
  make_running("b");
  make_budget(1);
  EXPECT_TRUE(evict("a").has_value());
  EXPECT_EQ(text(*get(kBudget, "b"), "status.disruptionsAllowed"), "0");
  EXPECT_CODE(evict("b"), ErrorCode::kTooManyRequests);
}

TEST_F(Eviction, WaitsForABudgetThatNobodyHasLookedAtYet) {
  make_running("a");
  made(kBudget, disruption_budget("b"));
  EXPECT_CODE(evict("a"), ErrorCode::kTooManyRequests);
}

TEST_F(Eviction, OfAPodThatHasNotBegunNeedsNoBudget) {
  make_budget(0);
  Object body = pod("a");
  body["metadata"].as_object()["labels"] = Object{{"app", "guarded"}};
  made(kPod, body);
  EXPECT_TRUE(evict("a").has_value());
  EXPECT_CODE(get(kPod, "a"), ErrorCode::kNotFound);
}

TEST_F(Eviction, IsNotHinderedByABudgetOfOthers) {
  make_budget(0);
  made(kPod, pod_on("a", "node-1"));
  ASSERT_TRUE(merge_status(kPod, "a", R"({"status":{"phase":"Running"}})").has_value());
  EXPECT_TRUE(evict("a").has_value());
}

}  // namespace
}  // namespace berth::tests
