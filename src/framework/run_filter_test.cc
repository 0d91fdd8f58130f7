// PreFilter, Filter and PostFilter, as catalogue 20.C has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "framework/diagnosis.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/runner.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "framework/testing/runner_house.h"
#include "framework/testing/scripted.h"

namespace berth::framework {
namespace {

using testing::broken;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kNo;
using testing::never;
using testing::no;
using testing::pod;
using testing::RunnerHouse;
using ::testing::UnorderedElementsAre;

constexpr Points kBoth{Point::kPreFilter, Point::kFilter};

Status skip() {
  return Status::skip();
}

TEST(RunFilter, SF_030_APluginThatSkipsPreFilterIsNotAskedAtFilter) {
  RunnerHouse house;
  house.add("P1", kBoth, {.pre_filter = [](const Cycle&) { return PreFiltered{skip()}; }});
  house.add("P2", kBoth, {});
  EXPECT_EQ(house.find_nodes().nodes.count(), 3U);
  EXPECT_THAT(house.log, ElementsAre("P1.PreFilter", "P2.PreFilter", "P2.Filter"));
}

TEST(RunFilter, SF_031_AllMaySkip) {
  RunnerHouse house;
  for (const char* name : {"P1", "P2"}) {
    house.add(name, kBoth, {.pre_filter = [](const Cycle&) { return PreFiltered{skip()}; }});
  }
  const FilterOutcome found = house.find_nodes();
  EXPECT_TRUE(found.status.is_success());
  EXPECT_EQ(found.nodes.count(), 3U);
  EXPECT_THAT(house.log, ElementsAre("P1.PreFilter", "P2.PreFilter"));
}

TEST(RunFilter, SF_032_AnUnresolvablePreFilterEndsIt) {
  RunnerHouse house;
  house.add("P1", kBoth, {.pre_filter = [](const Cycle&) { return PreFiltered{never()}; }});
  house.add("P2", kBoth, {});
  const Cycle cycle = house.cycle();
  const PreFilterOutcome outcome = house.runner().pre_filter(cycle);
  EXPECT_EQ(outcome.status, never().from("P1"));
  EXPECT_THAT(house.log, ElementsAre("P1.PreFilter"));
  // Every node carries it, and no Filter is asked.
  const FilterOutcome found = house.runner().filter(cycle, outcome, {});
  EXPECT_TRUE(found.status.is_success());
  EXPECT_TRUE(found.nodes.none());
  EXPECT_EQ(found.diagnosis.status_of(2), never().from("P1"));
  EXPECT_EQ(found.diagnosis.text(""), "0/3 nodes are available: no.");
}

TEST(RunFilter, SF_033_AfterAnUnschedulablePreFilterTheOthersAreStillAsked) {
  RunnerHouse house;
  house.add("P1", kBoth, {.pre_filter = [](const Cycle&) { return PreFiltered{no()}; }});
  house.add("P2", kBoth, {});
  EXPECT_EQ(house.runner().pre_filter(house.cycle()).status, no().from("P1"));
  EXPECT_THAT(house.log, ElementsAre("P1.PreFilter", "P2.PreFilter"));
}

TEST(RunFilter, OfSeveralUnschedulablePreFiltersTheLastIsReported) {
  RunnerHouse house;
  for (const char* name : {"P1", "P2"}) {
    house.add(name, kBoth, {.pre_filter = [](const Cycle&) { return PreFiltered{no()}; }});
  }
  EXPECT_EQ(house.runner().pre_filter(house.cycle()).status, no().from("P2"));
}

TEST(RunFilter, SF_034_UnresolvableWinsOverUnschedulable) {
  RunnerHouse house;
  house.add("P1", kBoth, {.pre_filter = [](const Cycle&) { return PreFiltered{no()}; }});
  house.add("P2", kBoth, {.pre_filter = [](const Cycle&) { return PreFiltered{never()}; }});
  EXPECT_EQ(house.runner().pre_filter(house.cycle()).status, never().from("P2"));
}

TEST(RunFilter, SF_035_AnErrorOfPreFilterNamesItsPlugin) {
  RunnerHouse house;
  house.add("P1", kBoth, {.pre_filter = [](const Cycle&) { return PreFiltered{broken()}; }});
  const FilterOutcome found = house.find_nodes();
  EXPECT_TRUE(found.status.is_error());
  EXPECT_EQ(found.status.message(), "running PreFilter plugin \"P1\": broken");
}

TEST(RunFilter, PendingMeansNothingAtPreFilter) {
  RunnerHouse house;
  house.add("P1", kBoth, {.pre_filter = [](const Cycle&) {
              return PreFiltered{Status::pending({.kind = kNo, .values = {}})};
            }});
  const Status status = house.runner().pre_filter(house.cycle()).status;
  EXPECT_TRUE(status.is_error());
  EXPECT_THAT(status.message(), HasSubstr("it answered Pending"));
}

TEST(RunFilter, SF_036_OnlyNodesThatAllPreFiltersLeaveAreFiltered) {
  RunnerHouse house(4);
  const auto& nodes = house.snapshot;
  house.add("P1", kBoth, {.pre_filter = [&nodes](const Cycle&) {
              return PreFiltered{.status = {}, .nodes = nodes.some({1, 2})};
            }});
  NodeSet asked;
  house.add("P2",
            kBoth,
            {.pre_filter =
                 [&nodes](const Cycle&) {
                   return PreFiltered{.status = {}, .nodes = nodes.some({2, 3})};
                 },
             .filter =
                 [&asked](const Cycle&, const NodeSet& candidates) {
                   asked = candidates;
                   return Filtered{.status = {}, .nodes = candidates};
                 }});
  const FilterOutcome found = house.find_nodes();
  EXPECT_EQ(asked, nodes.some({2}));
  EXPECT_EQ(found.nodes, nodes.some({2}));
  EXPECT_EQ(found.diagnosis.status_of(0).code(), Code::kUnresolvable);
  EXPECT_EQ(found.diagnosis.status_of(0).plugin(), "P1");
  EXPECT_EQ(found.diagnosis.status_of(1).plugin(), "P2");
  EXPECT_EQ(found.diagnosis.status_of(3).message(), "node(s) didn't satisfy plugin(s) [P1 P2]");
  EXPECT_TRUE(found.diagnosis.status_of(2).is_success());
  EXPECT_TRUE(found.diagnosis.resolvable().none());
}

TEST(RunFilter, SF_037_PreFiltersThatLeaveNoNodeTogetherAreBothNamed) {
  RunnerHouse house;
  const auto& nodes = house.snapshot;
  house.add("P1", kBoth, {.pre_filter = [&nodes](const Cycle&) {
              return PreFiltered{.status = {}, .nodes = nodes.some({1})};
            }});
  house.add("P2", kBoth, {.pre_filter = [&nodes](const Cycle&) {
              return PreFiltered{.status = {}, .nodes = nodes.some({2})};
            }});
  const Status status = house.runner().pre_filter(house.cycle()).status;
  EXPECT_EQ(status.code(), Code::kUnresolvable);
  EXPECT_EQ(status.message(), "node(s) didn't satisfy plugin(s) [P1 P2] simultaneously");
}

TEST(RunFilter, SF_038_APreFilterThatLeavesNoNodeIsNamedAlone) {
  RunnerHouse house;
  const auto& nodes = house.snapshot;
  house.add("P1", kBoth, {.pre_filter = [&nodes](const Cycle&) {
              return PreFiltered{.status = {}, .nodes = nodes.some({})};
            }});
  house.add("P2", kBoth, {});
  const Status status = house.runner().pre_filter(house.cycle()).status;
  EXPECT_EQ(status.code(), Code::kUnresolvable);
  EXPECT_EQ(status.message(), "node(s) didn't satisfy plugin P1");
}

TEST(RunFilter, SF_039_ANodeThatIsRefusedIsNotShownToTheNext) {
  RunnerHouse house(2);
  house.add("P1", {Point::kFilter}, {.check = [](std::size_t node) {
              return node == 0 ? no() : Status();
            }});
  NodeSet asked;
  house.add("P2", {Point::kFilter}, {.filter = [&asked](const Cycle&, const NodeSet& candidates) {
              asked = candidates;
              return Filtered{.status = {}, .nodes = candidates};
            }});
  const FilterOutcome found = house.find_nodes();
  EXPECT_EQ(asked, house.snapshot.some({1}));
  EXPECT_EQ(found.nodes, house.snapshot.some({1}));
  EXPECT_EQ(found.diagnosis.status_of(0), no().from("P1"));
  EXPECT_EQ(found.diagnosis.resolvable(), house.snapshot.some({0}));
}

TEST(RunFilter, NobodyIsAskedAboutNoNodes) {
  RunnerHouse house;
  house.add("P1", {Point::kFilter}, {.check = [](std::size_t) { return no(); }});
  house.add("P2", {Point::kFilter}, {});
  EXPECT_TRUE(house.find_nodes().nodes.none());
  EXPECT_THAT(house.log, ElementsAre("P1.Filter"));
}

TEST(RunFilter, SF_040_AnErrorOfFilterFailsTheCycleThoughOtherNodesFit) {
  RunnerHouse house;
  house.add("P1", {Point::kFilter}, {.filter = [](const Cycle&, const NodeSet& candidates) {
              return Filtered{.status = broken(), .nodes = candidates};
            }});
  const FilterOutcome found = house.find_nodes();
  EXPECT_TRUE(found.status.is_error());
  EXPECT_EQ(found.status.message(), "running \"P1\" filter plugin: broken");
  EXPECT_EQ(found.status.plugin(), "P1");
  EXPECT_TRUE(found.nodes.none());
}

TEST(RunFilter, SF_041_AFilterThatIsToBeSkippedIsNotAsked) {
  RunnerHouse house;
  house.add("P1", {Point::kFilter}, {});
  const Cycle cycle = house.cycle();
  house.state->skips_filter.set(0);
  house.runner().filter(cycle, house.runner().pre_filter(cycle), {});
  EXPECT_THAT(house.log, IsEmpty());
}

// A pod nominated for node 0.
FilterOutcome find_beside(RunnerHouse& house, const PodPtr& nominated) {
  const std::array others{NominatedPod{.pod = nominated, .node = 0}};
  return house.find_nodes(others);
}

TEST(RunFilter, SF_042_WithoutNominatedPodsThereIsOnePass) {
  RunnerHouse house(1);
  house.add("P1", kBoth, {});
  house.find_nodes();
  EXPECT_THAT(house.log, ElementsAre("P1.PreFilter", "P1.Filter"));
}

TEST(RunFilter, SF_043_ANodeWithANominatedPodMustPassWithItAndWithout) {
  RunnerHouse house(2);
  std::vector<std::size_t> pods_seen;
  house.add("P1", kBoth, {.filter = [&pods_seen](const Cycle& cycle, const NodeSet& candidates) {
              pods_seen.push_back(cycle.snapshot.node(0).pods.size());
              return Filtered{.status = {}, .nodes = candidates};
            }});
  const FilterOutcome found = find_beside(house, pod("other", 10));
  EXPECT_EQ(found.nodes.count(), 2U);
  EXPECT_THAT(house.log, ElementsAre("P1.PreFilter", "P1.AddPod", "P1.Filter", "P1.Filter"));
  EXPECT_THAT(pods_seen, ElementsAre(1, 0));
}

TEST(RunFilter, ASuppositionDoesNotLeakIntoTheCycle) {
  RunnerHouse house(1);
  house.add("P1", kBoth, {.add_pod = [](const Cycle& cycle, const PodPtr&) {
              cycle.state.skips_score.set(7);
              return Status();
            }});
  find_beside(house, pod("other", 10));
  EXPECT_TRUE(house.state->skips_score.none());
}

TEST(RunFilter, SF_044_AnAddPodThatFailsIsAnError) {
  RunnerHouse house(1);
  house.add("P1", kBoth, {.add_pod = [](const Cycle&, const PodPtr&) { return broken(); }});
  const Status status = find_beside(house, pod("other", 10)).status;
  EXPECT_TRUE(status.is_error());
  EXPECT_EQ(status.message(), "running PreFilterExtensionAddPod plugin \"P1\": broken");
}

TEST(RunFilter, SF_045_ANodeThatFailsWithTheNominatedPodIsNotAskedWithout) {
  RunnerHouse house(1);
  house.add("P1", kBoth, {.check = [](std::size_t) { return no(); }});
  const FilterOutcome found = find_beside(house, pod("other", 10));
  EXPECT_TRUE(found.status.is_success());
  EXPECT_TRUE(found.nodes.none());
  EXPECT_EQ(found.diagnosis.status_of(0), no().from("P1"));
  EXPECT_THAT(house.log, ElementsAre("P1.PreFilter", "P1.AddPod", "P1.Filter"));
}

TEST(RunFilter, SF_046_NominatedPodsOfLowerPriorityAndThePodItselfDoNotCount) {
  RunnerHouse house(1);
  house.the_pod = pod("web", 5);
  house.add("P1", kBoth, {});
  find_beside(house, pod("other", 4));
  find_beside(house, pod("web", 9));
  EXPECT_THAT(house.log, ElementsAre("P1.PreFilter", "P1.Filter", "P1.PreFilter", "P1.Filter"));
}

TEST(RunFilter, SF_051_APluginThatSaysPendingIsNotAmongTheUnschedulableOnes) {
  RunnerHouse house(2);
  house.add("P1", {Point::kFilter}, {.check = [](std::size_t node) {
              return node == 0 ? no() : Status();
            }});
  house.add("P2", {Point::kFilter}, {.check = [](std::size_t) {
              return Status::pending({.kind = kNo, .values = {}});
            }});
  const ReasonCounts counts = house.find_nodes().diagnosis.count_reasons();
  EXPECT_THAT(counts.unschedulable_plugins, UnorderedElementsAre("P1"));
  EXPECT_THAT(counts.pending_plugins, UnorderedElementsAre("P2"));
}

TEST(RunFilter, TheReasonsOfAllNodesAreCounted) {
  constexpr ReasonKind kFew{.id = "Few", .text = "Insufficient {}"};
  RunnerHouse house(12);
  house.add("P1", {Point::kFilter}, {.check = [&kFew](std::size_t node) {
              std::vector<Reason> reasons{{.kind = kFew, .values = {{"resource", "cpu"}}}};
              if (node < 2) {
                reasons.push_back({.kind = kFew, .values = {{"resource", "memory"}}});
              }
              return Status::with_reasons(Code::kUnschedulable, reasons);
            }});
  EXPECT_EQ(house.find_nodes().diagnosis.text("preemption: not helpful"),
            "0/12 nodes are available: 12 Insufficient cpu, 2 Insufficient memory. "
            "preemption: not helpful");
}

TEST(RunFilter, SF_052_TheFirstPostFilterThatSucceedsNominates) {
  RunnerHouse house;
  house.add("P1", {Point::kPostFilter}, {.post_filter = [](const Diagnosis&) {
              return PostFiltered{.status = {}, .nominated_node = "n1"};
            }});
  house.add("P2", {Point::kPostFilter}, {});
  const PostFiltered outcome = house.runner().post_filter(house.cycle(), {});
  EXPECT_TRUE(outcome.status.is_success());
  EXPECT_EQ(outcome.nominated_node, "n1");
  EXPECT_THAT(house.log, ElementsAre("P1.PostFilter"));
}

TEST(RunFilter, SF_053_AnUnschedulablePostFilterLeavesItToTheNext) {
  RunnerHouse house;
  house.add("P1", {Point::kPostFilter}, {.post_filter = [](const Diagnosis&) {
              return PostFiltered{.status = no()};
            }});
  house.add("P2", {Point::kPostFilter}, {.post_filter = [](const Diagnosis&) {
              return PostFiltered{.status = {}, .nominated_node = "n2"};
            }});
  const PostFiltered outcome = house.runner().post_filter(house.cycle(), {});
  EXPECT_TRUE(outcome.status.is_success());
  EXPECT_EQ(outcome.nominated_node, "n2");
}

TEST(RunFilter, SF_054_AnUnresolvablePostFilterEndsIt) {
  RunnerHouse house;
  house.add("P1", {Point::kPostFilter}, {.post_filter = [](const Diagnosis&) {
              return PostFiltered{.status = never()};
            }});
  house.add("P2", {Point::kPostFilter}, {});
  EXPECT_EQ(house.runner().post_filter(house.cycle(), {}).status, never().from("P1"));
  EXPECT_THAT(house.log, ElementsAre("P1.PostFilter"));
}

TEST(RunFilter, SF_055_AnErrorOfPostFilterIsOne) {
  RunnerHouse house;
  house.add("P1", {Point::kPostFilter}, {.post_filter = [](const Diagnosis&) {
              return PostFiltered{.status = broken()};
            }});
  const Status status = house.runner().post_filter(house.cycle(), {}).status;
  EXPECT_EQ(status.message(), "running PostFilter plugin \"P1\": broken");
}

TEST(RunFilter, SF_056_ANominationStaysWhenLaterPostFiltersHaveNone) {
  RunnerHouse house;
  house.add("P1", {Point::kPostFilter}, {.post_filter = [](const Diagnosis&) {
              return PostFiltered{.status = no(), .nominated_node = "n1"};
            }});
  house.add("P2", {Point::kPostFilter}, {.post_filter = [](const Diagnosis&) {
              return PostFiltered{.status = no()};
            }});
  const PostFiltered outcome = house.runner().post_filter(house.cycle(), {});
  EXPECT_EQ(outcome.status.code(), Code::kUnschedulable);
  EXPECT_EQ(outcome.status.plugin(), "P1");
  EXPECT_EQ(outcome.status.message(), "no, no");
  EXPECT_EQ(outcome.nominated_node, "n1");
}

TEST(RunFilter, SF_057_WithoutNodesNothingIsAsked) {
  RunnerHouse house(0);
  house.add("P1", kBoth, {});
  const Status status = house.runner().pre_filter(house.cycle()).status;
  EXPECT_EQ(status.code(), Code::kUnresolvable);
  EXPECT_EQ(status.message(), "no nodes available to schedule pods");
  EXPECT_THAT(house.log, IsEmpty());
}

TEST(RunFilter, ThePodIsValidByAllWhoAreAsked) {
  RunnerHouse house;
  house.add("P1", kBoth, {});
  house.add("P2", kBoth, {.validate = no});
  house.add("P3", kBoth, {});
  EXPECT_EQ(house.runner().validate(*house.the_pod), no().from("P2"));
  EXPECT_THAT(house.log, ElementsAre("P1.Validate", "P2.Validate"));
}

}  // namespace
}  // namespace berth::framework
