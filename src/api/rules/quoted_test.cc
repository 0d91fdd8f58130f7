#include "api/rules/quoted.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace berth::api {
namespace {

TEST(Printable, KeepsWhatPrintsAndEscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable(R"(it's "plain" \d text, gr)"
                      "\xc3\xbc\xc3\x9f"),
            R"(it's "plain" \d text, gr)"
            "\xc3\xbc\xc3\x9f");
  EXPECT_EQ(printable("\x1b[31mred\nerror: \r\t\x7f"), R"(\x1b[31mred\nerror: \r\t\x7f)");
  EXPECT_EQ(printable(std::string_view("\0", 1)), R"(\x00)");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            R"(\u009b31m)");  // a control sequence in one character
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "gpj"),
            R"(\u202egpj)");  // writes from right to left
  EXPECT_EQ(printable("\xff\xc3"), R"(\xff\xc3)");
  EXPECT_EQ(printable(""), "");
}

TEST(Shown, CutsAtACharacter) {
  EXPECT_EQ(shown(std::string(80, 'x')), std::string(80, 'x'));
  EXPECT_EQ(shown(std::string(81, 'x')), std::string(80, 'x') + "...");
  EXPECT_EQ(shown(std::string(79, 'x') + "\xc3\xbc"), std::string(79, 'x') + "\xc3\xbc");
  EXPECT_EQ(shown(std::string(79, 'x') + "\xc3\xbcy"), std::string(79, 'x') + "\xc3\xbc...");
  EXPECT_EQ(shown("a\nb"), R"(a\nb)");
}

TEST(Quoted, EscapesAsGoDoes) {
  EXPECT_EQ(quoted("plain text"), R"("plain text")");
  EXPECT_EQ(quoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(quoted("\a\b\f\n\r\t\v"), R"("\a\b\f\n\r\t\v")");
  EXPECT_EQ(quoted(std::string_view("\0\x1f\x7f", 3)), R"("\x00\x1f\x7f")");
  EXPECT_EQ(quoted("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
  EXPECT_EQ(quoted("\xff\xc3"), R"("\xff\xc3")");
  EXPECT_EQ(quoted("\xc2\xa0\xe2\x80\x8b"), R"("\u00a0\u200b")");
  EXPECT_EQ(quoted("\xf4\x8f\xbf\xbf"), R"("\U0010ffff")");
  EXPECT_EQ(quoted("<&>"), R"("<&>")");
}

TEST(JsonQuoted, EscapesAsGoDoes) {
  EXPECT_EQ(json_quoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_quoted("\a\b\f\n\r\t\v"), R"("\u0007\b\f\n\r\t\u000b")");
  EXPECT_EQ(json_quoted("<&>"), R"("\u003c\u0026\u003e")");
  EXPECT_EQ(json_quoted("\xff\x7f"), "\"\\ufffd\x7f\"");
  EXPECT_EQ(json_quoted("\xe2\x80\xa8"), R"("\u2028")");
}

TEST(JsonQuoted, EmptyListIsNull) {
  EXPECT_EQ(json_quoted(std::vector<std::string>{}), "null");
  EXPECT_EQ(json_quoted(std::vector<std::string>{""}), R"([""])");
  EXPECT_EQ(json_quoted(std::vector<std::string>{"a", "b\""}), R"(["a","b\""])");
}

}  // namespace
}  // namespace berth::api
