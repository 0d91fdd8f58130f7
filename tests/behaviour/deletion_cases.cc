// When an object is gone, and what it waits for.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "api/kind.h"
#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "api/time.h"
#include "base/error.h"
#include "behaviour/behaviour.h"
#include "kube/client.h"

namespace berth::tests {
namespace {

constexpr const api::Kind& kConfigMap = api::ConfigMap::kKind;
constexpr const api::Kind& kPod = api::Pod::kKind;
constexpr const char* kFinalizer = "example.com/guard";
constexpr const char* kNoFinalizers = R"({"metadata":{"finalizers":null}})";

class Deletion : public Behaviour {
 protected:
  void expect_gone(const api::Kind& kind, const std::string& name) {
    EXPECT_CODE(get(kind, name), ErrorCode::kNotFound);
  }
  Object read(const api::Kind& kind, const std::string& name) {
    auto object = get(kind, name);
    EXPECT_TRUE(object.has_value()) << object.error().text();
    return object ? *object : Object();
  }
  void ask_for(const api::Kind& kind,
               const std::string& name,
               std::optional<std::int64_t> grace = std::nullopt) {
    const auto removed = remove(kind, name, grace);
    EXPECT_TRUE(removed.has_value()) << removed.error().text();
  }
};

TEST_F(Deletion, TakesAnObjectAway) {
  made(kConfigMap, config_map("a"));
  ask_for(kConfigMap, "a");
  expect_gone(kConfigMap, "a");
  EXPECT_TRUE(selected(kConfigMap, "", "metadata.name=a").empty());
}

TEST_F(Deletion, OfAMissingObjectIsNotFound) {
  EXPECT_CODE(remove(kConfigMap, "a"), ErrorCode::kNotFound);
}

TEST_F(Deletion, LeavesTheNameToAnObjectWithAnotherUid) {
  const Object first = made(kConfigMap, config_map("a"));
  ask_for(kConfigMap, "a");
  EXPECT_NE(uid(made(kConfigMap, config_map("a"))), uid(first));
}

TEST_F(Deletion, UnderTheRightPreconditionsIsDone) {
  const Object made = this->made(kConfigMap, config_map("a"));
  EXPECT_TRUE(remove_if(kConfigMap, "a", uid(made), version(made)).has_value());
  expect_gone(kConfigMap, "a");
}

TEST_F(Deletion, OfAnotherUidIsAConflict) {
  const Object first = made(kConfigMap, config_map("a"));
  ask_for(kConfigMap, "a");
  made(kConfigMap, config_map("a"));
  EXPECT_CODE(remove_if(kConfigMap, "a", uid(first), ""), ErrorCode::kConflict);
  read(kConfigMap, "a");
}

TEST_F(Deletion, OfAnOlderVersionIsAConflict) {
  const Object first = made(kConfigMap, config_map("a"));
  merged(kConfigMap, "a", R"({"data":{"a":"2"}})");
  EXPECT_CODE(remove_if(kConfigMap, "a", "", version(first)), ErrorCode::kConflict);
  read(kConfigMap, "a");
}

TEST_F(Deletion, WaitsForAFinalizer) {
  made(kConfigMap, with_finalizer(config_map("a"), kFinalizer));
  ask_for(kConfigMap, "a");
  const Object waiting = read(kConfigMap, "a");
  EXPECT_FALSE(text(waiting, "metadata.deletionTimestamp").empty());
  EXPECT_EQ(text(waiting, "metadata.deletionGracePeriodSeconds"), "0");
}

TEST_F(Deletion, IsDoneWithTheLastFinalizer) {
  Object body = with_finalizer(config_map("a"), kFinalizer);
  body["metadata"].as_object()["finalizers"].as_array().push_back("example.com/other");
  made(kConfigMap, body);
  ask_for(kConfigMap, "a");
  merged(kConfigMap, "a", R"({"metadata":{"finalizers":["example.com/other"]}})");
  read(kConfigMap, "a");
  merged(kConfigMap, "a", kNoFinalizers);
  expect_gone(kConfigMap, "a");
}

TEST_F(Deletion, AskedForAgainChangesNothing) {
  made(kConfigMap, with_finalizer(config_map("a"), kFinalizer));
  ask_for(kConfigMap, "a");
  const Object once = read(kConfigMap, "a");
  ask_for(kConfigMap, "a");
  EXPECT_EQ(read(kConfigMap, "a"), once);
}

TEST_F(Deletion, ThatWaitsStillAllowsChanges) {
  made(kConfigMap, with_finalizer(config_map("a"), kFinalizer));
  ask_for(kConfigMap, "a");
  EXPECT_EQ(text(merged(kConfigMap, "a", R"({"data":{"a":"2"}})"), "data.a"), "2");
}

TEST_F(Deletion, ThatWaitsAllowsNoNewFinalizer) {
  made(kConfigMap, with_finalizer(config_map("a"), kFinalizer));
  ask_for(kConfigMap, "a");
  EXPECT_CODE(merge(kConfigMap,
                    "a",
                    R"({"metadata":{"finalizers":["example.com/guard","example.com/late"]}})"),
              ErrorCode::kInvalid);
}

TEST_F(Deletion, ThatWaitsKeepsTheNameTaken) {
  made(kConfigMap, with_finalizer(config_map("a"), kFinalizer));
  ask_for(kConfigMap, "a");
  EXPECT_CODE(create(kConfigMap, config_map("a")), ErrorCode::kExists);
}

TEST_F(Deletion, RaisesTheGenerationOfWhatWaits) {
  made(api::PodDisruptionBudget::kKind, with_finalizer(disruption_budget("a"), kFinalizer));
  ask_for(api::PodDisruptionBudget::kKind, "a");
  EXPECT_EQ(text(read(api::PodDisruptionBudget::kKind, "a"), "metadata.generation"), "2");
}

TEST_F(Deletion, AFinalizerTakenAwayBeforeDeletesNothing) {
  made(kConfigMap, with_finalizer(config_map("a"), kFinalizer));
  merged(kConfigMap, "a", kNoFinalizers);
  read(kConfigMap, "a");
}

TEST_F(Deletion, CannotBePatchedIn) {
  made(kConfigMap, config_map("a"));
  EXPECT_CODE(
      merge(kConfigMap, "a", R"({"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z"}})"),
      ErrorCode::kInvalid);
}

TEST_F(Deletion, CannotBePatchedOut) {
  made(kConfigMap, with_finalizer(config_map("a"), kFinalizer));
  ask_for(kConfigMap, "a");
  const Object waiting = read(kConfigMap, "a");
  merged(kConfigMap, "a", R"({"metadata":{"deletionTimestamp":null}})");
  EXPECT_EQ(read(kConfigMap, "a"), waiting);
}

TEST_F(Deletion, OfAPodWithoutNodeIsDoneAtOnce) {
  made(kPod, pod("a"));
  ask_for(kPod, "a", 30);
  expect_gone(kPod, "a");
}

TEST_F(Deletion, OfAPodOnANodeLeavesItTheTimeItAsksFor) {
  Object body = pod_on("a", "node-1");
  body["spec"].as_object()["terminationGracePeriodSeconds"] = 45;
  made(kPod, body);
  ask_for(kPod, "a");
  const Object ending = read(kPod, "a");
  EXPECT_EQ(text(ending, "metadata.deletionGracePeriodSeconds"), "45");
  // The moment at which it must have ended, not that at which it was asked to.
  const auto created = api::parse_time(text(ending, "metadata.creationTimestamp"));
  const auto deadline = api::parse_time(text(ending, "metadata.deletionTimestamp"));
  ASSERT_TRUE(created && deadline);
  EXPECT_GE(*deadline - *created, std::chrono::seconds(45));
}

TEST_F(Deletion, OfAPodOnANodeTakesThirtySecondsIfNobodySaysOtherwise) {
  made(kPod, pod_on("a", "node-1"));
  ask_for(kPod, "a");
  EXPECT_EQ(text(read(kPod, "a"), "metadata.deletionGracePeriodSeconds"), "30");
}

TEST_F(Deletion, OfAPodOnANodeTakesTheTimeOfTheRequest) {
  made(kPod, pod_on("a", "node-1"));
  ask_for(kPod, "a", 5);
  EXPECT_EQ(text(read(kPod, "a"), "metadata.deletionGracePeriodSeconds"), "5");
}

TEST_F(Deletion, WithoutGraceTakesAPodFromItsNodeAtOnce) {
  made(kPod, pod_on("a", "node-1"));
  ask_for(kPod, "a", 0);
  expect_gone(kPod, "a");
}

TEST_F(Deletion, OfAPodThatIsEndingMayBeShortened) {
  made(kPod, pod_on("a", "node-1"));
  ask_for(kPod, "a", 30);
  const auto before = api::parse_time(text(read(kPod, "a"), "metadata.deletionTimestamp"));
  ask_for(kPod, "a", 10);
  const Object shortened = read(kPod, "a");
  EXPECT_EQ(text(shortened, "metadata.deletionGracePeriodSeconds"), "10");
  const auto after = api::parse_time(text(shortened, "metadata.deletionTimestamp"));
  ASSERT_TRUE(before && after);
  EXPECT_EQ(*before - *after, std::chrono::seconds(20));
}

TEST_F(Deletion, OfAPodThatIsEndingIsNotLengthened) {
  made(kPod, pod_on("a", "node-1"));
  ask_for(kPod, "a", 10);
  const Object ending = read(kPod, "a");
  ask_for(kPod, "a", 60);
  EXPECT_EQ(read(kPod, "a"), ending);
}

TEST_F(Deletion, OfAPodIsDoneWhenItsNodeSaysSo) {
  made(kPod, pod_on("a", "node-1"));
  ask_for(kPod, "a");
  ask_for(kPod, "a", 0);
  expect_gone(kPod, "a");
}

TEST_F(Deletion, OfAPodWaitsForItsNodeAndItsFinalizers) {
  made(kPod, with_finalizer(pod_on("a", "node-1"), kFinalizer));
  ask_for(kPod, "a");
  ask_for(kPod, "a", 0);
  read(kPod, "a");
  merged(kPod, "a", kNoFinalizers);
  expect_gone(kPod, "a");

  made(kPod, with_finalizer(pod_on("b", "node-1"), kFinalizer));
  ask_for(kPod, "b");
  merged(kPod, "b", kNoFinalizers);
  read(kPod, "b");
  ask_for(kPod, "b", 0);
  expect_gone(kPod, "b");
}

TEST_F(Deletion, OfAPodThatHasEndedNeedsNoGrace) {
  made(kPod, pod_on("a", "node-1"));
  ASSERT_TRUE(merge_status(kPod, "a", R"({"status":{"phase":"Succeeded"}})").has_value());
  ask_for(kPod, "a");
  expect_gone(kPod, "a");
}

TEST_F(Deletion, OfANamespaceMarksIt) {
  const Object made =
      this->made(api::Namespace::kKind, {{"metadata", {{"generateName", ns() + "-"}}}});
  EXPECT_EQ(text(made, "status.phase"), "Active");
  // Somebody's object, so that the namespace cannot go at once where a controller empties it.
  ASSERT_TRUE(wait(server().client().create(
                       {.kind = &kConfigMap,
                        .key = {.ns = name(made), .name = ""},
                        .body = json::serialize(with_finalizer(config_map("a"), kFinalizer))},
                       {}))
                  .has_value());
  ask_for(api::Namespace::kKind, name(made));
  EXPECT_EQ(text(read(api::Namespace::kKind, name(made)), "status.phase"), "Terminating");
  static_cast<void>(wait(server().client().patch(
      {.kind = &kConfigMap, .key = {.ns = name(made), .name = "a"}, .body = kNoFinalizers}, {})));
}

}  // namespace
}  // namespace berth::tests
