#include "api/yaml.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace berth::api {
namespace {

// The documents' JSON or errors, a line each.
std::string read(std::string_view text) {
  std::string lines;
  for (const auto& document : read_yaml(text)) {
    lines += document.json ? *document.json : "error: " + document.json.error().text();
    lines += "\n";
  }
  return lines;
}

// The code of the only document, which cannot be read.
ErrorCode code_of(std::string_view text) {
  const auto documents = read_yaml(text);
  EXPECT_EQ(documents.size(), 1U);
  return documents.at(0).json.error().code();
}

TEST(Yaml, BecomesJson) {
  EXPECT_EQ(read("a: 1\nb:\n- x\n- {c: 'd'}\n"), "{\"a\":1,\"b\":[\"x\",{\"c\":\"d\"}]}\n");
  EXPECT_EQ(read("{\"already\": [true, null, \"json\"]}"), "{\"already\":[true,null,\"json\"]}\n");
}

TEST(Yaml, GivesUnquotedWordsTheMeaningKubernetesToolsGiveThem) {
  EXPECT_EQ(read("[yes, off, ~, 0777, 0x1f, 1_000, 1e3, .5, 500m, 2024-01-02]"),
            "[true,false,null,511,31,1000,1000,0.5,\"500m\",\"2024-01-02\"]\n");
  EXPECT_EQ(read("['yes', \"0777\", !!str 5, !!int '5']"), "[\"yes\",\"0777\",\"5\",5]\n");
}

TEST(Yaml, HoldsSeveralDocumentsAndLeavesOutEmptyOnes) {
  EXPECT_EQ(read("---\n# nothing\n---\na: 1\n---\nb: 2\n...\n"), "{\"a\":1}\n{\"b\":2}\n");
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read_yaml("a: 1\n---\n\nb: 2\n").at(1).line, 2U);
}

TEST(Yaml, ExpandsAliasesAndMergeKeys) {
  EXPECT_EQ(read("a: &x {k: 1, l: 2}\nb: *x\nc: {l: 3, <<: *x}\n"),
            "{\"a\":{\"k\":1,\"l\":2},\"b\":{\"k\":1,\"l\":2},\"c\":{\"l\":3,\"k\":1}}\n");
}

TEST(Yaml, NamesTheLineOfAnError) {
  EXPECT_EQ(read("a: 1\na: 2\n"), "error: line 2: key 'a' stands twice\n");
  EXPECT_EQ(read("a: *b\n"), "error: line 1: unknown anchor 'b'\n");
  EXPECT_EQ(read("a: 1\nb: .nan\n"), "error: line 2: .nan cannot be written as JSON\n");
  EXPECT_EQ(read("a: !!int x\n"), "error: line 1: 'x' is not a !!int\n");
  EXPECT_EQ(read("a: !!binary '*'\n"), "error: line 1: !!binary value is not base64\n");
  EXPECT_EQ(read("a: {<<: 5}\n"), "error: line 1: << takes a mapping or a list of mappings\n");
  EXPECT_EQ(read("~: 1\n"), "error: line 1: a key must not be null\n");
  EXPECT_EQ(read("[a]: 1\n"), "error: line 1: a key must be a string, a number or a boolean\n");
  EXPECT_EQ(read("a: [1\n").substr(0, 30), "error: line 2: malformed YAML:");
  EXPECT_EQ(read("a: \xff\n"), "error: holds text that is not UTF-8\n");
  EXPECT_EQ(code_of("a: [1\n"), ErrorCode::kInvalid);
}

// Every way a document can fail: in its meaning, while its nodes are gathered, in its syntax, and
// before it has begun.
TEST(Yaml, BadDocumentHidesNoOther) {
  for (const std::string bad : {"k: 1\nk: 2\n",
                                "k: *none\n",
                                "k: [1\n",
                                "k: 'open\n",
                                "@\n",
                                "[k]\n%bad\n",
                                "a: 1\n  b: \xc3\xa9 2\n"}) {
    const auto documents = read_yaml("a: \xc3\xa9\n---\n" + bad + "---\nc: 3\n--- \nd: 4\n");
    ASSERT_GE(documents.size(), 4U) << bad;
    EXPECT_EQ(std::ranges::count_if(documents, [](const auto& one) { return !one.json; }), 1)
        << bad;
    EXPECT_EQ(*documents.front().json, "{\"a\":\"\xc3\xa9\"}") << bad;
    EXPECT_FALSE(documents[documents.size() - 3].json) << bad;
    EXPECT_EQ(*documents[documents.size() - 2].json, "{\"c\":3}") << bad;
    EXPECT_EQ(*documents.back().json, "{\"d\":4}") << bad;
  }
}

TEST(Yaml, CountsLinesAlsoAfterABadDocument) {
  const auto documents = read_yaml("a: [\n---\r\nb: 1\n---\nc: 1\nc: 2\n---\n\nd: [\n");
  ASSERT_EQ(documents.size(), 4U);
  EXPECT_EQ(documents[1].line, 2U);
  EXPECT_EQ(documents[2].json.error().text(), "line 6: key 'c' stands twice");
  EXPECT_THAT(documents[3].json.error().text(), testing::StartsWith("line 10: malformed YAML:"));
}

TEST(Yaml, MarkerInsideALineBeginsNoDocument) {
  EXPECT_EQ(read("a: *b\n ---\n---x\nc: 1\n"), "error: line 1: unknown anchor 'b'\n");
}

TEST(Yaml, TakesAByteOrderMark) {
  const std::string mark = "\xef\xbb\xbf";
  EXPECT_EQ(read(mark + "a: 1\n"), "{\"a\":1}\n");
  EXPECT_EQ(read(mark + "a: 1\n---\n*b\n---\nc: 1\n"),
            "{\"a\":1}\nerror: line 3: unknown anchor 'b'\n{\"c\":1}\n");
}

TEST(Yaml, RefusesDeepNestingAndAnAliasToItself) {
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  EXPECT_EQ(read(deep), "error: line 1: nested deeper than 128 levels\n");
  EXPECT_EQ(read("a: &x [*x]\n"), "error: line 1: nested deeper than 128 levels\n");
  EXPECT_EQ(read("a: &x {<<: *x}\n"), "error: line 1: nested deeper than 128 levels\n");
  EXPECT_EQ(code_of(deep), ErrorCode::kLimit);
  EXPECT_EQ(code_of("a: &x [*x]\n"), ErrorCode::kLimit);
  EXPECT_EQ(code_of("a: &x {<<: *x}\n"), ErrorCode::kLimit);
}

// Three bytes of text can ask for a node of seventy. The limit is one of the whole text: nothing
// after it is read.
TEST(Yaml, RefusesMoreValuesThanItHasMemoryFor) {
  std::string text = "[";
  for (std::size_t i = 0; i + 1 < kYamlNodesMax; ++i) {
    text += "[],";
  }
  const auto documents = read_yaml(text + "]\n---\nb\n---\nc\n");
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_TRUE(documents[0].json);
  EXPECT_EQ(documents[1].json.error().code(), ErrorCode::kLimit);
  EXPECT_EQ(documents[1].json.error().text(), "line 3: the text holds more than 2000000 values");
}

TEST(Yaml, GivesUpAfterManyDocumentsThatCannotBeRead) {
  std::string text;
  for (std::size_t i = 0; i < 2 * kYamlBadDocumentsMax; ++i) {
    text += "@\n---\n";
  }
  const auto documents = read_yaml(text);
  ASSERT_EQ(documents.size(), kYamlBadDocumentsMax + 1);
  EXPECT_EQ(documents.back().json.error().code(), ErrorCode::kLimit);
}

// Ten levels of ten aliases each: a few hundred bytes that stand for ten thousand million values.
std::string laughs(const std::string& open, const std::string& close) {
  std::string text = "a0: &a0 " + open + "x: 1" + close + "\n";
  for (int level = 1; level <= 10; ++level) {
    const std::string below = "*a" + std::to_string(level - 1);
    text += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " ";
    text += open == "{" ? "{<<: [" : "[";
    for (int i = 0; i < 10; ++i) {
      text += (i > 0 ? ", " : "") + below;
    }
    text += open == "{" ? "]}\n" : "]\n";
  }
  return text;
}

TEST(Yaml, RefusesAliasesThatExpandToTooMuch) {
  EXPECT_EQ(code_of(laughs("[", "]")), ErrorCode::kLimit);
  EXPECT_EQ(code_of(laughs("{", "}")), ErrorCode::kLimit);
}

// Sixty levels of two merges each, which bring nothing.
TEST(Yaml, RefusesMergesOfNothingWithoutEnd) {
  std::string text = "a0: &a0 {}\n";
  for (int level = 1; level <= 60; ++level) {
    const std::string below = "*a" + std::to_string(level - 1);
    text += fmt::format("a{}: &a{} {{<<: [{}, {}]}}\n", level, level, below, below);
  }
  EXPECT_EQ(code_of(text), ErrorCode::kLimit);
}

// The same thousand members, ten thousand times: they would be many before the first is written.
TEST(Yaml, RefusesManyMergesOfOneMapping) {
  std::string text = "m: &m {";
  for (int i = 0; i < 1000; ++i) {
    text += fmt::format("k{}: 1, ", i);
  }
  text += "}\nall: {<<: [";
  for (int i = 0; i < 10'000; ++i) {
    text += "*m, ";
  }
  EXPECT_EQ(code_of(text + "]}\n"), ErrorCode::kLimit);
}

TEST(Yaml, ManyDocumentsExpandToNoMoreThanOne) {
  std::string document = "---\na0: &a0 " + std::string(1000, 'x') + "\n";
  document += "a1: &a1 [*a0, *a0, *a0, *a0, *a0, *a0, *a0, *a0, *a0, *a0]\n";
  document += "a2: [*a1, *a1, *a1, *a1, *a1, *a1, *a1, *a1, *a1, *a1]\n";
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += document;
  }
  EXPECT_TRUE(read_yaml(document).at(0).json);
  const auto documents = read_yaml(text);
  ASSERT_FALSE(documents.empty());
  EXPECT_LT(documents.size(), 100U);
  ASSERT_FALSE(documents.back().json);
  EXPECT_EQ(documents.back().json.error().code(), ErrorCode::kLimit);
}

// A tag stands for its prefix, which may be long; nodes must not hold a copy each.
TEST(Yaml, TagsAreKeptAsWhatTheyMean) {
  EXPECT_EQ(read("%TAG !e! tag:yaml.org,2002:\n---\n[!e!int '5', !e!str 5, !<tag:x> 5, ! 5]\n"),
            "[5,\"5\",\"5\",\"5\"]\n");
}

}  // namespace
}  // namespace berth::api
