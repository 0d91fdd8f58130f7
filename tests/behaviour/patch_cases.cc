// What all patches have in common (preconditions, what cannot be changed), and merge patches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "api/kind.h"
#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "base/error.h"
#include "behaviour/behaviour.h"

namespace berth::tests {
namespace {

constexpr const api::Kind& kConfigMap = api::ConfigMap::kKind;
constexpr const api::Kind& kBudget = api::PodDisruptionBudget::kKind;

class Patch : public Behaviour {
 protected:
  void prepare() override { first_ = made(kConfigMap, config_map("a", "app", "web")); }
  void expect_unchanged() {
    const auto read = get(kConfigMap, "a");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, first_);
  }

  Object first_;
};

TEST_F(Patch, AddsAndReplacesMembers) {
  const Object changed = merged(kConfigMap, "a", R"({"data":{"a":"2","b":"3"}})");
  EXPECT_EQ(changed.at("data"), json::value({{"a", "2"}, {"b", "3"}}));
}

TEST_F(Patch, LeavesTheRestAsItWas) {
  const Object changed = merged(kConfigMap, "a", R"({"data":{"b":"3"}})");
  EXPECT_EQ(text(changed, "data.a"), "1");
  EXPECT_EQ(text(changed, "metadata.labels.app"), "web");
}

TEST_F(Patch, NullRemovesAMember) {
  const Object changed = merged(kConfigMap, "a", R"({"metadata":{"labels":{"app":null}}})");
  EXPECT_TRUE(value(changed, "/metadata/labels/app").is_null());
}

TEST_F(Patch, NullForWhatIsNotThereChangesNothing) {
  merged(kConfigMap, "a", R"({"metadata":{"labels":{"none":null}},"data":{"z":null}})");
  expect_unchanged();
}

TEST_F(Patch, MakesObjectsOnTheWay) {
  const Object changed = merged(kConfigMap, "a", R"({"metadata":{"annotations":{"b":"c"}}})");
  EXPECT_EQ(text(changed, "metadata.annotations.b"), "c");
}

TEST_F(Patch, ReplacesListsAsAWhole) {
  merged(kConfigMap, "a", R"({"metadata":{"finalizers":["example.com/a","example.com/b"]}})");
  const Object changed =
      merged(kConfigMap, "a", R"({"metadata":{"finalizers":["example.com/c"]}})");
  EXPECT_EQ(value(changed, "/metadata/finalizers"), json::array{"example.com/c"});
  merged(kConfigMap, "a", R"({"metadata":{"finalizers":null}})");
}

TEST_F(Patch, GivesANewResourceVersion) {
  EXPECT_NE(version(merged(kConfigMap, "a", R"({"data":{"a":"2"}})")), version(first_));
}

TEST_F(Patch, ThatChangesNothingGivesNoNewResourceVersion) {
  EXPECT_EQ(version(merged(kConfigMap, "a", R"({"data":{"a":"1"}})")), version(first_));
  EXPECT_EQ(version(merged(kConfigMap, "a", "{}")), version(first_));
}

TEST_F(Patch, KeepsUidAndCreation) {
  const Object changed = merged(kConfigMap, "a", R"({"data":{"a":"2"}})");
  EXPECT_EQ(uid(changed), uid(first_));
  EXPECT_EQ(text(changed, "metadata.creationTimestamp"),
            text(first_, "metadata.creationTimestamp"));
}

TEST_F(Patch, OfAMissingObjectIsNotFound) {
  EXPECT_CODE(merge(kConfigMap, "b", "{}"), ErrorCode::kNotFound);
}

TEST_F(Patch, OfTheRightVersionIsDone) {
  merged(kConfigMap,
         "a",
         fmt::format(R"({{"metadata":{{"resourceVersion":"{}","uid":"{}"}},"data":{{"a":"2"}}}})",
                     version(first_),
                     uid(first_)));
}

TEST_F(Patch, OfAnOlderVersionIsAConflict) {
  const Object second = merged(kConfigMap, "a", R"({"data":{"a":"2"}})");
  EXPECT_CODE(merge(kConfigMap,
                    "a",
                    fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}},"data":{{"a":"3"}}}})",
                                version(first_))),
              ErrorCode::kConflict);
  first_ = second;
  expect_unchanged();
}

TEST_F(Patch, OfAnotherUidIsRefused) {
  ASSERT_TRUE(remove(kConfigMap, "a").has_value());
  const std::string old = uid(first_);
  first_ = made(kConfigMap, config_map("a"));
  EXPECT_CODE(
      merge(
          kConfigMap, "a", fmt::format(R"({{"metadata":{{"uid":"{}"}},"data":{{"a":"3"}}}})", old)),
      ErrorCode::kInvalid);
  expect_unchanged();
}

TEST_F(Patch, CannotRename) {
  EXPECT_CODE(merge(kConfigMap, "a", R"({"metadata":{"name":"b"}})"), ErrorCode::kInvalid);
  EXPECT_CODE(merge(kConfigMap, "a", R"({"metadata":{"name":null}})"), ErrorCode::kInvalid);
}

TEST_F(Patch, CannotMoveToAnotherNamespace) {
  EXPECT_CODE(merge(kConfigMap, "a", R"({"metadata":{"namespace":"default"}})"),
              ErrorCode::kInvalid);
}

TEST_F(Patch, OfTheCreationTimeIsIgnored) {
  merged(kConfigMap, "a", R"({"metadata":{"creationTimestamp":"2000-01-01T00:00:00Z"}})");
  expect_unchanged();
}

TEST_F(Patch, CannotChangeTheKind) {
  EXPECT_FALSE(merge(kConfigMap, "a", R"({"kind":"Secret"})").has_value());
  expect_unchanged();
}

TEST_F(Patch, ThatMakesALabelInvalidIsRefused) {
  EXPECT_CODE(merge(kConfigMap, "a", R"({"metadata":{"labels":{"app":"not a label"}}})"),
              ErrorCode::kInvalid);
  expect_unchanged();
}

TEST_F(Patch, ThatIsNoJsonObjectIsRefused) {
  for (const char* body : {"[]", "1", "{", ""}) {
    SCOPED_TRACE(body);
    EXPECT_CODE(merge(kConfigMap, "a", body), ErrorCode::kInvalid);
  }
}

TEST_F(Patch, OfTheSpecRaisesTheGeneration) {
  made(kBudget, disruption_budget("b"));
  EXPECT_EQ(text(merged(kBudget, "b", R"({"spec":{"minAvailable":2}})"), "metadata.generation"),
            "2");
}

TEST_F(Patch, OfMetadataOrStatusDoesNotRaiseTheGeneration) {
  made(kBudget, disruption_budget("b"));
  merged(kBudget, "b", R"({"metadata":{"labels":{"app":"web"}}})");
  const auto changed = merge_status(kBudget, "b", R"({"status":{"disruptionsAllowed":1}})");
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(text(*changed, "metadata.generation"), "1");
}

TEST_F(Patch, OfTheGenerationIsIgnored) {
  made(kBudget, disruption_budget("b"));
  EXPECT_EQ(text(merged(kBudget, "b", R"({"metadata":{"generation":9}})"), "metadata.generation"),
            "1");
}

TEST_F(Patch, OfAPodCannotPlaceIt) {
  made(api::Pod::kKind, pod("p"));
  EXPECT_CODE(merge(api::Pod::kKind, "p", R"({"spec":{"nodeName":"node-1"}})"),
              ErrorCode::kInvalid);
}

}  // namespace
}  // namespace berth::tests
