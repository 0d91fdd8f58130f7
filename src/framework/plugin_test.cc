#include "framework/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/node_set.h"
#include "base/result.h"
#include "framework/fields.h"
#include "framework/points.h"
#include "framework/registry.h"
#include "framework/runner.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "framework/testing/runner_house.h"
#include "framework/testing/scripted.h"

namespace berth::framework {
namespace {

using testing::FewNodes;
using ::testing::HasSubstr;
using testing::no;
using testing::RunnerHouse;

// Lets nodes pass whose number is even, and as many as its arguments say.
class EvenNodes final : public Plugin, public PerNodeFilter {
 public:
  static constexpr std::string_view kName = "EvenNodes";
  struct Args {
    std::size_t limit = 100;
    static Args read(Fields& fields) {
      return {.limit =
                  static_cast<std::size_t>(fields.integer("limit", 100, {.min = 0, .max = 1000}))};
    }
  };

  EvenNodes(Args args, Status otherwise) : args_(args), otherwise_(std::move(otherwise)) {}

 private:
  Status check(const Cycle&, std::size_t node) override {
    return node % 2 == 0 && node < args_.limit ? Status() : otherwise_;
  }

  Args args_;
  Status otherwise_;
};
static_assert(points_of<EvenNodes>() == Points{Point::kFilter});
static_assert(points_of<testing::Scripted>().has(Point::kQueueingHint));
static_assert(!points_of<EvenNodes>().has(Point::kPreFilter));

Registry::Make<EvenNodes> maker(Status otherwise) {
  return [otherwise](EvenNodes::Args args, PluginSetup&) -> Result<std::unique_ptr<Plugin>> {
    return std::unique_ptr<Plugin>(std::make_unique<EvenNodes>(args, otherwise));
  };
}

TEST(PerNodeFilter, AsksNodeByNodeAndExplainsInTheSameWords) {
  RunnerHouse house(5);
  ASSERT_TRUE(house.plugins.add<EvenNodes>({}, maker(no())).has_value());
  house.profile.at[static_cast<std::size_t>(Point::kFilter)] = {{.name = "EvenNodes"}};
  const FilterOutcome found = house.find_nodes();
  EXPECT_EQ(found.nodes, house.snapshot.some({0, 2, 4}));
  EXPECT_EQ(found.diagnosis.status_of(3), no().from("EvenNodes"));
}

TEST(PerNodeFilter, AnErrorOfOneNodeIsOneOfAllAndNamesIt) {
  RunnerHouse house(3);
  ASSERT_TRUE(house.plugins.add<EvenNodes>({}, maker(testing::broken())).has_value());
  house.profile.at[static_cast<std::size_t>(Point::kFilter)] = {{.name = "EvenNodes"}};
  EXPECT_EQ(house.find_nodes().status.message(),
            "running \"EvenNodes\" filter plugin: node n1: broken");
}

TEST(PerNodeFilter, ACodeThatMeansNothingHereIsAnError) {
  RunnerHouse house(3);
  ASSERT_TRUE(house.plugins.add<EvenNodes>({}, maker(Status::skip())).has_value());
  house.profile.at[static_cast<std::size_t>(Point::kFilter)] = {{.name = "EvenNodes"}};
  EXPECT_THAT(house.find_nodes().status.message(), HasSubstr("node n1: answered Skip"));
}

// As a file gives them.
ConfigValue arguments(const std::string& text) {
  std::shared_ptr<const api::yaml::Document> kept;
  api::yaml::for_each_document(text, [&kept](Result<api::yaml::Document> document, std::size_t) {
    kept = std::make_shared<const api::yaml::Document>(*std::move(document));
    return false;
  });
  return {kept, 0};
}

TEST(Registry, APluginIsMadeWithItsArguments) {
  RunnerHouse house(5);
  ASSERT_TRUE(house.plugins.add<EvenNodes>({}, maker(no())).has_value());
  house.profile.at[static_cast<std::size_t>(Point::kFilter)] = {{.name = "EvenNodes"}};
  house.profile.arguments.emplace("EvenNodes", arguments("limit: 1"));
  EXPECT_EQ(house.find_nodes().nodes, house.snapshot.some({0}));
}

TEST(Registry, ArgumentsThatAreWrongKeepItFromBeingMade) {
  RunnerHouse house;
  house.add("binder", {Point::kBind}, {});
  ASSERT_TRUE(house.plugins.add<EvenNodes>({}, maker(no())).has_value());
  house.profile.at[static_cast<std::size_t>(Point::kFilter)] = {{.name = "EvenNodes"}};
  house.profile.arguments.emplace("EvenNodes", arguments("limt: 1"));
  EXPECT_EQ(house.make().error().text(),
            "profile \"test\": making plugin \"EvenNodes\": line 1: arguments of EvenNodes.limt: "
            "there is no such field");
}

TEST(Registry, APluginThatIsOnlyKnownIsNotMade) {
  RunnerHouse house;
  house.add("binder", {Point::kBind}, {});
  ASSERT_TRUE(house.plugins.add<EvenNodes>({}).has_value());
  house.profile.at[static_cast<std::size_t>(Point::kFilter)] = {{.name = "EvenNodes"}};
  EXPECT_THAT(house.make().error().text(), HasSubstr("this program cannot make it"));
}

TEST(Points, HaveTheNamesOfMetricsAndFiles) {
  EXPECT_EQ(name_of(Point::kPreFilter), "PreFilter");
  EXPECT_EQ(name_of(Point::kNormalise), "ScoreExtensionNormalize");
  EXPECT_EQ(name_of(Point::kRollback), "Rollback");
  EXPECT_EQ(config_key(Point::kPostBind), "postBind");
  EXPECT_EQ(config_key(Point::kUnreserve), "");
}

TEST(Metrics, EveryCallIsTimedAndCountedUnderUpstreamsNames) {
  RunnerHouse house;
  house.add("P1", {Point::kPreFilter, Point::kFilter}, {.pre_filter = [](const Cycle&) {
              return PreFiltered{Status::skip()};
            }});
  house.add("P2", {Point::kFilter}, {});
  static_cast<void>(house.find_nodes());
  const std::string text = house.metrics_registry.render();
  EXPECT_THAT(text,
              HasSubstr("scheduler_framework_extension_point_duration_seconds_count{"
                        "extension_point=\"Filter\",status=\"Success\",profile=\"test\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("scheduler_plugin_execution_duration_seconds_count{plugin=\"P1\","
                        "extension_point=\"PreFilter\",status=\"Skip\"} 1\n"));
  // SF-261: one for each plugin that is asked, none for one that is skipped.
  EXPECT_THAT(text,
              HasSubstr("scheduler_plugin_evaluation_total{plugin=\"P2\","
                        "extension_point=\"Filter\",profile=\"test\"} 1\n"));
  EXPECT_THAT(text,
              ::testing::Not(HasSubstr("scheduler_plugin_evaluation_total{plugin=\"P1\","
                                       "extension_point=\"Filter\"")));
}

}  // namespace
}  // namespace berth::framework
