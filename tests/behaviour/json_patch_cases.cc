// JSON patches, and strategic merge patches of the lists that merge.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "behaviour/behaviour.h"
#include "kube/client.h"

namespace berth::tests {
namespace {

constexpr const api::Kind& kConfigMap = api::ConfigMap::kKind;
constexpr const api::Kind& kPod = api::Pod::kKind;

class JsonPatch : public Behaviour {
 protected:
  void prepare() override { first_ = made(kConfigMap, config_map("a", "app", "web")); }
  Result<Object> apply(const std::string& body) {
    return patch(kConfigMap, "a", kube::PatchType::kJson, body);
  }
  Object applied(const std::string& body) {
    auto answer = apply(body);
    EXPECT_TRUE(answer.has_value()) << answer.error().text();
    return answer ? *answer : Object();
  }
  void expect_refused(const std::string& body) {
    SCOPED_TRACE(body);
    EXPECT_CODE(apply(body), ErrorCode::kInvalid);
    EXPECT_EQ(*get(kConfigMap, "a"), first_);
  }

  Object first_;
};

TEST_F(JsonPatch, AddsAMember) {
  const Object changed = applied(R"([{"op":"add","path":"/data/b","value":"2"}])");
  EXPECT_EQ(changed.at("data"), json::value({{"a", "1"}, {"b", "2"}}));
}

TEST_F(JsonPatch, AddReplacesWhatIsThere) {
  EXPECT_EQ(text(applied(R"([{"op":"add","path":"/data/a","value":"2"}])"), "data.a"), "2");
}

TEST_F(JsonPatch, ReplacesAMember) {
  EXPECT_EQ(text(applied(R"([{"op":"replace","path":"/data/a","value":"2"}])"), "data.a"), "2");
}

// Against the letter of RFC 6902.
TEST_F(JsonPatch, ReplacesAMemberThatIsNotThere) {
  const Object changed = applied(R"([{"op":"replace","path":"/data/z","value":"2"}])");
  EXPECT_EQ(changed.at("data"), json::value({{"a", "1"}, {"z", "2"}}));
}

TEST_F(JsonPatch, RemovesAMember) {
  const Object changed = applied(R"([{"op":"remove","path":"/metadata/labels/app"}])");
  EXPECT_TRUE(value(changed, "/metadata/labels/app").is_null());
}

TEST_F(JsonPatch, MovesAMember) {
  const Object changed = applied(R"([{"op":"move","from":"/data/a","path":"/data/b"}])");
  EXPECT_EQ(changed.at("data"), json::value({{"b", "1"}}));
}

TEST_F(JsonPatch, CopiesAMember) {
  const Object changed = applied(R"([{"op":"copy","from":"/data/a","path":"/data/b"}])");
  EXPECT_EQ(changed.at("data"), json::value({{"a", "1"}, {"b", "1"}}));
}

TEST_F(JsonPatch, UnderstandsEscapedPaths) {
  applied(R"([{"op":"add","path":"/metadata/annotations","value":{}},
              {"op":"add","path":"/metadata/annotations/berth.dev~1plan","value":"x"}])");
  EXPECT_EQ(text(*get(kConfigMap, "a"), "metadata.annotations"), R"({"berth.dev/plan":"x"})");
}

TEST_F(JsonPatch, InsertsAppendsAndRemovesElements) {
  const Object changed = applied(
      R"([{"op":"add","path":"/metadata/finalizers","value":["example.com/b","example.com/x"]},
          {"op":"add","path":"/metadata/finalizers/0","value":"example.com/a"},
          {"op":"remove","path":"/metadata/finalizers/2"},
          {"op":"add","path":"/metadata/finalizers/-","value":"example.com/c"}])");
  EXPECT_EQ(value(changed, "/metadata/finalizers"),
            (json::array{"example.com/a", "example.com/b", "example.com/c"}));
  applied(R"([{"op":"remove","path":"/metadata/finalizers"}])");
}

TEST_F(JsonPatch, TestThatHoldsLetsTheRestPass) {
  applied(R"([{"op":"test","path":"/data/a","value":"1"},
              {"op":"replace","path":"/data/a","value":"2"}])");
}

TEST_F(JsonPatch, TestThatFailsStopsEverything) {
  expect_refused(R"([{"op":"replace","path":"/data/a","value":"2"},
                     {"op":"test","path":"/data/a","value":"1"}])");
}

TEST_F(JsonPatch, TestForNullDemandsAbsence) {
  expect_refused(R"([{"op":"test","path":"/data/a","value":null}])");
  applied(R"([{"op":"test","path":"/data/z","value":null},
              {"op":"add","path":"/data/z","value":"1"}])");
}

TEST_F(JsonPatch, TestOfUidAndVersionIsAPrecondition) {
  applied(fmt::format(R"([{{"op":"test","path":"/metadata/uid","value":"{}"}},
                          {{"op":"test","path":"/metadata/resourceVersion","value":"{}"}},
                          {{"op":"add","path":"/data/b","value":"2"}}])",
                      uid(first_),
                      version(first_)));
  EXPECT_CODE(apply(fmt::format(R"([{{"op":"test","path":"/metadata/resourceVersion","value":"{}"}},
                            {{"op":"add","path":"/data/c","value":"3"}}])",
                                version(first_))),
              ErrorCode::kInvalid);
}

TEST_F(JsonPatch, PathsThatLeadNowhereAreRefused) {
  expect_refused(R"([{"op":"remove","path":"/data/z"}])");
  expect_refused(R"([{"op":"add","path":"/spec/deep/down","value":"1"}])");
  expect_refused(R"([{"op":"replace","path":"/spec/deep/down","value":"1"}])");
  expect_refused(R"([{"op":"replace","path":"/metadata/finalizers/0","value":"example.com/a"}])");
  expect_refused(R"([{"op":"move","from":"/data/z","path":"/data/b"}])");
}

TEST_F(JsonPatch, WhatIsNoPatchIsRefused) {
  EXPECT_CODE(apply(R"({"data":{"a":"2"}})"), ErrorCode::kInvalid);
  EXPECT_FALSE(apply(R"([{"op":"invent","path":"/data/a","value":"1"}])").has_value());
  EXPECT_FALSE(apply(R"([1])").has_value());
}

TEST_F(JsonPatch, CannotRename) {
  expect_refused(R"([{"op":"replace","path":"/metadata/name","value":"b"}])");
}

TEST_F(JsonPatch, ThatCopiesTooMuchIsRefused) {
  // 16 times 200 KiB is more than a body may have.
  applied(R"([{"op":"add","path":"/metadata/annotations","value":{"a":")" +
          std::string(std::size_t{200} << 10, 'x') + R"("}}])");
  std::string operations = "[";
  for (int i = 0; i < 16; ++i) {
    operations +=
        R"({"op":"copy","from":"/metadata/annotations/a","path":"/metadata/annotations/b"},)";
  }
  operations.back() = ']';
  const Object before = *get(kConfigMap, "a");
  EXPECT_CODE(apply(operations), ErrorCode::kInvalid);
  EXPECT_EQ(*get(kConfigMap, "a"), before);
}

class StrategicPatch : public Behaviour {
 protected:
  Result<Object> apply(const std::string& body, const std::string& subresource = "") {
    return patch(kPod, "p", kube::PatchType::kStrategic, body, subresource);
  }
  Object applied(const std::string& body, const std::string& subresource = "") {
    auto answer = apply(body, subresource);
    EXPECT_TRUE(answer.has_value()) << answer.error().text();
    return answer ? *answer : Object();
  }
  // The types of a pod's conditions, each with its status.
  static std::vector<std::string> conditions(const Object& pod) {
    std::vector<std::string> all;
    const json::value list = value(pod, "/status/conditions");
    for (const json::value& condition : list.as_array()) {
      all.push_back(text(condition.as_object(), "type") + "=" +
                    text(condition.as_object(), "status"));
    }
    return all;
  }
};

TEST_F(StrategicPatch, MergesMembersAndMaps) {
  made(kPod, pod("p"));
  const Object changed = applied(R"({"metadata":{"labels":{"app":"web"}}})");
  EXPECT_EQ(text(changed, "metadata.labels.app"), "web");
  EXPECT_TRUE(
      value(applied(R"({"metadata":{"labels":{"app":null}}})"), "/metadata/labels/app").is_null());
}

TEST_F(StrategicPatch, MergesContainersByName) {
  made(kPod, pod("p"));
  const Object changed =
      applied(R"({"spec":{"containers":[{"name":"main","image":"example.com/main:2"}]}})");
  EXPECT_EQ(value(changed, "/spec/containers").as_array().size(), 1U);
  EXPECT_EQ(text(changed, "spec.containers.0.image"), "example.com/main:2");
}

TEST_F(StrategicPatch, MergesConditionsByType) {
  made(kPod, pod("p"));
  applied(R"({"status":{"conditions":[{"type":"A","status":"True","reason":"Why"},
                                      {"type":"B","status":"True"}]}})",
          "status");
  const Object changed = applied(R"({"status":{"conditions":[{"type":"A","status":"False"},
                                          {"type":"C","status":"True"}]}})",
                                 "status");
  EXPECT_EQ(conditions(changed), (std::vector<std::string>{"A=False", "C=True", "B=True"}));
  EXPECT_EQ(text(changed, "status.conditions.0.reason"), "Why");
}

TEST_F(StrategicPatch, DeletesAnElementByItsKey) {
  made(kPod, pod("p"));
  applied(
      R"({"status":{"conditions":[{"type":"A","status":"True"},{"type":"B","status":"True"}]}})",
      "status");
  const Object changed =
      applied(R"({"status":{"conditions":[{"$patch":"delete","type":"A"}]}})", "status");
  EXPECT_EQ(conditions(changed), (std::vector<std::string>{"B=True"}));
}

TEST_F(StrategicPatch, ReplacesAListWhenToldTo) {
  made(kPod, pod("p"));
  applied(R"({"status":{"conditions":[{"type":"A","status":"True"}]}})", "status");
  const Object changed = applied(
      R"({"status":{"conditions":[{"$patch":"replace"},{"type":"B","status":"True"}]}})", "status");
  EXPECT_EQ(conditions(changed), (std::vector<std::string>{"B=True"}));
}

TEST_F(StrategicPatch, OrdersElementsAsToldTo) {
  made(kPod, pod("p"));
  applied(
      R"({"status":{"conditions":[{"type":"A","status":"True"},{"type":"B","status":"True"}]}})",
      "status");
  const Object changed = applied(
      R"({"status":{"$setElementOrder/conditions":[{"type":"C"},{"type":"B"},{"type":"A"}],
                    "conditions":[{"type":"C","status":"True"}]}})",
      "status");
  EXPECT_EQ(conditions(changed), (std::vector<std::string>{"C=True", "B=True", "A=True"}));
}

TEST_F(StrategicPatch, RefusesAnElementWithoutItsKey) {
  made(kPod, pod("p"));
  EXPECT_FALSE(apply(R"({"status":{"conditions":[{"status":"True"}]}})", "status").has_value());
}

TEST_F(StrategicPatch, AddsToAndRemovesFromSets) {
  made(kPod, with_finalizer(pod("p"), "example.com/a"));
  EXPECT_EQ(value(applied(R"({"metadata":{"finalizers":["example.com/b","example.com/a"]}})"),
                  "/metadata/finalizers"),
            (json::array{"example.com/b", "example.com/a"}));
  EXPECT_EQ(value(applied(R"({"metadata":{"$deleteFromPrimitiveList/finalizers":
                             ["example.com/a"]}})"),
                  "/metadata/finalizers"),
            json::array{"example.com/b"});
  applied(R"({"metadata":{"finalizers":null}})");
}

TEST_F(StrategicPatch, HasPreconditionsToo) {
  const Object first = made(kPod, pod("p"));
  applied(R"({"metadata":{"labels":{"app":"web"}}})");
  EXPECT_CODE(
      apply(fmt::format(R"({{"metadata":{{"resourceVersion":"{}","labels":{{"app":"db"}}}}}})",
                        version(first))),
      ErrorCode::kConflict);
}

}  // namespace
}  // namespace berth::tests
