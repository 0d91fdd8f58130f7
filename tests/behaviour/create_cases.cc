// What a server makes of an object that is created.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "api/kind.h"
#include "api/objects/config_map.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "base/error.h"
#include "behaviour/behaviour.h"
#include "kube/client.h"

namespace berth::tests {
namespace {

constexpr const api::Kind& kConfigMap = api::ConfigMap::kKind;
constexpr const api::Kind& kPod = api::Pod::kKind;

class Create : public Behaviour {};

TEST_F(Create, FillsInWhatIdentifiesTheObject) {
  const Object made = this->made(kConfigMap, config_map("a"));
  EXPECT_EQ(text(made, "metadata.namespace"), ns());
  EXPECT_EQ(uid(made).size(), 36U);
  EXPECT_FALSE(version(made).empty());
  // RFC 3339 in whole seconds.
  EXPECT_EQ(text(made, "metadata.creationTimestamp").size(), 20U);
}

TEST_F(Create, SaysOfWhichKindTheObjectIs) {
  const Object made = this->made(api::PodDisruptionBudget::kKind, disruption_budget("a"));
  EXPECT_EQ(text(made, "kind"), "PodDisruptionBudget");
  EXPECT_EQ(text(made, "apiVersion"), "policy/v1");
}

TEST_F(Create, AnswersWithTheObjectAsItIsRead) {
  const Object made = this->made(kConfigMap, config_map("a"));
  const auto read = get(kConfigMap, "a");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, made);
}

TEST_F(Create, GivesEveryObjectAnotherUid) {
  EXPECT_NE(uid(made(kConfigMap, config_map("a"))), uid(made(kConfigMap, config_map("b"))));
}

TEST_F(Create, TakesNoNoticeOfAUidThatIsSent) {
  Object body = config_map("a");
  body["metadata"].as_object()["uid"] = "00000000-0000-4000-8000-000000000000";
  EXPECT_NE(uid(made(kConfigMap, body)), "00000000-0000-4000-8000-000000000000");
}

TEST_F(Create, TakesNoNoticeOfADeletionThatIsSent) {
  Object body = config_map("a");
  body["metadata"].as_object()["deletionTimestamp"] = "2020-01-01T00:00:00Z";
  EXPECT_EQ(text(made(kConfigMap, body), "metadata.deletionTimestamp"), "");
}

TEST_F(Create, RefusesANameThatIsTaken) {
  made(kConfigMap, config_map("a"));
  EXPECT_CODE(create(kConfigMap, config_map("a")), ErrorCode::kExists);
}

TEST_F(Create, GeneratesDifferentNamesWithThePrefix) {
  const Object body{{"metadata", {{"generateName", "web-"}}}};
  const std::string first = name(made(kConfigMap, body));
  const std::string second = name(made(kConfigMap, body));
  EXPECT_TRUE(first.starts_with("web-") && first.size() == 9) << first;
  EXPECT_NE(first, second);
}

TEST_F(Create, PrefersANameToAPrefix) {
  const Object body{{"metadata", {{"name", "a"}, {"generateName", "web-"}}}};
  EXPECT_EQ(name(made(kConfigMap, body)), "a");
}

TEST_F(Create, RefusesAnObjectWithoutName) {
  EXPECT_CODE(create(kConfigMap, {{"data", {{"a", "1"}}}}), ErrorCode::kInvalid);
}

TEST_F(Create, RefusesNamesThatAreNoDnsSubdomain) {
  for (const std::string& name : {std::string("Upper"),
                                  std::string("-a"),
                                  std::string("a-"),
                                  std::string("a_b"),
                                  std::string("a..b"),
                                  std::string("a/b"),
                                  std::string(254, 'a')}) {
    SCOPED_TRACE(name);
    EXPECT_CODE(create(kConfigMap, config_map(name)), ErrorCode::kInvalid);
  }
}

TEST_F(Create, AcceptsTheLongestName) {
  EXPECT_TRUE(create(kConfigMap, config_map(std::string(253, 'a'))).has_value());
}

TEST_F(Create, NeedsTheNamespace) {
  const auto answer = wait(server().client().create({.kind = &kConfigMap,
                                                     .key = {.ns = ns() + "-missing", .name = ""},
                                                     .body = json::serialize(config_map("a"))},
                                                    {}));
  EXPECT_CODE(answer, ErrorCode::kNotFound);
}

TEST_F(Create, IsForbiddenInANamespaceThatIsBeingDeleted) {
  const Object made =
      this->made(api::Namespace::kKind, {{"metadata", {{"generateName", ns() + "-"}}}});
  ASSERT_TRUE(remove(api::Namespace::kKind, name(made)).has_value());
  const auto answer = wait(server().client().create({.kind = &kConfigMap,
                                                     .key = {.ns = name(made), .name = ""},
                                                     .body = json::serialize(config_map("a"))},
                                                    {}));
  EXPECT_CODE(answer, ErrorCode::kForbidden);
}

TEST_F(Create, RefusesABodyOfAnotherKind) {
  Object body = config_map("a");
  body["kind"] = "Secret";
  body["apiVersion"] = "v1";
  EXPECT_CODE(create(kConfigMap, body), ErrorCode::kInvalid);
}

TEST_F(Create, RefusesABodyOfAnotherNamespace) {
  Object body = config_map("a");
  body["metadata"].as_object()["namespace"] = "default";
  EXPECT_CODE(create(kConfigMap, body), ErrorCode::kInvalid);
}

TEST_F(Create, RefusesWhatIsNotJson) {
  EXPECT_CODE(create_text(kConfigMap, R"({"metadata":{"name":"a"})"), ErrorCode::kInvalid);
  EXPECT_CODE(create_text(kConfigMap, R"(["metadata"])"), ErrorCode::kInvalid);
}

TEST_F(Create, RefusesAResourceVersion) {
  Object body = config_map("a");
  body["metadata"].as_object()["resourceVersion"] = "1";
  const auto answer = create(kConfigMap, body);
  ASSERT_FALSE(answer.has_value());
  // kube-apiserver says so with a 500, after which a client has to look.
  EXPECT_THAT(answer.error().code(),
              ::testing::AnyOf(ErrorCode::kInvalid, ErrorCode::kUnknownOutcome));
  EXPECT_CODE(get(kConfigMap, "a"), ErrorCode::kNotFound);
}

TEST_F(Create, RefusesLabelsThatAreNone) {
  EXPECT_CODE(create(kConfigMap, config_map("a", "app", "not a label")), ErrorCode::kInvalid);
  EXPECT_CODE(create(kConfigMap, config_map("a", "/app", "web")), ErrorCode::kInvalid);
  Object number = config_map("a");
  number["metadata"].as_object()["labels"] = Object{{"app", 1}};
  EXPECT_CODE(create(kConfigMap, number), ErrorCode::kInvalid);
}

TEST_F(Create, BeginsAPodAsPendingWhateverStatusIsSent) {
  Object body = pod("a");
  body["status"] = Object{{"phase", "Running"}, {"podIP", "10.0.0.1"}};
  const Object made = this->made(kPod, body);
  EXPECT_EQ(text(made, "status.phase"), "Pending");
  EXPECT_EQ(text(made, "status.podIP"), "");
}

TEST_F(Create, BeginsAClaimAsPending) {
  const Object made = this->made(
      api::PersistentVolumeClaim::kKind,
      {{"metadata", {{"name", "a"}}},
       {"spec",
        {{"accessModes", {"ReadWriteOnce"}}, {"resources", {{"requests", {{"storage", "1Gi"}}}}}}},
       {"status", {{"phase", "Bound"}}}});
  EXPECT_EQ(text(made, "status.phase"), "Pending");
}

TEST_F(Create, KeepsTheStatusOfANode) {
  const Object made = this->made(
      api::Node::kKind,
      {{"metadata", {{"name", unique("node")}}}, {"status", {{"capacity", {{"cpu", "4"}}}}}});
  EXPECT_EQ(text(made, "status.capacity.cpu"), "4");
}

TEST_F(Create, CountsGenerationsFromOne) {
  Object body = disruption_budget("a");
  body["metadata"].as_object()["generation"] = 7;
  EXPECT_EQ(text(made(api::PodDisruptionBudget::kKind, body), "metadata.generation"), "1");
}

TEST_F(Create, OfAClusterKindRefusesANamespace) {
  const auto answer = wait(server().client().create(
      {.kind = &api::Node::kKind,
       .key = {.ns = ns(), .name = ""},
       .body = json::serialize(Object{{"metadata", {{"name", unique("node")}}}})},
      {}));
  // There is no address for such a request: a client refuses it without asking.
  EXPECT_CODE(answer, ErrorCode::kInvalid);
}

}  // namespace
}  // namespace berth::tests
