// The patches by themselves: what a behaviour case cannot reach, because a server's validation
// stands in front of it or no kind has it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "api/type.h"
#include "base/error.h"
#include "base/result.h"
#include "world/patch_internal.h"
#include "world/tree_internal.h"

namespace berth::world {
namespace {

json::value parsed(std::string_view text) {
  return json::parse(text);
}

Result<json::value> patched(const char* document, const std::string& patch) {
  json::object object = parsed(document).as_object();
  if (auto applied = apply_json_patch(object, parsed(patch)); !applied) {
    return std::move(applied).error();
  }
  return json::value(std::move(object));
}

Result<json::value> merged_pod(const char* document, const char* patch) {
  json::object object = parsed(document).as_object();
  const api::Type& type = api::kType<api::Pod>;
  if (auto applied = apply_strategic_merge(object, parsed(patch), type); !applied) {
    return std::move(applied).error();
  }
  return json::value(std::move(object));
}

void expect_pod(const char* document, const char* patch, const char* expected) {
  SCOPED_TRACE(patch);
  const auto merged = merged_pod(document, patch);
  ASSERT_TRUE(merged.has_value()) << merged.error().text();
  EXPECT_EQ(*merged, parsed(expected)) << json::serialize(*merged);
}

void expect_refused(const Result<json::value>& result, ErrorCode code) {
  ASSERT_FALSE(result.has_value()) << json::serialize(*result);
  EXPECT_EQ(name_of(result.error().code()), name_of(code)) << result.error().text();
}

TEST(MergePatch, FollowsTheExamplesOfItsSpecification) {
  struct Example {
    const char* document;
    const char* patch;
    const char* result;
  };
  for (const Example& example : {
           Example{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
           Example{R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
           Example{R"({"a":"b"})", R"({"a":null})", "{}"},
           Example{R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
           Example{R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
           Example{R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
           Example{R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
           Example{R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
           Example{"{}", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
       }) {
    SCOPED_TRACE(example.patch);
    json::object object = parsed(example.document).as_object();
    ASSERT_TRUE(apply_merge_patch(object, parsed(example.patch)).has_value());
    EXPECT_EQ(json::value(object), parsed(example.result));
  }
}

TEST(JsonPatch, IndexesAreNumbersInTheirShortestForm) {
  for (const char* index : {"01", "+1", "2", "-1", "a", "-"}) {
    SCOPED_TRACE(index);
    expect_refused(
        patched(R"({"a":[1,2]})", fmt::format(R"([{{"op":"remove","path":"/a/{}"}}])", index)),
        ErrorCode::kInvalid);
  }
}

TEST(JsonPatch, DoesNotMoveAValueIntoItself) {
  expect_refused(patched(R"({"a":{"b":{}}})", R"([{"op":"move","from":"/a","path":"/a/b/c"}])"),
                 ErrorCode::kInvalid);
}

TEST(JsonPatch, MayReplaceTheWholeByAnotherObjectOnly) {
  const auto replaced = patched(R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])");
  ASSERT_TRUE(replaced.has_value());
  EXPECT_EQ(*replaced, parsed(R"({"b":2})"));
  expect_refused(patched(R"({"a":1})", R"([{"op":"replace","path":"","value":[]}])"),
                 ErrorCode::kInvalid);
}

TEST(JsonPatch, CopiesOfCopiesAreBounded) {
  std::string patch = R"([{"op":"add","path":"/a","value":["0123456789012345678901234567890123"]})";
  for (int i = 0; i < 30; ++i) {
    patch += R"(,{"op":"copy","from":"/a","path":"/a/-"})";
  }
  expect_refused(patched("{}", patch + "]"), ErrorCode::kInvalid);
}

TEST(JsonPatch, MovesKeepTheValue) {
  const auto moved = patched(R"({"a":{"b":[1,2,3]},"c":{}})",
                             R"([{"op":"move","from":"/a/b/0","path":"/a/b/-"},
                                 {"op":"move","from":"/a/b","path":"/c/d"}])");
  ASSERT_TRUE(moved.has_value()) << moved.error().text();
  EXPECT_EQ(*moved, parsed(R"({"a":{},"c":{"d":[2,3,1]}})")) << json::serialize(*moved);
}

// A JSON document {"a": [1, 1, ...]}.
std::string long_list(std::size_t elements) {
  return json::serialize(json::object{{"a", json::array(elements, json::value(1))}});
}

std::string repeated(std::string_view operations, int times) {
  std::string patch = "[";
  for (int i = 0; i < times; ++i) {
    patch.append(i == 0 ? "" : ",").append(operations);
  }
  return patch + "]";
}

TEST(JsonPatch, ShiftsInALongListAreBounded) {
  const std::string list = long_list(20'000);
  const std::string shift = R"({"op":"move","from":"/a/0","path":"/a/-"})";
  EXPECT_TRUE(patched(list.c_str(), repeated(shift, 100)).has_value());
  expect_refused(patched(list.c_str(), repeated(shift, 10'000)), ErrorCode::kLimit);
  expect_refused(patched(list.c_str(), repeated(R"({"op":"add","path":"/a/0","value":1})", 10'000)),
                 ErrorCode::kLimit);
}

TEST(JsonPatch, MovesOfMuchAreBounded) {
  const std::string list = long_list(20'000);
  const std::string there_and_back =
      R"({"op":"move","from":"/a","path":"/b"},{"op":"move","from":"/b","path":"/a"})";
  EXPECT_TRUE(patched(list.c_str(), repeated(there_and_back, 100)).has_value());
  expect_refused(patched(list.c_str(), repeated(there_and_back, 5'000)), ErrorCode::kLimit);
}

TEST(JsonPatch, DepthIsBoundedHoweverItIsReached) {
  std::string patch = R"([{"op":"add","path":"/a","value":{}})";
  for (int i = 0; i < 70; ++i) {
    patch += R"(,{"op":"add","path":"/b","value":{}},{"op":"move","from":"/a","path":"/b/a"},)"
             R"({"op":"move","from":"/b","path":"/a"})";
  }
  expect_refused(patched("{}", patch + "]"), ErrorCode::kLimit);
}

TEST(StrategicMerge, RetainsTheMembersItNames) {
  expect_pod(R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
             R"({"spec":{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],
                                     "hostPath":{"path":"/x"}}]}})",
             R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/x"}}]}})");
  expect_refused(merged_pod(R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
                            R"({"spec":{"volumes":[{"name":"v","$retainKeys":["name"],
                                                    "hostPath":{"path":"/x"}}]}})"),
                 ErrorCode::kInvalid);
}

TEST(StrategicMerge, ReplacesOrEmptiesAnObjectWhenToldTo) {
  expect_pod(R"({"metadata":{"labels":{"a":"1"}}})",
             R"({"metadata":{"labels":{"$patch":"replace","b":"2"}}})",
             R"({"metadata":{"labels":{"b":"2"}}})");
  expect_pod(R"({"metadata":{"labels":{"a":"1"}}})",
             R"({"metadata":{"labels":{"$patch":"delete"}}})",
             R"({"metadata":{"labels":{}}})");
  expect_refused(merged_pod("{}", R"({"metadata":{"$patch":"invent"}})"), ErrorCode::kInvalid);
}

TEST(StrategicMerge, ListsWithoutMergeRuleAreReplaced) {
  expect_pod(R"({"spec":{"tolerations":[{"key":"a"}]}})",
             R"({"spec":{"tolerations":[{"key":"b"}]}})",
             R"({"spec":{"tolerations":[{"key":"b"}]}})");
}

TEST(StrategicMerge, MergesListsInsideListsInsideInlinedStructs) {
  expect_pod(
      R"({"spec":{"containers":[{"name":"c","ports":[{"containerPort":80,"name":"web"}]}]}})",
      R"({"spec":{"containers":[{"name":"c","ports":[{"containerPort":80,"protocol":"TCP"},
                                                     {"containerPort":81}]}]}})",
      R"({"spec":{"containers":[{"name":"c","ports":[
          {"containerPort":80,"name":"web","protocol":"TCP"},{"containerPort":81}]}]}})");
}

TEST(StrategicMerge, LeavesNoDirectiveInWhatItAdds) {
  expect_pod("{}",
             R"({"spec":{"$setElementOrder/containers":[{"name":"c"}],
                         "containers":[{"name":"c","$retainKeys":["name"]},
                                       {"name":"d","$patch":"delete"}]},
                 "metadata":{"labels":{"$patch":"merge","a":"1"},
                             "$deleteFromPrimitiveList/finalizers":["x"]}})",
             R"({"spec":{"containers":[{"name":"c"}]},"metadata":{"labels":{"a":"1"}}})");
}

TEST(StrategicMerge, WhatTheOrderDoesNotNameKeepsItsPlace) {
  expect_pod(R"({"spec":{"containers":[{"name":"a"},{"name":"theirs"},{"name":"b"}]}})",
             R"({"spec":{"$setElementOrder/containers":[{"name":"new"},{"name":"a"},{"name":"b"}],
                         "containers":[{"name":"new"}]}})",
             R"({"spec":{"containers":[{"name":"new"},{"name":"a"},{"name":"theirs"},
                                       {"name":"b"}]}})");
}

TEST(StrategicMerge, WithoutAnOrderThePatchIsOne) {
  expect_pod(R"({"spec":{"containers":[{"name":"a"},{"name":"theirs"},{"name":"b"}]}})",
             R"({"spec":{"containers":[{"name":"b","image":"i"},{"name":"new"}]}})",
             R"({"spec":{"containers":[{"name":"a"},{"name":"theirs"},{"name":"b","image":"i"},
                                       {"name":"new"}]}})");
  expect_pod(R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"theirs"}]}})",
             R"({"spec":{"containers":[{"name":"b"},{"name":"a"}]}})",
             R"({"spec":{"containers":[{"name":"b"},{"name":"a"},{"name":"theirs"}]}})");
  expect_pod(R"({"metadata":{"finalizers":["a","theirs"]}})",
             R"({"metadata":{"finalizers":["new","a"]}})",
             R"({"metadata":{"finalizers":["new","a","theirs"]}})");
}

TEST(StrategicMerge, AnOrderThatContradictsThePatchIsRefused) {
  expect_refused(merged_pod("{}",
                            R"({"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],
                             "containers":[{"name":"b"},{"name":"a"}]}})"),
                 ErrorCode::kInvalid);
  expect_refused(merged_pod("{}",
                            R"({"spec":{"$setElementOrder/containers":[{"name":"a"}],
                                        "containers":[{"name":"b"}]}})"),
                 ErrorCode::kInvalid);
}

TEST(StrategicMerge, MembersNoTableKnowsMergeLikeJson) {
  expect_pod(R"({"spec":{"future":{"a":1,"list":[1,2]}}})",
             R"({"spec":{"future":{"b":2,"list":[3]}}})",
             R"({"spec":{"future":{"a":1,"b":2,"list":[3]}}})");
}

TEST(StrategicMerge, ReplacesWhatTheTableSaysIsReplaced) {
  json::object document = parsed(R"({"spec":{"selector":{"matchLabels":{"a":"1"}}}})").as_object();
  const auto applied =
      apply_strategic_merge(document,
                            parsed(R"({"spec":{"selector":{"matchLabels":{"b":"2"}}}})"),
                            api::kType<api::PodDisruptionBudget>);
  ASSERT_TRUE(applied.has_value());
  EXPECT_EQ(json::value(document), parsed(R"({"spec":{"selector":{"matchLabels":{"b":"2"}}}})"));
}

TEST(StrategicMerge, ListsTooLongToBeMergedAreRefused) {
  json::array many;
  for (int i = 0; i < 4000; ++i) {
    many.push_back(json::value(fmt::format("example.com/{}", i)));
  }
  json::object document{{"metadata", {{"finalizers", many}}}};
  const auto applied = apply_strategic_merge(
      document, json::value{{"metadata", {{"finalizers", many}}}}, api::kType<api::Pod>);
  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(applied.error().code(), ErrorCode::kLimit);
}

TEST(Bodies, AreBounded) {
  EXPECT_EQ(parse_body(std::string(kBodyLenMax + 1, ' ')).error().code(), ErrorCode::kLimit);
  EXPECT_EQ(parse_body(std::string(65, '[') + std::string(65, ']')).error().code(),
            ErrorCode::kLimit);
  EXPECT_TRUE(parse_body(std::string(64, '[') + std::string(64, ']')).has_value());
}

}  // namespace
}  // namespace berth::world
