// A plugin that throws, hangs or answers nonsense is an error that names it, at every point.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/node_set.h"
#include "base/result.h"
#include "framework/bind_context.h"
#include "framework/call_watch.h"
#include "framework/cluster_event.h"
#include "framework/diagnosis.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/runner.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "framework/testing/runner_house.h"
#include "framework/testing/scripted.h"
#include "rt/event.h"
#include "rt/reactor.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::framework {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::no;
using testing::RunnerHouse;
using testing::Script;

constexpr Points kAllPoints{Point::kPreFilter,
                            Point::kFilter,
                            Point::kPostFilter,
                            Point::kPreScore,
                            Point::kScore,
                            Point::kReserve,
                            Point::kPermit,
                            Point::kPreBind,
                            Point::kBind,
                            Point::kPostBind};

// Throws, as a plugin does that looks beyond the end of something.
int look_beyond() {
  return std::vector<int>().at(1);
}
template <typename Answer>
Answer throwing() {
  look_beyond();
  return Answer();
}
rt::Task<Status> throw_in_task(rt::Runtime* runtime) {
  co_await rt::sleep_for(*runtime, seconds(1), {});
  look_beyond();
  co_return Status();
}
// In a task that the plugin's own task awaits.
rt::Task<Status> throw_below(rt::Runtime* runtime) {
  const Status status = co_await throw_in_task(runtime);
  co_return status;
}
rt::Task<void> throw_in_void_task(rt::Runtime* runtime) {
  co_await rt::sleep_for(*runtime, seconds(1), {});
  look_beyond();
}

// What a plugin does at a point, how the point is run and what comes out.
struct Fault {
  std::string name;
  Point point;
  std::function<void(RunnerHouse&, Script&)> plant;
};

Status run_point(RunnerHouse& house, Point point) {
  const Cycle cycle = house.cycle();
  Runner& runner = house.runner();
  switch (point) {
    case Point::kValidate:
      return runner.validate(*house.the_pod);
    case Point::kPreFilter:
      return runner.pre_filter(cycle).status;
    case Point::kAddPod: {
      const std::vector<NominatedPod> others{{.pod = testing::pod("other", 9), .node = 0}};
      return house.find_nodes(others).status;
    }
    case Point::kFilter:
      return house.find_nodes().status;
    case Point::kExplain:
      return house.find_nodes().diagnosis.status_of(0);
    case Point::kPostFilter:
      return runner.post_filter(cycle, {}).status;
    case Point::kPreScore:
    case Point::kScore:
    case Point::kNormalise:
      return runner.score(cycle, house.snapshot.nodes()).status;
    case Point::kReserve:
      return runner.reserve(cycle, 0).status;
    case Point::kPermit:
      return runner.permit(cycle, 0);
    case Point::kPreflight:
      return runner.preflight(house.context()).status;
    case Point::kPreBind:
      return house.pre_bind().status;
    case Point::kRollback:
      return house.await(runner.rollback(house.context(), runner.pre_bind_plugins(), {}));
    case Point::kBind:
      return house.await(runner.bind(house.context(), {}));
    default:
      return Status();
  }
}

class Misbehaviour : public ::testing::TestWithParam<Fault> {};

TEST_P(Misbehaviour, IsAnErrorThatNamesThePlugin) {
  RunnerHouse house;
  Script script;
  GetParam().plant(house, script);
  house.add("Bad", kAllPoints, script);
  const Status status = run_point(house, GetParam().point);
  EXPECT_TRUE(status.is_error()) << status.message();
  EXPECT_EQ(status.plugin(), "Bad");
  EXPECT_THAT(status.message(), HasSubstr("\"Bad\""));
  EXPECT_THAT(house.metrics_registry.render(),
              HasSubstr("berth_plugin_misbehaviour_total{plugin=\"Bad\","));
  // It goes on: the next pod is asked about.
  EXPECT_TRUE(run_point(house, GetParam().point).is_error());
}

using Plant = std::function<void(RunnerHouse&, Script&)>;

Plant set(auto Script::* member, auto value) {
  return [member, value](RunnerHouse&, Script& script) { script.*member = value; };
}
// One that refuses all nodes, so that somebody asks why.
Plant refusing(std::function<Status(std::size_t)> explain) {
  return [explain](RunnerHouse&, Script& script) {
    script.filter = [](const Cycle&, const NodeSet& candidates) {
      return Filtered{.status = {}, .nodes = NodeSet(candidates.size())};
    };
    script.explain = explain;
  };
}

const std::vector<Fault> kThrowing{
    {"Validate", Point::kValidate, set(&Script::validate, throwing<Status>)},
    {"PreFilter",
     Point::kPreFilter,
     set(&Script::pre_filter, [](const Cycle&) { return throwing<PreFiltered>(); })},
    {"AddPod",
     Point::kAddPod,
     set(&Script::add_pod, [](const Cycle&, const PodPtr&) { return throwing<Status>(); })},
    {"Filter",
     Point::kFilter,
     set(&Script::filter, [](const Cycle&, const NodeSet&) { return throwing<Filtered>(); })},
    {"Explain", Point::kExplain, refusing([](std::size_t) { return throwing<Status>(); })},
    {"PostFilter",
     Point::kPostFilter,
     set(&Script::post_filter, [](const Diagnosis&) { return throwing<PostFiltered>(); })},
    {"PreScore", Point::kPreScore, set(&Script::pre_score, throwing<Status>)},
    {"Score",
     Point::kScore,
     set(&Script::score, [](std::span<std::int64_t>) { return throwing<Status>(); })},
    {"Normalise",
     Point::kNormalise,
     set(&Script::normalise, [](std::span<std::int64_t>) { return throwing<Status>(); })},
    {"Reserve", Point::kReserve, set(&Script::reserve, throwing<Reserved>)},
    {"Permit", Point::kPermit, set(&Script::permit, throwing<Permitted>)},
    {"Preflight", Point::kPreflight, set(&Script::preflight, throwing<Preflighted>)},
    {"PreBindAtOnce",
     Point::kPreBind,
     set(&Script::pre_bind,
         [](rt::Until) {
           look_beyond();
           return testing::at_once(Status());
         })},
    {"PreBindLater",
     Point::kPreBind,
     [](RunnerHouse& house, Script& script) {
       script.pre_bind = [&house](rt::Until) { return throw_in_task(&house.simulation); };
     }},
    {"PreBindBelow",
     Point::kPreBind,
     [](RunnerHouse& house, Script& script) {
       script.pre_bind = [&house](rt::Until) { return throw_below(&house.simulation); };
     }},
    {"Rollback",
     Point::kRollback,
     [](RunnerHouse& house, Script& script) {
       script.rollback = [&house](rt::Until) { return throw_in_task(&house.simulation); };
     }},
    {"Bind",
     Point::kBind,
     [](RunnerHouse& house, Script& script) {
       script.bind = [&house](rt::Until) { return throw_in_task(&house.simulation); };
     }},
};

// Success where there is nothing to refuse, codes of other points, nodes from nowhere.
const std::vector<Fault> kNonsense{
    {"Validate", Point::kValidate, set(&Script::validate, Status::wait)},
    {"PreFilter",
     Point::kPreFilter,
     set(&Script::pre_filter, [](const Cycle&) { return PreFiltered{Status::wait()}; })},
    {"PreFilterNodes",
     Point::kPreFilter,
     set(&Script::pre_filter,
         [](const Cycle&) { return PreFiltered{.status = {}, .nodes = NodeSet(99)}; })},
    {"AddPod",
     Point::kAddPod,
     set(&Script::add_pod, [](const Cycle&, const PodPtr&) { return Status::skip(); })},
    {"FilterCode",
     Point::kFilter,
     set(&Script::filter,
         [](const Cycle&, const NodeSet& nodes) { return Filtered{no(), nodes}; })},
    {"FilterNodes",
     Point::kFilter,
     set(&Script::filter, [](const Cycle&, const NodeSet&) { return Filtered{{}, NodeSet(99)}; })},
    {"Explain", Point::kExplain, refusing([](std::size_t) { return Status(); })},
    {"PostFilter",
     Point::kPostFilter,
     set(&Script::post_filter, [](const Diagnosis&) { return PostFiltered{Status::skip()}; })},
    {"PreScore", Point::kPreScore, set(&Script::pre_score, no)},
    {"Score", Point::kScore, set(&Script::score, [](std::span<std::int64_t>) { return no(); })},
    {"ScoreRange",
     Point::kScore,
     set(&Script::score,
         [](std::span<std::int64_t> scores) {
           scores[0] = std::numeric_limits<std::int64_t>::min();
           return Status();
         })},
    {"Normalise",
     Point::kNormalise,
     set(&Script::normalise, [](std::span<std::int64_t>) { return Status::skip(); })},
    {"Reserve", Point::kReserve, set(&Script::reserve, [] { return Reserved{Status::skip()}; })},
    {"Permit", Point::kPermit, set(&Script::permit, [] { return Permitted{Status::skip()}; })},
    {"Preflight",
     Point::kPreflight,
     set(&Script::preflight, [] { return Preflighted{Status::wait()}; })},
    {"PreBind",
     Point::kPreBind,
     set(&Script::pre_bind, [](rt::Until) { return testing::at_once(Status::skip()); })},
    {"PreBindNoTask",
     Point::kPreBind,
     set(&Script::pre_bind,
         [](rt::Until) {
           rt::Task<Status> task = testing::at_once(Status());
           const rt::Task<Status> gone = std::move(task);
           return task;  // NOLINT(bugprone-use-after-move): an empty one is what this is about
         })},
    {"Rollback",
     Point::kRollback,
     set(&Script::rollback, [](rt::Until) { return testing::at_once(no()); })},
    {"Bind", Point::kBind, set(&Script::bind, [](rt::Until) { return testing::at_once(no()); })},
};

// Waits for what never comes, whatever it is told.
rt::Task<Status> hang(rt::Runtime* runtime) {
  rt::Event never(*runtime, "what never comes");
  static_cast<void>(co_await never.wait({}));
  co_return Status();
}

const std::vector<Fault> kHanging{
    {"PreBind",
     Point::kPreBind,
     [](RunnerHouse& house, Script& script) {
       script.pre_bind = [&house](rt::Until) { return hang(&house.simulation); };
     }},
    {"Rollback",
     Point::kRollback,
     [](RunnerHouse& house, Script& script) {
       script.rollback = [&house](rt::Until) { return hang(&house.simulation); };
     }},
    {"Bind",
     Point::kBind,
     [](RunnerHouse& house, Script& script) {
       script.bind = [&house](rt::Until) { return hang(&house.simulation); };
     }},
};

std::string name_of_fault(const ::testing::TestParamInfo<Fault>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Throws, Misbehaviour, ::testing::ValuesIn(kThrowing), name_of_fault);
INSTANTIATE_TEST_SUITE_P(Nonsense, Misbehaviour, ::testing::ValuesIn(kNonsense), name_of_fault);
INSTANTIATE_TEST_SUITE_P(Hangs, Misbehaviour, ::testing::ValuesIn(kHanging), name_of_fault);

TEST(Misbehaving, APostBindThatThrowsOrHangsKeepsNoOtherFromBeingTold) {
  RunnerHouse house;
  house.add("P1", {Point::kPostBind}, {.post_bind = [&house](rt::Until) {
              return throw_in_void_task(&house.simulation);
            }});
  struct Hanging {
    static rt::Task<void> run(rt::Runtime* runtime) { static_cast<void>(co_await hang(runtime)); }
  };
  house.add("P2", {Point::kPostBind}, {.post_bind = [&house](rt::Until) {
              return Hanging::run(&house.simulation);
            }});
  house.add("P3", {Point::kPostBind}, {});
  house.runner();
  house.await(house.runner().post_bind(house.context(), {}));
  EXPECT_THAT(house.log, ElementsAre("P1.PostBind", "P2.PostBind", "P3.PostBind"));
  EXPECT_THAT(house.metrics_registry.render(),
              HasSubstr("berth_plugin_misbehaviour_total{plugin=\"P2\","
                        "extension_point=\"PostBind\"} 1\n"));
}

TEST(Misbehaving, WhatATaskHadSentBeforeItThrewNobodyKnows) {
  RunnerHouse house;
  house.add("B1", {Point::kBind}, {.bind = [&house](rt::Until) {
              return throw_in_task(&house.simulation);
            }});
  house.runner();
  const Status status = house.await(house.runner().bind(house.context(), {}));
  EXPECT_EQ(status.to_error()->code(), ErrorCode::kUnknownOutcome);
}

TEST(Misbehaving, AHintThatThrowsCountsAsQueue) {
  RunnerHouse house;
  house.add("Bad", kAllPoints, {.hint = [] { return Result<Hint>(throwing<Hint>()); }});
  const std::vector<std::string> rejectors{"Bad"};
  const ClusterEvent event{.actions = Action::kAdd, .object = Changed<api::Pod>{}};
  EXPECT_EQ(house.runner().hint(rejectors, *house.the_pod, event), Hint::kQueue);
}

TEST(Misbehaving, ATaskThatHangsIsGivenUpSoonAfterItsTime) {
  RunnerHouse house;
  house.add("P1", {Point::kPreBind}, {.pre_bind = [&house](rt::Until) {
              return hang(&house.simulation);
            }});
  const PreBindOutcome outcome = house.pre_bind({.deadline = rt::Time(minutes(1))});
  EXPECT_EQ(outcome.status.message(),
            "running PreBind plugin \"P1\": it did not end within 1m10s, nor when it was asked to");
  EXPECT_EQ(outcome.status.to_error()->code(), ErrorCode::kUnknownOutcome);
  EXPECT_EQ(house.simulation.now(), rt::Time(minutes(1) + PluginCalls::kEndMax));
  EXPECT_TRUE(outcome.begun.test(0));
}

// The other thread that watches is played by the plugin itself, since it would see the same.
TEST(Misbehaving, AFunctionThatDoesNotReturnIsNamed) {
  RunnerHouse house;
  HangDetector detector(seconds(10));
  std::vector<std::string> seen;
  const auto look = [&] {
    const rt::Time now = house.simulation.now();
    for (const rt::Duration passed : {seconds(0), seconds(9), seconds(10), seconds(11)}) {
      if (const auto hang = detector.step(house.watch.look(), now + passed)) {
        seen.push_back(hang->call.plugin + " " + std::string(name_of(hang->call.point)));
      }
    }
    return Status();
  };
  house.add("Bad",
            kAllPoints,
            {.validate = look,
             .pre_filter = [&](const Cycle&) { return PreFiltered{look()}; },
             .filter = [&](const Cycle&, const NodeSet& nodes) { return Filtered{look(), nodes}; },
             .post_filter = [&](const Diagnosis&) { return PostFiltered{look()}; },
             .pre_score = look,
             .score = [&](std::span<std::int64_t>) { return look(); },
             .normalise = [&](std::span<std::int64_t>) { return look(); },
             .reserve = [&] { return Reserved{look()}; },
             .unreserve = [&] { static_cast<void>(look()); },
             .permit = [&] { return Permitted{look()}; },
             .preflight = [&] { return Preflighted{look()}; }});
  for (const Point point : {Point::kValidate,
                            Point::kFilter,
                            Point::kPostFilter,
                            Point::kScore,
                            Point::kReserve,
                            Point::kPermit,
                            Point::kPreflight}) {
    EXPECT_TRUE(run_point(house, point).is_success());
  }
  const Cycle cycle = house.cycle();
  house.runner().unreserve({.pod = cycle.pod, .node = "n0", .state = cycle.state});
  EXPECT_THAT(seen,
              ElementsAre("Bad Validate",
                          "Bad PreFilter",
                          "Bad Filter",
                          "Bad PostFilter",
                          "Bad PreScore",
                          "Bad Score",
                          "Bad ScoreExtensionNormalize",
                          "Bad Reserve",
                          "Bad Permit",
                          "Bad PreBindPreFlight",
                          "Bad Unreserve"));
  EXPECT_FALSE(house.watch.look().has_value());
}

TEST(Misbehaving, AMakerThatThrowsIsAnErrorOfTheProfile) {
  RunnerHouse house;
  const auto added = house.plugins.add(
      PluginEntry{.name = "Bad",
                  .points = {Point::kBind},
                  .check = {},
                  .make = [](Fields*, PluginSetup&) -> Result<std::unique_ptr<Plugin>> {
                    look_beyond();
                    return std::unique_ptr<Plugin>();
                  }});
  ASSERT_TRUE(added.has_value());
  house.profile.at[static_cast<std::size_t>(Point::kBind)] = {{.name = "Bad"}};
  const auto made = house.make();
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().text(), HasSubstr("profile \"test\": making plugin \"Bad\": it threw"));
}

}  // namespace
}  // namespace berth::framework
