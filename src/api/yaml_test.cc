#include "api/yaml.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error.h"

namespace berth::api {
namespace {

// The documents' JSON, a line each, or the error.
std::string read(std::string_view text) {
  const auto documents = read_yaml(text);
  if (!documents) {
    return "error: " + documents.error().text();
  }
  std::string lines;
  for (const auto& document : *documents) {
    lines += document.json + "\n";
  }
  return lines;
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
  const auto documents = read_yaml("a: 1\n---\n\nb: 2\n");
  ASSERT_TRUE(documents);
  EXPECT_EQ(documents->at(1).line, 2U);
}

TEST(Yaml, ExpandsAliasesAndMergeKeys) {
  EXPECT_EQ(read("a: &x {k: 1, l: 2}\nb: *x\nc: {l: 3, <<: *x}\n"),
            "{\"a\":{\"k\":1,\"l\":2},\"b\":{\"k\":1,\"l\":2},\"c\":{\"l\":3,\"k\":1}}\n");
}

TEST(Yaml, NamesTheLineOfAnError) {
  EXPECT_EQ(read("a: 1\na: 2\n"), "error: line 2: key 'a' stands twice");
  EXPECT_EQ(read("a: *b\n"), "error: line 1: unknown anchor 'b'");
  EXPECT_EQ(read("a: 1\nb: .nan\n"), "error: line 2: .nan cannot be written as JSON");
  EXPECT_EQ(read("a: !!int x\n"), "error: line 1: 'x' is not a !!int");
  EXPECT_EQ(read("a: {<<: 5}\n"), "error: line 1: << takes a mapping or a list of mappings");
  EXPECT_EQ(read("~: 1\n"), "error: line 1: a key must not be null");
  EXPECT_EQ(read("[a]: 1\n"), "error: line 1: a key must be a string, a number or a boolean");
  EXPECT_EQ(read("a: [1\n").substr(0, 30), "error: line 2: malformed YAML:");
  EXPECT_EQ(read("a: \xff\n"), "error: holds text that is not UTF-8");
}

TEST(Yaml, RefusesDeepNestingAndAnAliasToItself) {
  EXPECT_EQ(read(std::string(1000, '[') + std::string(1000, ']')),
            "error: line 1: nested deeper than 128 levels");
  EXPECT_EQ(read("a: &x [*x]\n"), "error: line 1: nested deeper than 128 levels");
  EXPECT_EQ(read("a: &x {<<: *x}\n"), "error: line 1: nested deeper than 128 levels");
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
  const auto nested = read_yaml(laughs("[", "]"));
  ASSERT_FALSE(nested);
  EXPECT_EQ(nested.error().code(), ErrorCode::kLimit);
  const auto merged = read_yaml(laughs("{", "}"));
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code(), ErrorCode::kLimit);
}

}  // namespace
}  // namespace berth::api
