#include "base/interner.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace berth {
namespace {

using namespace std::string_view_literals;

Interner::Id id_of(Interner& interner, std::string_view text) {
  const auto id = interner.intern(text);
  EXPECT_TRUE(id) << text;
  return id ? *id : Interner::Id{0xffffffff};
}

TEST(Interner, NumbersTextsInTheOrderOfFirstSight) {
  Interner interner;
  EXPECT_EQ(id_of(interner, "zone-b"), 0U);
  EXPECT_EQ(id_of(interner, "zone-a"), 1U);
  EXPECT_EQ(id_of(interner, "zone-b"), 0U);
  EXPECT_EQ(id_of(interner, "zone-c"), 2U);
  EXPECT_EQ(interner.size(), 3U);
}

TEST(Interner, GivesTheTextBack) {
  Interner interner;
  const auto id = id_of(interner, "zone-a");
  EXPECT_EQ(interner.text(id), "zone-a");
}

TEST(Interner, FindDoesNotAdd) {
  Interner interner;
  EXPECT_EQ(interner.find("zone-a"), std::nullopt);
  EXPECT_EQ(interner.size(), 0U);
  const auto id = id_of(interner, "zone-a");
  EXPECT_EQ(interner.find("zone-a"), id);
}

TEST(Interner, CopiesTheTextItIsGiven) {
  Interner interner;
  std::string text = "zone-a";
  const auto id = id_of(interner, text);
  text = "zone-x";
  EXPECT_EQ(interner.text(id), "zone-a");
}

TEST(Interner, TellsApartTextsThatAreNearlyEqual) {
  Interner interner;
  const std::vector<std::string_view> texts = {""sv, "a"sv, "a\0"sv, "a\0b"sv, "A"sv, "\0"sv};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(id_of(interner, texts[i]), i);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(interner.text(static_cast<Interner::Id>(i)), texts[i]);
  }
}

TEST(Interner, KeepsViewsValidWhileItGrows) {
  Interner interner;
  std::vector<std::string_view> views;
  views.reserve(50'000);
  for (int i = 0; i < 50'000; ++i) {
    views.push_back(interner.text(id_of(interner, "node-" + std::to_string(i))));
  }
  for (int i = 0; i < 50'000; ++i) {
    const std::string text = "node-" + std::to_string(i);
    ASSERT_EQ(views[static_cast<std::size_t>(i)], text);
    ASSERT_EQ(interner.find(text), static_cast<Interner::Id>(i));
  }
}

TEST(Interner, StoresTextsOfEveryLength) {
  Interner interner;
  std::vector<std::string> texts;
  for (const std::size_t length : {std::size_t{1},
                                   std::size_t{4095},
                                   std::size_t{4096},
                                   std::size_t{4097},
                                   std::size_t{16383},
                                   std::size_t{16384},
                                   std::size_t{16385},
                                   std::size_t{1'000'000}}) {
    texts.emplace_back(length, 'a');
    texts.emplace_back(length, 'b');
  }
  for (const auto& text : texts) {
    id_of(interner, text);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(interner.text(static_cast<Interner::Id>(i)) == texts[i]) << texts[i].size();
  }
}

TEST(Interner, PutsShortTextsNextToEachOther) {
  Interner interner;
  const auto first = interner.text(id_of(interner, "one"));
  const auto second = interner.text(id_of(interner, "two"));
  EXPECT_EQ(first.data() + first.size(), second.data());
}

TEST(Interner, RefusesTextsBeyondItsLimitAndKeepsTheOthers) {
  Interner interner(2);
  id_of(interner, "a");
  id_of(interner, "b");
  const auto refused = interner.intern("c");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
  EXPECT_EQ(interner.find("c"), std::nullopt);
  EXPECT_EQ(interner.size(), 2U);
  EXPECT_EQ(id_of(interner, "b"), 1U);
}

TEST(InternerDeathTest, RefusesAnIdItDidNotGiveOut) {
  const Interner interner;
  EXPECT_DEATH(static_cast<void>(interner.text(0)), "given out by this interner");
}

TEST(InternerDeathTest, RefusesALimitItsIdsCannotNumber) {
  EXPECT_DEATH(Interner(Interner::kTextsMax + 1), "ids have 32 bits");
}

}  // namespace
}  // namespace berth
