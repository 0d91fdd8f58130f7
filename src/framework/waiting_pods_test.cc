// Waiting pods, as catalogue 20.F has them.
#include "framework/waiting_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/metrics.h"
#include "framework/plugin.h"
#include "framework/runner_metrics.h"
#include "framework/status.h"
#include "framework/testing/runner_house.h"
#include "rt/cancel.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::framework {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Waiting : public ::testing::Test {
 protected:
  static rt::Task<void> keep(rt::Task<Status> task, std::optional<Status>* into) {
    *into = co_await std::move(task);
  }
  // Somebody waits for the pod's fate.
  void wait(rt::Until until = {}) {
    scope_.spawn("wait", keep(pods_.wait("uid-a", until), &fate_));
    pass(seconds(0));
  }
  void pass(rt::Duration time) { simulation_.run_for(time); }
  void add(std::vector<WaitingPods::Awaited> plugins) {
    pods_.add(testing::pod("a"), plugins);
    wait();
  }

  rt::Simulation simulation_{1};
  MetricsRegistry registry_;
  RunnerMetrics metrics_{registry_};
  WaitingPods pods_{simulation_, metrics_};
  std::optional<Status> fate_;
  rt::Scope scope_{simulation_, "test"};
};

TEST_F(Waiting, APodThatDoesNotWaitGoesOn) {
  wait();
  EXPECT_EQ(fate_, Status::success());
}

TEST_F(Waiting, SF_094_NobodyWaitsLongerThanAQuarterOfAnHour) {
  add({{.plugin = "P1", .timeout = hours(1)}});
  pass(minutes(15) - seconds(1));
  EXPECT_FALSE(fate_.has_value());
  pass(seconds(1));
  ASSERT_TRUE(fate_.has_value());
  EXPECT_THAT(fate_->message(), HasSubstr("after waiting 15m0s at plugin P1"));
}

TEST_F(Waiting, SF_096_OneOfTwoIsNotEnough) {
  add({{"P1", seconds(10)}, {"P2", seconds(10)}});
  EXPECT_TRUE(pods_.allow("uid-a", "P1"));
  pass(seconds(1));
  EXPECT_FALSE(fate_.has_value());
  EXPECT_THAT(pods_.awaited_by("uid-a"), ElementsAre("P2"));
}

TEST_F(Waiting, SF_097_AllowedByAllItGoesOn) {
  add({{"P1", seconds(10)}, {"P2", seconds(10)}});
  pods_.allow("uid-a", "P1");
  pods_.allow("uid-a", "P2");
  pass(seconds(0));
  EXPECT_EQ(fate_, Status::success());
  EXPECT_FALSE(pods_.is_waiting("uid-a"));
}

TEST_F(Waiting, SF_098_ARejectionHasPluginAndMessage) {
  add({{"P1", seconds(10)}});
  EXPECT_TRUE(pods_.reject("uid-a", "P1", "too few"));
  pass(seconds(0));
  ASSERT_TRUE(fate_.has_value());
  EXPECT_EQ(fate_->code(), Code::kUnschedulable);
  EXPECT_EQ(fate_->plugin(), "P1");
  EXPECT_EQ(fate_->message(), "too few");
}

TEST_F(Waiting, SF_099_TheShortestTimeRejects) {
  add({{"P1", seconds(90)}, {"P2", seconds(30)}});
  pass(seconds(30));
  ASSERT_TRUE(fate_.has_value());
  EXPECT_EQ(fate_->code(), Code::kUnschedulable);
  EXPECT_EQ(fate_->plugin(), "P2");
  EXPECT_EQ(fate_->message(), "rejected due to timeout after waiting 30s at plugin P2");
}

TEST_F(Waiting, ATimeThatIsOverCountsThoughNobodyLooked) {
  pods_.add(testing::pod("a"), {{"P1", seconds(10)}});
  pass(seconds(11));
  EXPECT_FALSE(pods_.allow("uid-a", "P1"));
  wait();
  ASSERT_TRUE(fate_.has_value());
  EXPECT_TRUE(fate_->is_rejected());
}

TEST_F(Waiting, SF_100_WhatIsAllowedCannotBeRejectedAnyMore) {
  add({{"P1", seconds(10)}});
  pods_.allow("uid-a", "P1");
  EXPECT_FALSE(pods_.reject("uid-a", "P1", "late"));
  EXPECT_FALSE(pods_.preempt("uid-a", "P1", "late"));
  pass(seconds(0));
  EXPECT_EQ(fate_, Status::success());
}

TEST_F(Waiting, SF_101_APodThatIsPreemptedIsTriedAgain) {
  add({{"P1", seconds(10)}});
  EXPECT_TRUE(pods_.preempt("uid-a", "P1", "another pod needs the place"));
  pass(seconds(0));
  ASSERT_TRUE(fate_.has_value());
  EXPECT_TRUE(fate_->is_error());
  EXPECT_FALSE(fate_->is_rejected());
}

TEST_F(Waiting, SF_102_TheFirstRejectionCounts) {
  add({{"P1", seconds(10)}, {"P2", seconds(10)}});
  EXPECT_TRUE(pods_.reject("uid-a", "P1", "first"));
  EXPECT_FALSE(pods_.reject("uid-a", "P2", "second"));
  pass(seconds(0));
  EXPECT_EQ(fate_->message(), "first");
}

TEST_F(Waiting, SF_104_TheWaitIsMeasuredOnceWithItsResult) {
  add({{"P1", seconds(10)}});
  pass(seconds(4));
  pods_.allow("uid-a", "P1");
  pass(seconds(1));
  const auto reading = metrics_.permit_wait_seconds.series({"Success"}).read();
  EXPECT_EQ(reading.sum, 4.0);
  EXPECT_THAT(registry_.render(),
              HasSubstr("scheduler_permit_wait_duration_seconds_count{result=\"Success\"} 1\n"));
}

TEST_F(Waiting, SF_105_PodsOfAllProfilesAreVisible) {
  pods_.add(testing::pod("a"), {{"P1", seconds(10)}});
  pods_.add(testing::pod("b"), {{"Q1", seconds(10)}});
  EXPECT_THAT(pods_.pods(), SizeIs(2));
  pods_.reject("uid-b", "", "removed");
  EXPECT_THAT(pods_.pods(), SizeIs(1));
}

TEST_F(Waiting, WhoWaitsCanBeToldToStop) {
  rt::CancelSource stop;
  pods_.add(testing::pod("a"), {{"P1", seconds(10)}});
  wait({.token = stop.token()});
  stop.cancel();
  pass(seconds(0));
  ASSERT_TRUE(fate_.has_value());
  EXPECT_TRUE(fate_->is_error());
  EXPECT_THAT(pods_.pods(), IsEmpty());
}

TEST_F(Waiting, ALaterAttemptTakesThePlaceOfAnEarlierOne) {
  add({{"P1", seconds(10)}});
  pods_.add(testing::pod("a"), {{"P2", seconds(10)}});
  pass(seconds(0));
  ASSERT_TRUE(fate_.has_value());
  EXPECT_TRUE(fate_->is_rejected());
  EXPECT_THAT(pods_.awaited_by("uid-a"), ElementsAre("P2"));
}

TEST(DurationText, IsGos) {
  EXPECT_EQ(duration_text(seconds(0)), "0s");
  EXPECT_EQ(duration_text(seconds(10)), "10s");
  EXPECT_EQ(duration_text(seconds(90)), "1m30s");
  EXPECT_EQ(duration_text(minutes(15)), "15m0s");
  EXPECT_EQ(duration_text(hours(2)), "2h0m0s");
  EXPECT_EQ(duration_text(std::chrono::milliseconds(1500)), "1.5s");
  EXPECT_EQ(duration_text(std::chrono::milliseconds(250)), "250ms");
  EXPECT_EQ(duration_text(-seconds(1)), "-1s");
}

}  // namespace
}  // namespace berth::framework
