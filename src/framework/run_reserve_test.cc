// Reserve, Unreserve and Permit, as catalogues 20.E and 20.F have them; queueing hints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "base/error.h"
#include "base/result.h"
#include "framework/bind_context.h"
#include "framework/cluster_event.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/runner.h"
#include "framework/status.h"
#include "framework/testing/runner_house.h"
#include "framework/testing/scripted.h"

namespace berth::framework {
namespace {

using std::chrono::seconds;
using testing::broken;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::no;
using testing::RunnerHouse;

constexpr Points kReserve{Point::kReserve};
constexpr Points kPermit{Point::kPermit};

TEST(RunReserve, ThePartsOfAllMakeTheContext) {
  RunnerHouse house;
  house.add("R1", kReserve, {.reserve = [] { return Reserved{.status = {}, .part = "one"}; }});
  house.add("R2", kReserve, {});
  house.add("R3", kReserve, {.reserve = [] { return Reserved{.status = {}, .part = "three"}; }});
  const ReserveOutcome outcome = house.runner().reserve(house.cycle(), 1);
  ASSERT_TRUE(outcome.status.is_success());
  EXPECT_EQ(outcome.context->node, "n1");
  EXPECT_EQ(outcome.context->pod, house.the_pod);
  EXPECT_EQ(outcome.context->part_of("R1"), "one");
  EXPECT_EQ(outcome.context->part_of("R2"), "");
  EXPECT_EQ(outcome.context->part_of("R3"), "three");
}

TEST(RunReserve, SF_080_WhenReserveFailsAllGiveBackLastToFirst) {
  RunnerHouse house;
  house.add("R1", kReserve, {});
  house.add("R2", kReserve, {.reserve = [] { return Reserved{.status = broken()}; }});
  house.add("R3", kReserve, {});
  const ReserveOutcome outcome = house.runner().reserve(house.cycle(), 0);
  EXPECT_EQ(outcome.status.message(), "running Reserve plugin \"R2\": broken");
  EXPECT_EQ(outcome.context, nullptr);
  EXPECT_THAT(
      house.log,
      ElementsAre("R1.Reserve", "R2.Reserve", "R3.Unreserve", "R2.Unreserve", "R1.Unreserve"));
}

TEST(RunReserve, SF_081_ARejectionKeepsCodeAndPlugin) {
  RunnerHouse house;
  house.add("R1", kReserve, {.reserve = [] { return Reserved{.status = no()}; }});
  house.add("R2", kReserve, {});
  EXPECT_EQ(house.runner().reserve(house.cycle(), 0).status, no().from("R1"));
  EXPECT_THAT(house.log, ElementsAre("R1.Reserve", "R2.Unreserve", "R1.Unreserve"));
}

TEST(RunReserve, SF_084_UnreserveComesWithoutReserve) {
  RunnerHouse house;
  house.add("R1", kReserve, {});
  house.add("R2", kReserve, {});
  const Cycle cycle = house.cycle();
  house.runner().unreserve({.pod = cycle.pod, .node = "n0", .state = cycle.state});
  EXPECT_THAT(house.log, ElementsAre("R2.Unreserve", "R1.Unreserve"));
}

// What a plugin has to do for SF-084 and SF-085: its slot tells whether there is anything to give
// back.
TEST(RunReserve, SF_085_UnreserveTwiceGivesBackOnce) {
  StateLayout layout;
  const Slot<int> held(layout);
  CycleState state(layout);
  int free = 10;
  const auto unreserve = [&] {
    if (const int* count = state.find(held)) {
      free += *count;
      state.erase(held);
    }
  };
  state.put(held, 3);
  free -= 3;
  unreserve();
  unreserve();
  EXPECT_EQ(free, 10);
}

TEST(RunReserve, AnUnreserveThatThrowsDoesNotKeepOthersFromGivingBack) {
  RunnerHouse house;
  house.add("R1", kReserve, {});
  house.add("R2", kReserve, {.unreserve = [] { std::vector<int>().at(1); }});
  const Cycle cycle = house.cycle();
  house.runner().unreserve({.pod = cycle.pod, .node = "n0", .state = cycle.state});
  EXPECT_THAT(house.log, ElementsAre("R2.Unreserve", "R1.Unreserve"));
}

TEST(RunReserve, APartThatIsTooLongIsAnError) {
  RunnerHouse house;
  house.add("R1", kReserve, {.reserve = [] {
              return Reserved{.status = {},
                              .part = std::string(RecordedContext::kPartTextMax + 1, 'x')};
            }});
  const Status status = house.runner().reserve(house.cycle(), 0).status;
  EXPECT_THAT(status.message(), HasSubstr("running Reserve plugin \"R1\": its part"));
  EXPECT_THAT(house.log, ElementsAre("R1.Reserve", "R1.Unreserve"));
}

TEST(RunPermit, SF_090_WithoutPluginsItIsGiven) {
  RunnerHouse house;
  EXPECT_TRUE(house.runner().permit(house.cycle(), 0).is_success());
}

TEST(RunPermit, SF_091_ARejectionEndsIt) {
  RunnerHouse house;
  house.add("P1", kPermit, {.permit = [] { return Permitted{.status = no()}; }});
  house.add("P2", kPermit, {});
  EXPECT_EQ(house.runner().permit(house.cycle(), 0), no().from("P1"));
  EXPECT_THAT(house.log, ElementsAre("P1.Permit"));
}

TEST(RunPermit, SF_092_AnErrorNamesItsPlugin) {
  RunnerHouse house;
  house.add("P1", kPermit, {.permit = [] { return Permitted{.status = broken()}; }});
  EXPECT_EQ(house.runner().permit(house.cycle(), 0).message(),
            "running Permit plugin \"P1\": broken");
}

Permitted wait_for(seconds time) {
  return {.status = Status::wait(), .timeout = time};
}

TEST(RunPermit, SF_093_APodWaitsForThoseWhoSaidSo) {
  RunnerHouse house;
  house.add("P1", kPermit, {.permit = [] { return wait_for(seconds(10)); }});
  house.add("P2", kPermit, {});
  EXPECT_TRUE(house.runner().permit(house.cycle(), 0).is_wait());
  EXPECT_THAT(house.waiting.awaited_by("uid-web"), ElementsAre("P1"));
}

TEST(RunPermit, SF_095_ARejectionAfterAWaitLeavesNothingWaiting) {
  RunnerHouse house;
  house.add("P1", kPermit, {.permit = [] { return wait_for(seconds(10)); }});
  house.add("P2", kPermit, {.permit = [] { return Permitted{.status = no()}; }});
  EXPECT_EQ(house.runner().permit(house.cycle(), 0), no().from("P2"));
  EXPECT_FALSE(house.waiting.is_waiting("uid-web"));
}

// A node that was added.
ClusterEvent node_event(Actions actions) {
  return {.actions = actions,
          .object =
              Changed<api::Node>{.before = nullptr, .after = std::make_shared<const api::Node>()}};
}

Hint hint(RunnerHouse& house, const ClusterEvent& event) {
  const std::array<std::string, 1> rejectors{"P1"};
  return house.runner().hint(rejectors, *house.the_pod, event);
}

TEST(RunHints, SF_211_AnErrorCountsAsQueue) {
  RunnerHouse house;
  house.add("P1", kPermit, {.hint = []() -> Result<Hint> {
              return Error(ErrorCode::kInternal, "broken");
            }});
  EXPECT_EQ(hint(house, node_event(Action::kAdd)), Hint::kQueue);
}

TEST(RunHints, SF_212_APluginThatGivesNoHintsIsInterestedInEverything) {
  RunnerHouse house;
  const std::array<std::string, 1> unknown{"gone"};
  EXPECT_EQ(house.runner().hint(unknown, *house.the_pod, node_event(Action::kAdd)), Hint::kQueue);
}

TEST(RunHints, SF_213_OnlyThoseWhoRejectedThePodAreAsked) {
  RunnerHouse house;
  house.add("P1", kPermit, {});
  house.add("P2", kPermit, {.hint = []() -> Result<Hint> { return Hint::kQueue; }});
  EXPECT_EQ(hint(house, node_event(Action::kAdd)), Hint::kSkip);
  EXPECT_THAT(house.log, ElementsAre("P1.Hint"));
}

TEST(RunHints, SF_214_WhenNobodyKnowsWhatChangedThePodIsLookedAtAgain) {
  RunnerHouse house;
  house.add("P1", kPermit, {});
  EXPECT_EQ(hint(house, {}), Hint::kQueue);
  EXPECT_THAT(house.log, IsEmpty());
}

TEST(RunHints, SF_216_AnInterestInAllUpdatesCoversTheFineOnes) {
  RunnerHouse house;
  house.add("P1",
            kPermit,
            {.hint = []() -> Result<Hint> { return Hint::kQueue; },
             .interests = {{.resource = Resource::kNode, .actions = Actions::updates()}}});
  EXPECT_EQ(hint(house, node_event(Action::kUpdateNodeTaint)), Hint::kQueue);
  EXPECT_EQ(hint(house, node_event(Action::kAdd)), Hint::kSkip);
  EXPECT_EQ(
      hint(house,
           {.actions = Action::kUpdateOther,
            .object =
                Changed<api::PersistentVolume>{
                    .before = nullptr, .after = std::make_shared<const api::PersistentVolume>()}}),
      Hint::kSkip);
}

}  // namespace
}  // namespace berth::framework
