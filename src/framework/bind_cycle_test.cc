// The whole of one binding: what is called in which order, and what is taken back when.
#include "framework/bind_cycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "framework/bind_context.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/status.h"
#include "framework/testing/runner_house.h"
#include "framework/testing/scripted.h"
#include "rt/cancel.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::framework {
namespace {

using testing::at_once;
using testing::broken;
using ::testing::ElementsAre;
using testing::RunnerHouse;
using testing::Script;
using What = BindResult::What;

constexpr Points kWorker{Point::kReserve, Point::kPreBind, Point::kPostBind};

class BindCycleTest : public ::testing::Test {
 protected:
  BindCycleTest() { house_.add("A", kWorker, {}); }

  BindSteps steps() {
    return {.record = [this](BindContextPtr) { return record(this); },
            .find_node = [this](BindContextPtr) { return find(this); }};
  }
  BindResult bind(rt::Until until = {}, rt::CancelToken give_up = {}) {
    Runner& runner = house_.runner();
    return house_.await(bind_pod(
        &runner, {.context = house_.context(), .state = &*house_.state}, steps(), until, give_up));
  }
  void add_second(Script script) { house_.add("B", kWorker, std::move(script)); }
  void add_binder(Status answer) {
    house_.add("binder", {Point::kBind}, {.bind = [answer](rt::Until) { return at_once(answer); }});
  }

  RunnerHouse house_;
  Result<void> recorded_;
  Result<std::string> found_ = std::string();

 private:
  static rt::Task<Result<void>> record(BindCycleTest* self) {
    self->house_.log.emplace_back("record");
    co_return self->recorded_;
  }
  static rt::Task<Result<std::string>> find(BindCycleTest* self) {
    self->house_.log.emplace_back("find");
    co_return self->found_;
  }
};

TEST_F(BindCycleTest, ThePlanIsRecordedBeforeTheFirstSideEffect) {
  const BindResult result = bind();
  EXPECT_EQ(result.what, What::kBound);
  EXPECT_EQ(result.node, "n0");
  EXPECT_THAT(house_.log,
              ElementsAre("A.Preflight", "record", "A.PreBind", "binder.Bind", "A.PostBind"));
}

TEST_F(BindCycleTest, WithoutWorkNothingIsRecorded) {
  RunnerHouse plain;
  plain.add("A", kWorker, {.preflight = [] { return Preflighted{.status = Status::skip()}; }});
  Runner& runner = plain.runner();
  const BindResult result = plain.await(
      bind_pod(&runner, {.context = plain.context(), .state = &*plain.state}, steps(), {}, {}));
  EXPECT_EQ(result.what, What::kBound);
  EXPECT_THAT(house_.log, ElementsAre());
  EXPECT_THAT(plain.log, ElementsAre("A.Preflight", "binder.Bind", "A.PostBind"));
}

TEST_F(BindCycleTest, APlanThatCannotBeRecordedIsNotBegun) {
  recorded_ = Error(ErrorCode::kConflict, "changed");
  const BindResult result = bind();
  EXPECT_EQ(result.what, What::kFailed);
  EXPECT_EQ(result.status.message(), "recording the plan: changed");
  EXPECT_THAT(house_.log, ElementsAre("A.Preflight", "record", "A.Unreserve"));
}

TEST_F(BindCycleTest, AFailureIsTakenBackLastToFirstTheFailingOneIncluded) {
  add_second({.pre_bind = [](rt::Until) { return at_once(broken()); }});
  const BindResult result = bind();
  EXPECT_EQ(result.what, What::kFailed);
  EXPECT_EQ(result.status.plugin(), "B");
  EXPECT_TRUE(result.left.is_success());
  EXPECT_THAT(house_.log,
              ElementsAre("A.Preflight",
                          "B.Preflight",
                          "record",
                          "A.PreBind",
                          "B.PreBind",
                          "B.Rollback",
                          "A.Rollback",
                          "B.Unreserve",
                          "A.Unreserve"));
}

TEST_F(BindCycleTest, WhatHadToBeLeftIsSaid) {
  add_second({.pre_bind = [](rt::Until) { return at_once(broken()); },
              .rollback = [](rt::Until) { return at_once(broken()); }});
  const BindResult result = bind();
  EXPECT_EQ(result.what, What::kFailed);
  EXPECT_EQ(result.left.plugin(), "B");
}

TEST_F(BindCycleTest, ABindingWhoseAnswerWasLostIsLookedUpFirst) {
  add_binder(Status::error(Error(ErrorCode::kUnknownOutcome, "lost")));
  found_ = std::string("n0");
  EXPECT_EQ(bind().what, What::kBound);
  EXPECT_THAT(
      house_.log,
      ElementsAre("A.Preflight", "record", "A.PreBind", "binder.Bind", "find", "A.PostBind"));
}

TEST_F(BindCycleTest, ABindingThatDidNotTakePlaceIsTakenBack) {
  add_binder(Status::error(Error(ErrorCode::kUnknownOutcome, "lost")));
  EXPECT_EQ(bind().what, What::kFailed);
  EXPECT_EQ(house_.log.back(), "A.Unreserve");
}

TEST_F(BindCycleTest, WhileNobodyKnowsNothingIsTakenBack) {
  add_binder(Status::error(Error(ErrorCode::kUnknownOutcome, "lost")));
  found_ = Error(ErrorCode::kUnavailable, "down");
  const BindResult result = bind();
  EXPECT_EQ(result.what, What::kUnknown);
  EXPECT_TRUE(result.begun.test(0));
  EXPECT_EQ(house_.log.back(), "find");
}

TEST_F(BindCycleTest, APodThatAnotherOnePutElsewhereLeavesWhatWasPreparedHere) {
  add_binder(broken());
  found_ = std::string("n2");
  const BindResult result = bind();
  EXPECT_EQ(result.what, What::kBound);
  EXPECT_EQ(result.node, "n2");
  EXPECT_THAT(house_.log,
              ElementsAre("A.Preflight",
                          "record",
                          "A.PreBind",
                          "binder.Bind",
                          "find",
                          "A.Rollback",
                          "A.Unreserve"));
}

TEST_F(BindCycleTest, WhatIsTakenBackHasATimeOfItsOwn) {
  bool was_cancelled = true;
  rt::CancelSource over;
  add_second({.pre_bind =
                  [&over](rt::Until) {
                    over.cancel();
                    return at_once(broken());
                  },
              .rollback =
                  [&was_cancelled](rt::Until until) {
                    was_cancelled = until.token.is_cancelled();
                    return at_once(Status());
                  }});
  static_cast<void>(bind({.token = over.token()}));
  EXPECT_FALSE(was_cancelled);
}

TEST_F(BindCycleTest, APlanOfAnotherProcessIsFinishedWithoutItsCycle) {
  Runner& runner = house_.runner();
  const BindResult result =
      house_.await(bind_pod(&runner, {.context = house_.context()}, {}, {}, {}));
  EXPECT_EQ(result.what, What::kBound);
}

}  // namespace
}  // namespace berth::framework
