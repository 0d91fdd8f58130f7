#include "app/config/check_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\n"
    "kind: KubeSchedulerConfiguration\n";

TEST(CheckConfig, TheDefaultIsGoodAndMeansTheDefaultPlugins) {
  const ConfigReport report = check_config("default", default_config());
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.remarks, IsEmpty());
  EXPECT_EQ(report.table, check_config("short", kHead).table);
  EXPECT_THAT(report.table, HasSubstr("profile default-scheduler\n"));
  EXPECT_THAT(report.table,
              HasSubstr("  filter      NodeName, NodeUnschedulable, TaintToleration, NodeAffinity, "
                        "NodeResourcesFit, VolumeRestrictions, NodeVolumeLimits, VolumeBinding, "
                        "VolumeZone\n"));
  EXPECT_THAT(report.table,
              HasSubstr("  score       TaintToleration (3), NodeAffinity (2), "
                        "NodeResourcesFit (1), VolumeBinding (1)\n"));
  EXPECT_THAT(report.table, HasSubstr("  bind        DefaultBinder\n"));
}

TEST(CheckConfig, ProblemsHaveFileAndLine) {
  const ConfigReport report = check_config("c.yaml",
                                           kHead +
                                               "profiles:\n"
                                               "- schedulerNmae: a\n"
                                               "  plugins:\n"
                                               "    filter:\n"
                                               "      enabled:\n"
                                               "      - name: NodeNmae\n"
                                               "      - name: DefaultBinder\n"
                                               "parallelism: many\n");
  EXPECT_THAT(report.problems,
              ElementsAre("c.yaml:4: profiles[0].schedulerNmae: there is no such field",
                          "c.yaml:8: profiles[0].plugins.filter.enabled[0]: plugin \"NodeNmae\" "
                          "does not exist",
                          "c.yaml:9: profiles[0].plugins.filter.enabled[1]: plugin "
                          "\"DefaultBinder\" does not implement Filter",
                          "c.yaml:10: parallelism: is not a whole number"));
  EXPECT_EQ(report.table, "");
}

TEST(CheckConfig, ArgumentsAreCheckedByThePlugin) {
  const auto with = [](const std::string& plugin, const std::string& args) {
    return check_config("c",
                        kHead + "profiles:\n- pluginConfig:\n  - name: " + plugin +
                            "\n    args: " + args + "\n")
        .problems;
  };
  EXPECT_THAT(with("VolumeBinding", "{bindTimeoutSeconds: 30}"), IsEmpty());
  EXPECT_THAT(with("VolumeBinding", "{shape: [{utilization: 0, score: 0}, {utilization: 9}]}"),
              IsEmpty());
  EXPECT_THAT(with("VolumeBinding", "{shape: [{utilization: 9}, {utilization: 9}]}"),
              ElementsAre("c:6: profiles[0].pluginConfig[0].args.shape[1].utilization: does not go "
                          "up from point to point"));
  EXPECT_THAT(with("VolumeBinding", "{bindTimeoutSeconds: -1}"),
              ElementsAre("c:6: profiles[0].pluginConfig[0].args.bindTimeoutSeconds: -1 is not "
                          "between 0 and 86400"));
  EXPECT_THAT(with("NodeResourcesFit",
                   "{scoringStrategy: {type: LeastAllocated, resources: [{name: cpu}]}}"),
              IsEmpty());
  EXPECT_THAT(with("NodeResourcesFit", "{scoringStrategy: {type: MostAllocated}}"),
              ElementsAre(HasSubstr("only LeastAllocated is there yet")));
  EXPECT_THAT(with("NodeResourcesFit", "{scoringStrategy: {resources: [{weight: 3}]}}"),
              ElementsAre(HasSubstr("lacks the name of the resource")));
  EXPECT_THAT(with("NodeAffinity", "{addedAffinity: {}, other: 1}"),
              ElementsAre(HasSubstr("args.other: there is no such field")));
  EXPECT_THAT(with("NodeName", "{any: 1}"), ElementsAre(HasSubstr("there is no such field")));
}

TEST(CheckConfig, PluginsOfKubeSchedulerThatAreMissingMayBeDisabledOnly) {
  const auto with = [](const std::string& list) {
    return check_config(
               "c",
               kHead + "profiles:\n- plugins: {score: {" + list + ": [{name: ImageLocality}]}}\n")
        .problems;
  };
  EXPECT_THAT(with("disabled"), IsEmpty());
  EXPECT_THAT(with("enabled"), ElementsAre(HasSubstr("that Berth does not have yet")));
}

TEST(CheckConfig, WhatHasNoEffectIsSaid) {
  const ConfigReport report = check_config("c", kHead + "parallelism: 8\nleaderElection: {}\n");
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(
      report.remarks,
      ElementsAre("c:3: parallelism: has no effect yet", "c:4: leaderElection: has no effect yet"));
}

}  // namespace
}  // namespace berth::app
