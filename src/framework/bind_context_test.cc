#include "framework/bind_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "framework/testing/runner_house.h"

namespace berth::framework {
namespace {

using ::testing::HasSubstr;

RecordedContext some_context() {
  return {.pod_ns = "default",
          .pod_name = "web",
          .pod_uid = "uid-web",
          .node = "n1",
          .parts = {{.plugin = "VolumeBinding", .text = R"({"version":1})"},
                    {.plugin = "Other", .text = "two\nlines"}}};
}

constexpr std::string_view kText =
    R"({"version":1,"readableFrom":1,"podNamespace":"default","podName":"web","podUid":"uid-web",)"
    R"("node":"n1","parts":[{"plugin":"VolumeBinding","text":"{\"version\":1}"},)"
    R"({"plugin":"Other","text":"two\nlines"}]})";

TEST(BindContext, ItsTextIsAContract) {
  EXPECT_EQ(*to_text(some_context()), kText);
  EXPECT_EQ(*context_from_text(kText), some_context());
}

TEST(BindContext, WhatIsMissingIsRefusedWhenWritingAndWhenReading) {
  for (auto spoil :
       {+[](RecordedContext& context) { context.pod_ns.clear(); },
        +[](RecordedContext& context) { context.pod_name.clear(); },
        +[](RecordedContext& context) { context.pod_uid.clear(); },
        +[](RecordedContext& context) { context.node.clear(); },
        +[](RecordedContext& context) { context.parts[0].plugin.clear(); },
        +[](RecordedContext& context) { context.parts[1].text.clear(); },
        +[](RecordedContext& context) { context.parts[1].plugin = "VolumeBinding"; }}) {
    RecordedContext context = some_context();
    spoil(context);
    EXPECT_EQ(to_text(context).error().code(), ErrorCode::kInvalid);
  }
  EXPECT_FALSE(context_from_text(R"({"version":1,"readableFrom":1})").has_value());
}

TEST(BindContext, APlanOfThisVersionHasOneForm) {
  for (const std::string_view text : {std::string_view(""),
                                      std::string_view("[]"),
                                      std::string_view("{}"),
                                      std::string_view(R"({"version":0,"readableFrom":0})"),
                                      std::string_view(R"({"version":1,"readableFrom":2})")}) {
    EXPECT_EQ(context_from_text(text).error().code(), ErrorCode::kInvalid) << text;
  }
  std::string more(kText);
  more.insert(more.size() - 1, R"(,"more":1)");
  EXPECT_THAT(context_from_text(more).error().text(), HasSubstr("a member is unknown"));
}

TEST(BindContext, ALaterVersionIsReadIfItSaysThatItCanBe) {
  std::string later(kText);
  later.replace(later.find("1"), 1, "2");
  later.insert(later.size() - 1, R"(,"more":1)");
  EXPECT_EQ(context_from_text(later)->node, "n1");
  later.replace(later.find("readableFrom\":1") + 14, 1, "2");
  EXPECT_THAT(context_from_text(later).error().text(), HasSubstr("of version 2"));
}

TEST(BindContext, TextAndPartsHaveALimit) {
  RecordedContext context = some_context();
  context.parts[0].text.assign(RecordedContext::kPartTextMax, 'x');
  EXPECT_TRUE(to_text(context).has_value());
  context.parts[0].text += 'x';
  EXPECT_EQ(to_text(context).error().code(), ErrorCode::kLimit);
  context.parts[0].text.assign(RecordedContext::kPartTextMax, '"');
  EXPECT_EQ(to_text(context).error().code(), ErrorCode::kLimit);
  EXPECT_EQ(context_from_text(std::string(RecordedContext::kTextMax + 1, ' ')).error().code(),
            ErrorCode::kLimit);
}

TEST(BindContext, IsRestoredForItsPodOnly) {
  const auto restored = restore_context(kText, testing::pod("web"));
  ASSERT_TRUE(restored.has_value());
  EXPECT_EQ((*restored)->node, "n1");
  EXPECT_EQ((*restored)->part_of("VolumeBinding"), R"({"version":1})");
  EXPECT_EQ((*restored)->part_of("Nobody"), "");
  EXPECT_EQ((*restored)->recorded(), some_context());
  // Promise S1: another pod of that name is another pod.
  api::Pod again = *testing::pod("web");
  again.metadata.uid = "uid-again";
  EXPECT_EQ(restore_context(kText, std::make_shared<const api::Pod>(again)).error().code(),
            ErrorCode::kConflict);
}

}  // namespace
}  // namespace berth::framework
