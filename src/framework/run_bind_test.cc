// Preflight, PreBind, Rollback, Bind and PostBind, as catalogues 20.G and 20.H have them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "framework/cycle_state.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/runner.h"
#include "framework/status.h"
#include "framework/testing/runner_house.h"
#include "framework/testing/scripted.h"
#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::framework {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::at_once;
using testing::broken;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::no;
using testing::RunnerHouse;
using testing::Script;

constexpr Points kPreBind{Point::kPreBind};

Script parallel(bool is_skipped = false) {
  return {.preflight = [is_skipped] {
    return Preflighted{.status = is_skipped ? Status::skip() : Status(), .is_parallel = true};
  }};
}
Script serial(bool is_skipped = false) {
  return {.preflight = [is_skipped] {
    return Preflighted{.status = is_skipped ? Status::skip() : Status()};
  }};
}

TEST(RunPreflight, SF_110_WhenAllSkipThereIsNothingToDo) {
  RunnerHouse house;
  house.add("P1", kPreBind, serial(true));
  house.add("P2", kPreBind, parallel(true));
  const PreflightOutcome outcome = house.runner().preflight(house.context());
  EXPECT_TRUE(outcome.status.is_skip());
  EXPECT_THAT(outcome.groups, IsEmpty());
  house.log.clear();
  EXPECT_TRUE(
      house.await(house.runner().pre_bind(house.context(), outcome, {})).status.is_success());
  EXPECT_THAT(house.log, IsEmpty());
}

TEST(RunPreflight, SF_111_OnlyThoseWithWorkAreRun) {
  RunnerHouse house;
  house.add("P1", kPreBind, {});
  house.add("P2", kPreBind, serial(true));
  EXPECT_TRUE(house.runner().preflight(house.context()).status.is_success());
  house.log.clear();
  house.pre_bind();
  EXPECT_THAT(house.log, ElementsAre("P1.Preflight", "P2.Preflight", "P1.PreBind"));
}

TEST(RunPreflight, SF_112_AnErrorFailsIt) {
  RunnerHouse house;
  house.add("P1", kPreBind, {.preflight = [] { return Preflighted{.status = broken()}; }});
  house.add("P2", kPreBind, {});
  const PreflightOutcome outcome = house.runner().preflight(house.context());
  EXPECT_EQ(outcome.status.message(), "running PreBindPreFlight plugin \"P1\": broken");
  EXPECT_THAT(outcome.groups, IsEmpty());
}

TEST(RunPreflight, SF_113_ARejectionIsConvertedToAnError) {
  RunnerHouse house;
  house.add("P1", kPreBind, {.preflight = [] { return Preflighted{.status = no()}; }});
  const PreflightOutcome outcome = house.runner().preflight(house.context());
  EXPECT_TRUE(outcome.status.is_error());
  EXPECT_THAT(outcome.status.message(), HasSubstr("it answered Unschedulable"));
}

// Plugins are numbered in the order in which they were added.
TEST(RunPreflight, SF_117_NeighboursThatMayWorkBesideEachOtherDo) {
  RunnerHouse house;
  house.add("P0", kPreBind, parallel());
  house.add("P1", kPreBind, parallel());
  house.add("S2", kPreBind, serial());
  house.add("P3", kPreBind, parallel());
  EXPECT_THAT(house.runner().preflight(house.context()).groups,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3)));
}

TEST(RunPreflight, SF_118_OneThatWorksAlonePartsThemThoughItSkips) {
  RunnerHouse house;
  house.add("P0", kPreBind, parallel());
  house.add("s1", kPreBind, serial(true));
  house.add("P2", kPreBind, parallel());
  EXPECT_THAT(house.runner().preflight(house.context()).groups,
              ElementsAre(ElementsAre(0), ElementsAre(2)));
}

TEST(RunPreflight, SF_119_OneThatSkipsAndWouldWorkBesideThemDoesNot) {
  RunnerHouse house;
  house.add("P0", kPreBind, parallel());
  house.add("p1", kPreBind, parallel(true));
  house.add("P2", kPreBind, parallel());
  EXPECT_THAT(house.runner().preflight(house.context()).groups, ElementsAre(ElementsAre(0, 2)));
}

TEST(RunPreBind, SF_120_AnErrorNamesItsPlugin) {
  RunnerHouse house;
  house.add("P1", kPreBind, {});
  house.add("P2", kPreBind, {.pre_bind = [](rt::Until) { return at_once(broken()); }});
  const PreBindOutcome outcome = house.pre_bind();
  EXPECT_EQ(outcome.status.message(), "running PreBind plugin \"P2\": broken");
  EXPECT_TRUE(outcome.begun.test(0));
  EXPECT_TRUE(outcome.begun.test(1));
}

TEST(RunPreBind, SF_121_NothingIsRunAfterAFailure) {
  RunnerHouse house;
  house.add("P1", kPreBind, {.pre_bind = [](rt::Until) { return at_once(broken()); }});
  house.add("P2", kPreBind, {});
  const PreBindOutcome outcome = house.pre_bind();
  EXPECT_THAT(house.log, ElementsAre("P1.Preflight", "P2.Preflight", "P1.PreBind"));
  EXPECT_TRUE(outcome.begun.test(0));
  EXPECT_FALSE(outcome.begun.test(1));
}

TEST(RunPreBind, SF_122_ARejectionKeepsItsPlugin) {
  RunnerHouse house;
  house.add("P1", kPreBind, {.pre_bind = [](rt::Until) { return at_once(no()); }});
  EXPECT_EQ(house.pre_bind().status, no().from("P1"));
}

rt::Task<Status> sleep_long(rt::Runtime* runtime, rt::Until until, bool* is_cancelled) {
  const rt::Wake wake = co_await rt::sleep_for(*runtime, minutes(10), until.token);
  *is_cancelled = wake == rt::Wake::kCancelled;
  co_return *is_cancelled ? Status::error(Error(ErrorCode::kCancelled, "cancelled")) : Status();
}
rt::Task<Status> fail_after(rt::Runtime* runtime, rt::Duration time) {
  co_await rt::sleep_for(*runtime, time, {});
  co_return broken();
}

TEST(RunPreBind, SF_123_TheFirstFailureOfAGroupStopsTheOthersAndIsReturned) {
  RunnerHouse house;
  bool is_cancelled = false;
  Script slow = parallel();
  slow.pre_bind = [&](rt::Until until) {
    return sleep_long(&house.simulation, until, &is_cancelled);
  };
  Script failing = parallel();
  failing.pre_bind = [&](rt::Until) { return fail_after(&house.simulation, seconds(2)); };
  house.add("P1", kPreBind, slow);
  house.add("P2", kPreBind, failing);
  const PreBindOutcome outcome = house.pre_bind();
  EXPECT_EQ(outcome.status.message(), "running PreBind plugin \"P2\": broken");
  EXPECT_TRUE(is_cancelled);
  EXPECT_EQ(house.simulation.now(), rt::Time(seconds(2)));
  EXPECT_EQ(outcome.begun.count(), 2U);
}

TEST(RunPreBind, AGroupTakesAsLongAsItsSlowest) {
  RunnerHouse house;
  bool is_cancelled = false;
  for (const char* name : {"P1", "P2", "P3"}) {
    Script script = parallel();
    script.pre_bind = [&](rt::Until until) {
      return sleep_long(&house.simulation, until, &is_cancelled);
    };
    house.add(name, kPreBind, script);
  }
  EXPECT_TRUE(house.pre_bind().status.is_success());
  EXPECT_EQ(house.simulation.now(), rt::Time(minutes(10)));
}

TEST(RunPreBind, IsCancelledFromOutside) {
  RunnerHouse house;
  bool is_cancelled = false;
  house.add("P1", kPreBind, {.pre_bind = [&](rt::Until until) {
              return sleep_long(&house.simulation, until, &is_cancelled);
            }});
  house.runner();
  rt::CancelSource stop;
  rt::Scope scope(house.simulation, "stop");
  struct Stopping {
    static rt::Task<void> run(rt::Runtime* runtime, rt::CancelSource* stop) {
      co_await rt::sleep_for(*runtime, seconds(3), {});
      stop->cancel();
    }
  };
  scope.spawn("stop", Stopping::run(&house.simulation, &stop));
  const PreBindOutcome outcome = house.pre_bind({.token = stop.token()});
  EXPECT_EQ(outcome.status.message(), "running PreBind plugin \"P1\": cancelled");
  EXPECT_TRUE(is_cancelled);
  EXPECT_EQ(house.simulation.now(), rt::Time(seconds(3)));
}

// SF-312 is the pipeline's; the runner's part of it is this.
TEST(RunRollback, GoesLastToFirstWithTheFailingOneIncluded) {
  RunnerHouse house;
  house.add("P1", kPreBind, {});
  house.add("P2", kPreBind, {.pre_bind = [](rt::Until) { return at_once(broken()); }});
  house.add("P3", kPreBind, {});
  const PreBindOutcome outcome = house.pre_bind();
  house.log.clear();
  EXPECT_TRUE(
      house.await(house.runner().rollback(house.context(), outcome.begun, {})).is_success());
  EXPECT_THAT(house.log, ElementsAre("P2.Rollback", "P1.Rollback"));
}

TEST(RunRollback, OneThatFailsKeepsNoOtherFromTakingBack) {
  RunnerHouse house;
  house.add("P1", kPreBind, {});
  house.add("P2", kPreBind, {.rollback = [](rt::Until) { return at_once(broken()); }});
  house.runner();
  const Status status =
      house.await(house.runner().rollback(house.context(), house.runner().pre_bind_plugins(), {}));
  EXPECT_EQ(status.message(), "running Rollback plugin \"P2\": broken");
  EXPECT_THAT(house.log, ElementsAre("P2.Rollback", "P1.Rollback"));
}

TEST(RunBind, SF_140_OneThatSkipsLeavesItToTheNext) {
  RunnerHouse house;
  house.add("B1", {Point::kBind}, {.bind = [](rt::Until) { return at_once(Status::skip()); }});
  house.add("B2", {Point::kBind}, {});
  house.runner();
  EXPECT_EQ(house.await(house.runner().bind(house.context(), {})), Status::success());
  EXPECT_THAT(house.log, ElementsAre("B1.Bind", "B2.Bind"));
}

TEST(RunBind, SF_141_ThePodIsBoundOnce) {
  RunnerHouse house;
  house.add("B1", {Point::kBind}, {});
  house.add("B2", {Point::kBind}, {});
  house.runner();
  EXPECT_EQ(house.await(house.runner().bind(house.context(), {})), Status::success());
  EXPECT_THAT(house.log, ElementsAre("B1.Bind"));
}

TEST(RunBind, SF_142_WhenAllSkipNobodyHasBoundIt) {
  RunnerHouse house;
  house.add("B1", {Point::kBind}, {.bind = [](rt::Until) { return at_once(Status::skip()); }});
  house.runner();
  EXPECT_TRUE(house.await(house.runner().bind(house.context(), {})).is_skip());
}

TEST(RunBind, SF_143_AnErrorNamesItsPluginAndEndsIt) {
  RunnerHouse house;
  house.add("B1", {Point::kBind}, {.bind = [](rt::Until) { return at_once(broken()); }});
  house.add("B2", {Point::kBind}, {});
  house.runner();
  EXPECT_EQ(house.await(house.runner().bind(house.context(), {})).message(),
            "running Bind plugin \"B1\": broken");
  EXPECT_THAT(house.log, ElementsAre("B1.Bind"));
}

TEST(RunBind, SF_144_ACodeThatMeansNothingHereIsAnError) {
  RunnerHouse house;
  house.add("B1", {Point::kBind}, {.bind = [](rt::Until) { return at_once(Status::wait()); }});
  house.runner();
  const Status status = house.await(house.runner().bind(house.context(), {}));
  EXPECT_TRUE(status.is_error());
  EXPECT_THAT(status.message(), HasSubstr("running Bind plugin \"B1\": it answered Wait"));
}

TEST(RunBind, ThePodIsToldToAllAfterwards) {
  RunnerHouse house;
  house.add("P1", {Point::kPostBind}, {});
  house.add("P2", {Point::kPostBind}, {});
  house.runner();
  house.await(house.runner().post_bind(house.context(), {}));
  EXPECT_THAT(house.log, ElementsAre("P1.PostBind", "P2.PostBind"));
}

}  // namespace
}  // namespace berth::framework
