#include "api/codec/json_items.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api::codec {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

JsonItems cut(std::string_view text) {
  auto items = cut_json_items(text);
  EXPECT_TRUE(items.has_value()) << text;
  return items.value_or(JsonItems{});
}

TEST(JsonItems, AreCutOutOfTheirEnvelope) {
  const std::string text = R"({"kind":"PodList","items":[{"a":[1]}, {} ,{"b":{}}],"x":[]})";
  const JsonItems items = cut(text);
  EXPECT_EQ(items.envelope, R"({"kind":"PodList","items":[],"x":[]})");
  EXPECT_THAT(items.items, ElementsAre(R"({"a":[1]})", "{}", R"({"b":{}})"));
}

TEST(JsonItems, EmptyListsHaveNone) {
  EXPECT_THAT(cut(R"({"items":[]})").items, IsEmpty());
  EXPECT_THAT(cut("{\"items\" : [ \n ]}").items, IsEmpty());
}

TEST(JsonItems, OnlyTheOutermostNameCounts) {
  const std::string text = R"({"metadata":{"items":[{"no":1}]},"kind":"items","items":[{}]})";
  EXPECT_THAT(cut(text).items, ElementsAre("{}"));
}

TEST(JsonItems, BracketsAndQuotesInStringsAreText) {
  const std::string item = R"({"text":"}]\"}\\","k\"{":"\\\\"})";
  const std::string text = R"({"items":[)" + item + "," + item + "]}";
  EXPECT_THAT(cut(text).items, ElementsAre(item, item));
}

// Items are found in blocks of 64 bytes: strings, escapes and brackets lie across their borders.
TEST(JsonItems, NothingDependsOnWhereABlockEnds) {
  for (std::size_t padding = 0; padding < 130; ++padding) {
    const std::string item = fmt::format(R"({{"p":"{:x<{}}\\\"]","l":[{{}},[]]}})", "", padding);
    const std::string text = fmt::format(R"({{"items":[{0},{{}},{0}]}})", item);
    const JsonItems items = cut(text);
    EXPECT_THAT(items.items, ElementsAre(item, "{}", item)) << padding;
    EXPECT_EQ(items.envelope, R"({"items":[]})") << padding;
  }
}

TEST(JsonItems, WhatIsNoListOfObjectsIsLeftWhole) {
  const std::vector<std::string> texts = {
      "",
      "[]",
      "{}",
      R"({"items":{}})",
      R"({"items":null})",
      R"({"items":[1]})",
      R"({"items":[{},1]})",
      R"({"items":[{},,{}]})",
      R"({"items":[{} {}]})",
      R"({"items":[{},]})",
      R"({"items":[,{}]})",
      R"({"items":[{})",
      R"({"items":[{"a":"}]})",
      R"({"items":)",
      R"({"items")",
      R"({"items\)",
  };
  for (const std::string& text : texts) {
    EXPECT_FALSE(cut_json_items(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace berth::api::codec
