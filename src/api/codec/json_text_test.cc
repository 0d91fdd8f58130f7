#include "api/codec/json_text.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "api/codec/reading.h"

namespace berth::api::codec {
namespace {

TEST(JsonText, TellsJsonFromWhatIsNot) {
  for (const char* text : {"{}",
                           "[]",
                           " [1, 2] ",
                           "0",
                           "-1.5e+10",
                           "true",
                           "null",
                           R"("a\n\u00e9")",
                           R"({"a":{"b":[{}]},"c":null})",
                           R"("\ud83d\ude00")",
                           "\"\xc3\xa9\""}) {
    EXPECT_TRUE(is_json(text)) << text;
  }
  for (const char* text : {"",
                           " ",
                           "{",
                           "[1,]",
                           "[1 2]",
                           R"({"a"})",
                           R"({"a":1,})",
                           "{1:2}",
                           "01",
                           "1.",
                           "+1",
                           ".5",
                           "tru",
                           "nulll",
                           R"("\q")",
                           R"("\u12g4")",
                           R"("\ud83d")",
                           R"("\ud83dx")",
                           R"("\ude00")",
                           "\"a\nb\"",
                           "\"a",
                           "'a'",
                           "1 2",
                           "[1],[2]",
                           "\"\xff\"",
                           "NaN"}) {
    EXPECT_FALSE(is_json(text)) << text;
  }
}

TEST(JsonText, BoundsTheDepthOfJson) {
  const auto nested = [](int depth) {
    const auto levels = static_cast<std::size_t>(depth);
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(is_json(nested(kDepthMax)));
  EXPECT_FALSE(is_json(nested(kDepthMax + 1)));
  EXPECT_FALSE(is_json(nested(1'000'000)));
}

TEST(JsonText, QuotesWhatMustBeQuoted) {
  std::string out;
  append_json_string(out, std::string("a\"\\\n\r\t\x01\x7f/\0", 10));
  EXPECT_EQ(out, "\"a\\\"\\\\\\n\\r\\t\\u0001\x7f/\\u0000\"");
}

TEST(JsonText, ReplacesEachByteThatIsNoText) {
  std::string out;
  append_json_string(out, "a\xff\xc3(\xed\xa0\x80");
  EXPECT_EQ(out, "\"a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(JsonText, KnowsUtf8) {
  EXPECT_TRUE(is_utf8("plain text longer than eight bytes"));
  EXPECT_TRUE(is_utf8("schön \xf0\x9f\x9a\xa2"));
  EXPECT_FALSE(is_utf8("long enough to be read in words \x80"));
  EXPECT_FALSE(is_utf8("\xc0\xaf"));
}

}  // namespace
}  // namespace berth::api::codec
