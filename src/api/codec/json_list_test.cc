// Lists are cut into their items where that is possible and read as a whole where it is not; nobody
// can tell which it was.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "api/codec.h"
#include "api/mask.h"
#include "api/objects/list.h"
#include "api/objects/pod.h"

namespace berth::api {
namespace {

std::string error_of(std::string_view text, const Mask* mask = nullptr) {
  const auto list = list_from_json<Pod>(text, mask);
  return list ? "read" : list.error().text();
}

// A list with these items, and the same with an escaped name, which is not cut.
std::string list_of(std::string_view items) {
  return fmt::format(R"({{"kind":"PodList","apiVersion":"v1","items":[{}]}})", items);
}
std::string uncut_list_of(std::string_view items) {
  return fmt::format(R"({{"kind":"PodList","apiVersion":"v1","it\u0065ms":[{}]}})", items);
}

TEST(JsonList, NamesTheItemThatFailed) {
  const std::string items =
      R"({"metadata":{"name":"a"}},{"metadata":{"name":"b","namespace":"n"},"spec":5})";
  EXPECT_EQ(error_of(list_of(items)), "PodList n/b: items[1].spec: expected an object");
}

TEST(JsonList, NamesTheItemAlsoWhenItsMetadataComesLater) {
  EXPECT_EQ(error_of(list_of(R"({"spec":5,"metadata":{"name":"b"}})")),
            "PodList b: items[0].spec: expected an object");
}

TEST(JsonList, HasNoNameOfItsOwn) {
  EXPECT_EQ(error_of(R"({"metadata":{"name":"x","resourceVersion":5},"items":[{}]})"),
            "PodList: metadata.resourceVersion: expected a string");
}

// What fails at an item of the envelope is none of the items that were cut out of it.
TEST(JsonList, ToldWhenWhatIsLeftOfAListIsBroken) {
  EXPECT_EQ(error_of(R"({"items":[}"a":{}}]})"), "PodList: items[0]: expected an object");
  EXPECT_EQ(error_of(R"({"items":[],"items":[5]})"),
            "PodList: items: stands twice in the same object");
}

// The path of a failure outlives the text it was found in.
TEST(JsonList, NamesTheKeyThatFailed) {
  const std::string long_item = fmt::format(R"({{"metadata":{{"name":"{:x<5000}"}}}})", "");
  EXPECT_EQ(error_of(list_of(R"({"metadata":{"name":"a","labels":{"key":5}}},)" + long_item)),
            "PodList a: items[0].metadata.labels[key]: expected a string");
  EXPECT_EQ(error_of(list_of(R"({"unknown":tru},)" + long_item)),
            "PodList: items[0].unknown: malformed JSON: not true, false or null");
  EXPECT_EQ(error_of(list_of(R"({"kind":5},)" + long_item)),
            "PodList: items[0].kind: expected a string");
}

TEST(JsonList, ItemsMayLeaveOutWhatTheyAreButNotSayOtherwise) {
  for (const auto& text : {list_of(R"({"kind":null,"apiVersion":null},{"kind":"Pod"},{})"),
                           uncut_list_of(R"({"kind":null,"apiVersion":null},{"kind":"Pod"},{})")}) {
    EXPECT_EQ(error_of(text), "read") << text;
  }
  for (const auto& text :
       {list_of(R"({},{"kind":"Node"})"), uncut_list_of(R"({},{"kind":"Node"})")}) {
    EXPECT_EQ(error_of(text), "PodList: items[1].kind: is 'Node', expected 'Pod'");
  }
  for (const auto& text :
       {list_of(R"({"apiVersion":"v2"})"), uncut_list_of(R"({"apiVersion":"v2"})")}) {
    EXPECT_EQ(error_of(text), "PodList: items[0].apiVersion: is 'v2', expected 'v1'");
  }
}

TEST(JsonList, ItemsThatAMaskDropsNeedOnlyBeJson) {
  const auto mask = Mask::dropping<List<Pod>>({"items"});
  for (const char* items : {R"({"metadata":5})", R"({"kind":"Node"},{"metadata":{"name":[]}})"}) {
    EXPECT_EQ(error_of(list_of(items), &mask), "read");
    EXPECT_EQ(error_of(uncut_list_of(items), &mask), "read");
  }
  EXPECT_EQ(error_of(list_of(R"({},{"a":tru})"), &mask),
            "PodList: items[1]: malformed JSON: not true, false or null");
  EXPECT_NE(error_of(uncut_list_of(R"({},{"a":tru})"), &mask), "read");
}

TEST(JsonList, ItemsAreReadThroughTheirMask) {
  const auto mask = Mask::keeping<List<Pod>>({"items.metadata.name"});
  const auto list =
      list_from_json<Pod>(list_of(R"({"metadata":{"name":"a","namespace":"n"},"spec":5})"), &mask);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list->items.at(0).metadata.name, "a");
  EXPECT_EQ(list->items.at(0).metadata.ns, "");
}

}  // namespace
}  // namespace berth::api
