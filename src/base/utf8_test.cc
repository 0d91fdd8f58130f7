#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace berth {
namespace {

TEST(Utf8, ReadsTheFirstAndTheLastCharacterOfEachLength) {
  struct Row {
    std::string_view text;
    char32_t code_point;
  };
  const std::vector<Row> rows = {{std::string_view("\0", 1), 0},
                                 {"\x7F", 0x7F},
                                 {"\xC2\x80", 0x80},
                                 {"\xDF\xBF", 0x7FF},
                                 {"\xE0\xA0\x80", 0x800},
                                 {"\xED\x9F\xBF", 0xD7FF},
                                 {"\xEE\x80\x80", 0xE000},
                                 {"\xEF\xBF\xBF", 0xFFFF},
                                 {"\xF0\x90\x80\x80", 0x10000},
                                 {"\xF4\x8F\xBF\xBF", 0x10FFFF}};
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.text));
    const Utf8Char read = first_utf8_char(std::string(row.text) + "rest");
    EXPECT_TRUE(read.is_valid);
    EXPECT_EQ(read.code_point, row.code_point);
    EXPECT_EQ(read.bytes, row.text.size());
  }
}

TEST(Utf8, TakesOneByteWhereNoValidCharacterBegins) {
  const std::vector<std::string_view> rows = {"\x80",              // continuation without a lead
                                              "\xBF",              //
                                              "\xC0\xAF",          // overlong in two bytes
                                              "\xC1\xBF",          //
                                              "\xE0\x9F\xBF",      // overlong in three
                                              "\xF0\x8F\xBF\xBF",  // overlong in four
                                              "\xED\xA0\x80",      // first surrogate
                                              "\xED\xBF\xBF",      // last surrogate
                                              "\xF4\x90\x80\x80",  // beyond the last character
                                              "\xF8\x88\x80\x80\x80",
                                              "\xFF",
                                              "\xC3",          // cut off
                                              "\xE2\x82",      //
                                              "\xF0\x9F\x98",  //
                                              "\xE2\x28\xA1",  // interrupted
                                              "\xC3z"};
  for (const std::string_view row : rows) {
    SCOPED_TRACE(testing::PrintToString(row));
    const Utf8Char read = first_utf8_char(row);
    EXPECT_FALSE(read.is_valid);
    EXPECT_EQ(read.code_point, kReplacementCodePoint);
    EXPECT_EQ(read.bytes, 1U);
  }
}

TEST(Utf8, AcceptsTheReplacementCharacterItself) {
  const Utf8Char read = first_utf8_char(kReplacementText);
  EXPECT_TRUE(read.is_valid);
  EXPECT_EQ(read.code_point, kReplacementCodePoint);
}

TEST(Utf8DeathTest, RefusesAnEmptyText) {
  EXPECT_DEATH(static_cast<void>(first_utf8_char("")), "no first character");
}

TEST(Utf8, IsCutBetweenTwoCharacters) {
  EXPECT_EQ(cut_utf8("abc", 3), "abc");
  EXPECT_EQ(cut_utf8("abc", 2), "ab");
  EXPECT_EQ(cut_utf8("a\xC3\xA4", 2), "a");
  EXPECT_EQ(cut_utf8("a\xE2\x82\xAC", 3), "a");
  EXPECT_EQ(cut_utf8("\x82\x82", 1), "");
}

}  // namespace
}  // namespace berth
