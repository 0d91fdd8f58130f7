// Preconditions that are none because they have the wrong type. Taken for absent they would let a
// write through that was to be refused.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "api/kind.h"
#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "behaviour/behaviour.h"
#include "kube/client.h"

namespace berth::tests {
namespace {

constexpr const api::Kind& kConfigMap = api::ConfigMap::kKind;
constexpr const api::Kind& kPod = api::Pod::kKind;

class MalformedPrecondition : public Behaviour {
 protected:
  void prepare() override {
    map_ = made(kConfigMap, config_map("a"));
    pod_ = made(kPod, pod("p"));
  }
  void expect_unchanged() {
    const auto map = get(kConfigMap, "a");
    ASSERT_TRUE(map.has_value());
    EXPECT_EQ(*map, map_);
    const auto pod = get(kPod, "p");
    ASSERT_TRUE(pod.has_value());
    EXPECT_EQ(*pod, pod_);
  }

  Object map_;
  Object pod_;
};

TEST_F(MalformedPrecondition, OfAMergePatchIsRefused) {
  for (const char* metadata : {R"("resourceVersion":4)",
                               R"("resourceVersion":["4"])",
                               R"("uid":7)",
                               R"("uid":{})",
                               R"("name":7)",
                               R"("namespace":true)",
                               R"("generateName":7)"}) {
    SCOPED_TRACE(metadata);
    EXPECT_CODE(
        merge(
            kConfigMap, "a", std::string(R"({"metadata":{)") + metadata + R"(},"data":{"a":"2"}})"),
        ErrorCode::kInvalid);
  }
  expect_unchanged();
}

TEST_F(MalformedPrecondition, OfAStrategicMergePatchIsRefused) {
  for (const char* metadata : {R"("resourceVersion":4)", R"("uid":7)"}) {
    SCOPED_TRACE(metadata);
    EXPECT_CODE(patch(kPod,
                      "p",
                      kube::PatchType::kStrategic,
                      std::string(R"({"metadata":{)") + metadata + R"(,"labels":{"b":"c"}}})"),
                ErrorCode::kInvalid);
  }
  expect_unchanged();
}

TEST_F(MalformedPrecondition, OfAStatusPatchIsRefused) {
  EXPECT_CODE(
      merge_status(kPod, "p", R"({"metadata":{"resourceVersion":4},"status":{"phase":"Running"}})"),
      ErrorCode::kInvalid);
  expect_unchanged();
}

TEST_F(MalformedPrecondition, OfABindingIsRefused) {
  for (const char* member : {"uid", "resourceVersion"}) {
    SCOPED_TRACE(member);
    Object body = binding("p", "node-1");
    body["metadata"].as_object()[member] = 7;
    EXPECT_CODE(post("p", "binding", body), ErrorCode::kInvalid);
  }
  expect_unchanged();
}

TEST_F(MalformedPrecondition, OfAnEvictionIsRefused) {
  for (const Object& options : {Object{{"preconditions", {{"uid", 7}}}},
                                Object{{"preconditions", {{"resourceVersion", 7}}}},
                                Object{{"preconditions", "uid"}},
                                Object{{"gracePeriodSeconds", "0"}}}) {
    SCOPED_TRACE(json::serialize(options));
    Object body = eviction("p");
    body["deleteOptions"] = options;
    EXPECT_CODE(post("p", "eviction", body), ErrorCode::kInvalid);
  }
  expect_unchanged();
}

TEST_F(MalformedPrecondition, OfACreationIsRefused) {
  for (const char* member : {"uid", "resourceVersion", "generateName", "namespace"}) {
    SCOPED_TRACE(member);
    Object body = config_map("b");
    body["metadata"].as_object()[member] = 7;
    EXPECT_CODE(create(kConfigMap, body), ErrorCode::kInvalid);
  }
  EXPECT_CODE(get(kConfigMap, "b"), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace berth::tests
