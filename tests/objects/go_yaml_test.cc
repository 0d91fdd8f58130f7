// The YAML reader of Kubernetes' own tools as a second opinion on ours.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "api/yaml.h"
#include "base/error.h"
#include "peers/controlplane.h"

namespace berth::tests {
namespace {

class GoYaml : public testing::Test {
 protected:
  void SetUp() override {
    auto go = ControlPlane::start(yaml_role());
    if (!go && go.error().code() == ErrorCode::kNotFound) {
      GTEST_SKIP() << go.error().text();
    }
    ASSERT_TRUE(go) << go.error().text();
    go_ = *std::move(go);
  }

  // Both accept the text and mean the same, or both refuse it.
  void expect_agreement(const std::string& text) {
    SCOPED_TRACE(text);
    const auto theirs = go_->exchange(text);
    const auto documents = api::read_yaml(text);
    ASSERT_EQ(documents.size(), 1U);
    const auto& ours = documents.front().json;
    ASSERT_EQ(static_cast<bool>(theirs), static_cast<bool>(ours))
        << (ours ? "we accept it: " + theirs.error().text()
                 : "we refuse it: " + ours.error().text());
    if (!ours) {
      return;
    }
    EXPECT_EQ(nlohmann::json::parse(*ours), nlohmann::json::parse(theirs->at(0)));
  }

  std::unique_ptr<ControlPlane> go_;
};

TEST_F(GoYaml, AgreesOnScalars) {
  for (const char* scalar : {"yes",
                             "No",
                             "on",
                             "OFF",
                             "y",
                             "N",
                             "true",
                             "~",
                             "null",
                             "Null",
                             "nULL",
                             "0",
                             "-0",
                             "+1",
                             "010",
                             "0o17",
                             "0x1F",
                             "0b101",
                             "-0b11",
                             "1_000",
                             "_1",
                             "1__0",
                             "08",
                             "9223372036854775807",
                             "9223372036854775808",
                             "18446744073709551615",
                             "18446744073709551616",
                             "-9223372036854775808",
                             "-9223372036854775809",
                             "1.0",
                             "1.50",
                             "1e3",
                             "1E-7",
                             "1e21",
                             "1e22",
                             "1e400",
                             "1e-400",
                             "-1.5e+10",
                             ".5",
                             "5.",
                             ".5e2",
                             "+.5",
                             "-.5",
                             ".",
                             "..",
                             "-",
                             "+",
                             ".nan",
                             ".inf",
                             "-.INF",
                             "2024-01-02",
                             "2024-01-02T03:04:05Z",
                             "12:30:45",
                             "500m",
                             "1Gi",
                             "0.1",
                             "100000000000000000000",
                             "!!str 5",
                             "!!int \"5\"",
                             "!!float 5",
                             "!!bool yes",
                             "!!int x",
                             "!!binary aGVsbG8=",
                             "!!binary ???",
                             "!custom x",
                             "'single''s'",
                             "\"dou\\tble \\u00e9\"",
                             "a b c",
                             "a: b: c",
                             "|\n  line\n  line\n",
                             ">-\n  folded\n  text\n",
                             "[1, two, [3]]",
                             "{a: 1, b: {c: 2}}",
                             "*nope",
                             "&a x",
                             "@x",
                             "`x",
                             "%x",
                             "a#b",
                             "a #b",
                             "1,000",
                             "0x",
                             "0b2",
                             "0.0",
                             "-0.0",
                             "1.e1",
                             "0_1.5",
                             "<<",
                             "=",
                             "1e",
                             "e1",
                             "0777",
                             "0o8",
                             "+0x1f",
                             "-010",
                             "5e-324",
                             "1.7976931348623157e308"}) {
    expect_agreement("key: " + std::string(scalar) + "\n");
  }
}

TEST_F(GoYaml, AgreesOnKeysAnchorsAndMerges) {
  for (const char* text : {"1: a\ntrue: b\n1.5: c\n",
                           "~: x\n",
                           "[a]: b\n",
                           "a: &x {k: 1}\nb: *x\n",
                           "base: &b {k: 1, l: 2}\nuse:\n  <<: *b\n  l: 3\n",
                           "a: &a [1]\nb: [*a, *a]\n",
                           "base: &b {k: 1}\nmore: &m {k: 2, n: 3}\nuse:\n  <<: [*b, *m]\n",
                           "<<: 5\n",
                           "- a\n- b\n",
                           "plain text\n",
                           "42\n",
                           "{\"json\": [1, 2.5, null, \"x\"]}\n",
                           "a:\n- b\n- c:\n    d: e\n",
                           "a: [\n",
                           "a: 'x\n",
                           "\ta: b\n",
                           "a: b\n c: d\n",
                           "key: &x [*x]\n"}) {
    expect_agreement(text);
  }
}

TEST_F(GoYaml, AgreesOnRandomWords) {
  constexpr std::string_view kLetters = "0123456789.+-_eExXoObBynNtTfF~:# ";
  std::mt19937_64 random(4);
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    std::string word;
    for (std::size_t length = 1 + random() % 7; length > 0; --length) {
      word += kLetters[random() % kLetters.size()];
    }
    expect_agreement("key: " + word + "\n");
  }
}

}  // namespace
}  // namespace berth::tests
