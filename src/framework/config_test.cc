#include "framework/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/fields.h"

namespace berth::framework {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\n"
    "kind: KubeSchedulerConfiguration\n";

std::vector<std::string> problems(const std::string& text) {
  std::vector<std::string> texts;
  for (const Problem& problem : read_config(text).problems.sorted()) {
    texts.push_back(std::to_string(problem.line) + ": " + problem.text);
  }
  return texts;
}

TEST(ReadConfig, AnEmptyConfigurationHasTheDefaultProfile) {
  const ConfigReading reading = read_config(kHead);
  EXPECT_TRUE(reading.problems.empty());
  ASSERT_EQ(reading.config.profiles.size(), 1U);
  EXPECT_EQ(reading.config.profiles[0].scheduler_name, "default-scheduler");
}

TEST(ReadConfig, JsonIsReadToo) {
  EXPECT_THAT(problems(R"({"apiVersion": "kubescheduler.config.k8s.io/v1",
                           "kind": "KubeSchedulerConfiguration",
                           "profiles": [{"schedulerName": "a"}]})"),
              IsEmpty());
}

TEST(ReadConfig, OtherKindsAndVersionsAreRefused) {
  EXPECT_THAT(problems("kind: Pod\n"), ElementsAre(HasSubstr("1: kind: is \"Pod\"")));
  EXPECT_THAT(problems("kind: KubeSchedulerConfiguration\napiVersion: "
                       "kubescheduler.config.k8s.io/v1beta3\n"),
              ElementsAre(HasSubstr("2: apiVersion: is \"kubescheduler.config.k8s.io/v1beta3\"")));
}

TEST(ReadConfig, WhatIsNoConfigurationIsRefused) {
  EXPECT_THAT(problems(""), ElementsAre("0: there is no configuration in it"));
  EXPECT_THAT(problems("[1, 2]"), ElementsAre("1: is a list, not a mapping of fields"));
  EXPECT_THAT(problems("a: [\n"), ElementsAre(HasSubstr("malformed YAML")));
  EXPECT_THAT(problems("a: \xff\n"), ElementsAre("0: the text is not UTF-8"));
  EXPECT_THAT(problems(kHead + "---\nkind: Pod\n"), ElementsAre(HasSubstr("a second document")));
  EXPECT_THAT(problems(std::string(kConfigSizeMax + 1, ' ')),
              ElementsAre(HasSubstr("more than 1048576")));
}

TEST(ReadConfig, FieldsThatAreUnknownOrStandTwiceAreNamedWithTheirLine) {
  EXPECT_THAT(problems(kHead + "profles: []\n"), ElementsAre("3: profles: there is no such field"));
  EXPECT_THAT(problems(kHead + "parallelism: 1\nparallelism: 2\n"),
              ElementsAre("4: parallelism: stands twice"));
  EXPECT_THAT(
      problems(kHead + "profiles:\n"
                       "- plugins:\n"
                       "    filters: {}\n"
                       "    filter:\n"
                       "      enable: []\n"
                       "      enabled:\n"
                       "      - nam: A\n"),
      ElementsAre("5: profiles[0].plugins.filters: there is no such field",
                  "7: profiles[0].plugins.filter.enable: there is no such field",
                  "9: profiles[0].plugins.filter.enabled[0].nam: there is no such field",
                  "9: profiles[0].plugins.filter.enabled[0]: lacks the name of the plugin"));
}

TEST(ReadConfig, ValuesOfTheWrongTypeAreNamedWithTheirLine) {
  EXPECT_THAT(problems(kHead + "profiles:\n"
                               "- schedulerName: 7\n"
                               "- plugins: []\n"
                               "- pluginConfig: {}\n"
                               "- plugins: {score: {enabled: [{name: A, weight: heavy}]}}\n"
                               "enableProfiling: maybe\n"),
              ElementsAre("4: profiles[0].schedulerName: is not a text",
                          "5: profiles[1].plugins: is a list, not a mapping of fields",
                          "6: profiles[2].pluginConfig: is not a list",
                          "7: profiles[3].plugins.score.enabled[0].weight: is not a whole number",
                          "8: enableProfiling: is not true or false"));
}

TEST(ReadConfig, NumbersHaveARange) {
  EXPECT_THAT(problems(kHead + "percentageOfNodesToScore: 101\n"),
              ElementsAre("3: percentageOfNodesToScore: 101 is not between 0 and 100"));
  EXPECT_THAT(problems(kHead + "parallelism: 99999999999999999999\n"),
              ElementsAre("3: parallelism: is not a whole number"));
}

TEST(ReadConfig, ExtendersAreNotSupported) {
  EXPECT_THAT(problems(kHead + "extenders: []\n"), IsEmpty());
  EXPECT_THAT(problems(kHead + "extenders: [{urlPrefix: 'http://a'}]\n"),
              ElementsAre("3: extenders: are not supported"));
}

TEST(ReadConfig, ThereAreNotTooManyProfiles) {
  std::string text = kHead + "profiles:\n";
  for (int i = 0; i < 65; ++i) {
    text += "- schedulerName: s" + std::to_string(i) + "\n";
  }
  EXPECT_THAT(problems(text), ElementsAre("3: profiles: are more than 64"));
}

TEST(ReadConfig, NullIsAbsent) {
  EXPECT_THAT(problems(kHead + "profiles:\nparallelism: null\nleaderElection: ~\n"), IsEmpty());
}

TEST(ReadConfig, WhatHasNoEffectIsARemark) {
  const ConfigReading reading =
      read_config(kHead +
                  "clientConnection: {kubeconfig: a, qps: 50.5, burst: 100}\n"
                  "leaderElection: {leaderElect: false, leaseDuration: 15s}\n"
                  "profiles: [{percentageOfNodesToScore: 10}]\n");
  EXPECT_TRUE(reading.problems.empty());
  std::vector<std::string> remarks;
  for (const Problem& remark : reading.remarks.sorted()) {
    remarks.push_back(remark.text);
  }
  EXPECT_THAT(remarks,
              ElementsAre("clientConnection: has no effect yet",
                          "leaderElection: has no effect yet",
                          "profiles[0].percentageOfNodesToScore: has no effect yet"));
}

TEST(Problems, BeyondTheLimitTheyAreCounted) {
  Problems problems;
  for (std::size_t i = 0; i < Problems::kKeptMax + 5; ++i) {
    problems.add(i, "a", "b");
  }
  EXPECT_EQ(problems.count(), Problems::kKeptMax + 5);
  EXPECT_EQ(problems.sorted().size(), Problems::kKeptMax);
}

}  // namespace
}  // namespace berth::framework
