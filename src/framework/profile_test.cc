// Registry, profiles and configuration, as catalogue 20.B has them.
#include "framework/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "framework/config.h"
#include "framework/fields.h"
#include "framework/points.h"
#include "framework/registry.h"
#include "framework/runner.h"
#include "framework/testing/runner_house.h"

namespace berth::framework {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RunnerHouse;

constexpr Points kFilterAndScore{Point::kFilter, Point::kScore};

PluginEntry entry(std::string_view name, Points points, bool is_default = false) {
  return {.name = std::string(name),
          .points = points,
          .is_default = is_default,
          .check = [](Fields& arguments) {
            static_cast<void>(arguments.integer("size", 0, {.min = 0, .max = 9}));
          }};
}

// Two that sort, one that binds, and A to D that filter and score; Sort and Binder are defaults.
Registry few_plugins() {
  Registry registry;
  for (const PluginEntry& each : {entry("Sort", {Point::kQueueSort}, true),
                                  entry("OtherSort", {Point::kQueueSort}),
                                  entry("A", kFilterAndScore),
                                  entry("B", kFilterAndScore),
                                  entry("C", kFilterAndScore),
                                  entry("D", kFilterAndScore),
                                  entry("Binder", {Point::kBind}, true)}) {
    EXPECT_TRUE(registry.add(each).has_value());
  }
  return registry;
}

struct Resolved {
  ConfigReading reading;
  std::vector<Profile> profiles;

  std::vector<std::string> problems() const {
    std::vector<std::string> texts;
    for (const Problem& problem : reading.problems.sorted()) {
      texts.push_back(std::to_string(problem.line) + ": " + problem.text);
    }
    return texts;
  }
  // Of the first profile: "A B:2" for B with weight 2.
  std::string at(Point point) const {
    std::string text;
    for (const AskedPlugin& plugin : profiles.at(0).asked_at(point)) {
      text += (text.empty() ? "" : " ") + plugin.name;
      text += plugin.weight == 1 ? "" : ":" + std::to_string(plugin.weight);
    }
    return text;
  }
};

// `rest` begins at line 3.
Resolved resolve(const std::string& rest, const Registry& registry = few_plugins()) {
  Resolved resolved{.reading = read_config("apiVersion: kubescheduler.config.k8s.io/v1\n"
                                           "kind: KubeSchedulerConfiguration\n" +
                                           rest),
                    .profiles = {}};
  resolved.profiles = resolve_profiles(resolved.reading, registry);
  return resolved;
}
Resolved resolve_plugins(const std::string& plugins) {
  return resolve("profiles:\n- plugins: {" + plugins + "}\n");
}

TEST(Profile, SF_010_APluginThatIsEnabledTwiceAtAPointIsAnError) {
  EXPECT_THAT(resolve_plugins("filter: {enabled: [{name: A}, {name: A}]}").problems(),
              ElementsAre("4: profiles[0].plugins.filter.enabled[1]: plugin \"A\" already "
                          "registered as \"Filter\""));
  EXPECT_THAT(resolve_plugins("multiPoint: {enabled: [{name: A}, {name: A}]}").problems(),
              ElementsAre(HasSubstr("already registered")));
  // A profile made by hand is held to it too.
  RunnerHouse house;
  house.add("A", {Point::kBind}, {});
  house.profile.at[static_cast<std::size_t>(Point::kBind)].push_back({.name = "A"});
  EXPECT_THAT(house.make().error().text(), HasSubstr("\"A\" already registered as \"Bind\""));
}

TEST(Profile, SF_011_ArgumentsForAPluginTwiceAreAnError) {
  EXPECT_THAT(resolve("profiles:\n"
                      "- pluginConfig:\n"
                      "  - name: Binder\n"
                      "    args: {size: 1}\n"
                      "  - name: Binder\n"
                      "    args: {size: 1}\n")
                  .problems(),
              ElementsAre("7: profiles[0].pluginConfig[1]: repeated config for plugin \"Binder\""));
}

TEST(Profile, SF_012_OneMustSortTheQueue) {
  EXPECT_THAT(resolve_plugins("queueSort: {disabled: [{name: Sort}]}").problems(),
              ElementsAre(HasSubstr("plugins.queueSort: has 0 plugins")));
}

TEST(Profile, SF_013_TwoCannotSortTheQueue) {
  EXPECT_THAT(resolve_plugins("queueSort: {enabled: [{name: OtherSort}]}").problems(),
              ElementsAre(HasSubstr("plugins.queueSort: has 2 plugins")));
}

TEST(Profile, SF_014_SomebodyMustBind) {
  EXPECT_THAT(resolve_plugins("bind: {disabled: [{name: '*'}]}").problems(),
              ElementsAre(HasSubstr("plugins.bind: has no plugin")));
  RunnerHouse house;
  house.add("A", {Point::kFilter}, {});
  EXPECT_THAT(house.make().error().text(), HasSubstr("at least one plugin is needed at Bind"));
}

TEST(Profile, SF_015_APluginIsOnlyAskedWhereItImplementsThePoint) {
  EXPECT_THAT(resolve_plugins("bind: {enabled: [{name: A}]}").problems(),
              ElementsAre(HasSubstr("plugin \"A\" does not implement Bind")));
}

TEST(Profile, SF_016_ThoseNamedAtThePointComeFirst) {
  const Resolved resolved = resolve_plugins(
      "multiPoint: {enabled: [{name: A}, {name: B}, {name: C}]}, score: {enabled: [{name: C}]}");
  EXPECT_EQ(resolved.at(Point::kScore), "C A B");
  EXPECT_EQ(resolved.at(Point::kFilter), "A B C");
  EXPECT_THAT(resolved.problems(), IsEmpty());
}

TEST(Profile, SF_017_OneMayBeDisabledAtAPoint) {
  const Resolved resolved = resolve_plugins(
      "multiPoint: {enabled: [{name: A}, {name: B}]}, filter: {disabled: [{name: B}]}");
  EXPECT_EQ(resolved.at(Point::kFilter), "A");
  EXPECT_EQ(resolved.at(Point::kScore), "A B");
}

TEST(Profile, SF_018_AllMayBeDisabledAtAPoint) {
  const Resolved resolved = resolve_plugins(
      "multiPoint: {enabled: [{name: A}]}, "
      "score: {disabled: [{name: '*'}], enabled: [{name: D}]}");
  EXPECT_EQ(resolved.at(Point::kScore), "D");
  EXPECT_EQ(resolved.at(Point::kFilter), "A");
}

TEST(Profile, SF_019_TheWeightOfThePointCounts) {
  const Resolved resolved = resolve_plugins(
      "multiPoint: {enabled: [{name: A, weight: 3}]}, score: {enabled: [{name: A, weight: 5}]}");
  EXPECT_EQ(resolved.at(Point::kScore), "A:5");
  EXPECT_EQ(resolve_plugins("multiPoint: {enabled: [{name: A, weight: 3}]}").at(Point::kScore),
            "A:3");
}

TEST(Profile, SF_020_ThoseNamedOnlyAtThePointComeLast) {
  const Resolved resolved = resolve_plugins(
      "multiPoint: {enabled: [{name: A}, {name: B}]}, score: {enabled: [{name: D}, {name: B}]}");
  EXPECT_EQ(resolved.at(Point::kScore), "B A D");
}

TEST(Profile, SF_021_NoWeightIsOne) {
  EXPECT_EQ(resolve_plugins("score: {enabled: [{name: A, weight: 0}]}").at(Point::kScore), "A");
}

TEST(Profile, SF_022_WeightsWhoseScoresDoNotFitAreAnError) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t weight : {kMax, kMax / 150, std::int64_t{-1}}) {
    RunnerHouse house;
    house.add("A", {Point::kScore, Point::kBind}, {}, weight);
    house.add("B", {Point::kScore}, {}, weight);
    EXPECT_FALSE(house.make().has_value()) << weight;
  }
  RunnerHouse house;
  house.add("A", {Point::kScore, Point::kBind}, {}, kMax / 100);
  EXPECT_TRUE(house.make().has_value());
}

TEST(Profile, SF_023_APluginThatDoesNotExistIsAnError) {
  EXPECT_THAT(resolve_plugins("score: {enabled: [{name: E}]}").problems(),
              ElementsAre("4: profiles[0].plugins.score.enabled[0]: plugin \"E\" does not exist"));
  EXPECT_THAT(resolve_plugins("score: {disabled: [{name: E}]}").problems(),
              ElementsAre(HasSubstr("plugin \"E\" does not exist")));
  RunnerHouse house;
  house.profile.at[static_cast<std::size_t>(Point::kBind)].push_back({.name = "E"});
  EXPECT_THAT(house.make().error().text(), HasSubstr("there is no plugin \"E\""));
}

TEST(Profile, SF_024_ProfilesAgreeOnHowTheQueueIsSorted) {
  const std::string other =
      "profiles:\n"
      "- schedulerName: a\n"
      "- schedulerName: b\n"
      "  plugins: {queueSort: {disabled: [{name: '*'}], enabled: [{name: OtherSort}]}}\n";
  EXPECT_THAT(resolve(other).problems(),
              ElementsAre("5: profiles[1].plugins.queueSort: differs from that of the first "
                          "profile; all share one queue"));
  const auto with_size = [](const std::string& a, const std::string& b) {
    return resolve(
               "profiles:\n"
               "- schedulerName: a\n"
               "  pluginConfig: [{name: Sort, args: {size: " +
               a +
               "}}]\n"
               "- schedulerName: b\n"
               "  pluginConfig: [{name: Sort, args: {size: " +
               b + "}}]\n")
        .problems();
  };
  EXPECT_THAT(with_size("1", "1"), IsEmpty());
  EXPECT_THAT(with_size("1", "2"), ElementsAre(HasSubstr("differs from that of the first")));
}

TEST(Profile, SF_025_ProfilesHaveDifferentNames) {
  EXPECT_THAT(resolve("profiles:\n- {}\n- {}\n").problems(),
              ElementsAre("5: profiles[1].schedulerName: \"default-scheduler\" is the name of an "
                          "earlier profile"));
}

TEST(Profile, SF_026_AProfileHasANameAndPlugins) {
  EXPECT_THAT(resolve("profiles:\n- schedulerName: ''\n").problems(),
              ElementsAre("4: profiles[0].schedulerName: is empty"));
  EXPECT_THAT(resolve_plugins("multiPoint: {disabled: [{name: '*'}]}").problems(),
              ElementsAre(HasSubstr("plugins.bind"), HasSubstr("plugins.queueSort")));
}

// Section 11.2.
TEST(Profile, DefaultsKeepTheirPlaceAndOthersComeBehind) {
  Registry registry;
  for (const PluginEntry& each : {entry("Sort", {Point::kQueueSort}, true),
                                  entry("A", kFilterAndScore, true),
                                  entry("B", kFilterAndScore, true),
                                  entry("C", kFilterAndScore),
                                  entry("Binder", {Point::kBind}, true)}) {
    EXPECT_TRUE(registry.add(each).has_value());
  }
  const auto score = [&registry](const std::string& multi_point) {
    return resolve("profiles: [{plugins: {multiPoint: {" + multi_point + "}}}]", registry)
        .at(Point::kScore);
  };
  EXPECT_EQ(score(""), "A B");
  EXPECT_EQ(score("enabled: [{name: C}, {name: B, weight: 7}]"), "A B:7 C");
  EXPECT_EQ(score("disabled: [{name: A}]"), "B");
  // Disabled and enabled: no longer where the default was.
  EXPECT_EQ(score("disabled: [{name: A}], enabled: [{name: A}]"), "B A");
}

TEST(Profile, ArgumentsOfAPluginThatIsNotAskedAreCheckedAndHaveNoEffect) {
  const Resolved good = resolve("profiles: [{pluginConfig: [{name: A, args: {size: 1}}]}]");
  EXPECT_THAT(good.problems(), IsEmpty());
  EXPECT_EQ(good.reading.remarks.sorted().at(0).text,
            "profiles[0].pluginConfig[0]: has no effect: plugin \"A\" is not enabled");
  EXPECT_THAT(resolve("profiles: [{pluginConfig: [{name: A, args: {size: 10}}]}]").problems(),
              ElementsAre(HasSubstr("args.size: 10 is not between 0 and 9")));
}

TEST(Profile, ArgumentsMaySayWhatTheyAre) {
  const auto with = [](const std::string& args) {
    return resolve("profiles: [{pluginConfig: [{name: Binder, args: {" + args + "}}]}]").problems();
  };
  EXPECT_THAT(with("kind: BinderArgs, apiVersion: kubescheduler.config.k8s.io/v1"), IsEmpty());
  EXPECT_THAT(with("kind: OtherArgs"), ElementsAre(HasSubstr("not BinderArgs")));
  EXPECT_THAT(with("apiVersion: v2"), ElementsAre(HasSubstr("args.apiVersion: is \"v2\"")));
}

TEST(Profile, TheDefaultTextMeansTheDefaults) {
  const Registry registry = few_plugins();
  ConfigReading reading = read_config(default_config_text(registry));
  const std::vector<Profile> profiles = resolve_profiles(reading, registry);
  EXPECT_TRUE(reading.problems.empty());
  EXPECT_EQ(profiles.at(0).plugins(registry), (std::vector<std::string>{"Sort", "Binder"}));
}

TEST(Registry, RefusesANameTwice) {
  Registry registry = few_plugins();
  const auto again = registry.add(entry("A", kFilterAndScore));
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code(), ErrorCode::kExists);
  EXPECT_FALSE(registry.add(entry("", kFilterAndScore)).has_value());
}

TEST(Registry, MergesWhatDoesNotOverlap) {
  Registry registry = few_plugins();
  EXPECT_FALSE(registry.merge(few_plugins()).has_value());
  EXPECT_EQ(registry.entries().size(), 7U);
  Registry other;
  ASSERT_TRUE(other.add(entry("Own", kFilterAndScore)).has_value());
  ASSERT_TRUE(registry.merge(std::move(other)).has_value());
  EXPECT_EQ(registry.entries().back().name, "Own");
}

}  // namespace
}  // namespace berth::framework
