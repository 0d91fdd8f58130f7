#include "kube/elector.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <utility>

#include "api/objects/lease.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/testing/lease_server.h"
#include "rt/reactor.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Process;
using testing::TwoProcesses;

TEST(Elector, OneOfTwoLeadsAndStaysLeader) {
  TwoProcesses world(1);
  world.simulation.run_for(seconds(10));
  ASSERT_NE(world.a.elector.is_leader(), world.b.elector.is_leader());
  const Process& leader = world.leader();
  world.simulation.run_for(minutes(10));
  EXPECT_TRUE(leader.elector.is_leader());
  EXPECT_EQ(world.a.elected + world.b.elected, 1);
  EXPECT_EQ(world.a.elector.leader(), world.b.elector.leader());
}

TEST(Elector, WhoIsCutOffIsDeposedBeforeTheOtherLeads) {
  TwoProcesses world(2);
  world.simulation.run_for(seconds(10));
  Process& leader = world.leader();
  const Process& other = world.other();
  leader.client.is_cut = true;
  const rt::Time end = world.simulation.now() + minutes(1);
  while (world.simulation.now() < end) {
    world.simulation.run_for(milliseconds(10));
    ASSERT_FALSE(leader.elector.is_leader() && other.elector.is_leader());
  }
  EXPECT_TRUE(other.elector.is_leader());
  EXPECT_EQ(leader.deposed, 1);
  EXPECT_EQ(leader.scope->size(), 0U);
  EXPECT_EQ(world.server.lease->spec.lease_transitions, 1);
}

TEST(Elector, LostAnswersAreLookedUp) {
  TwoProcesses world(3);
  world.simulation.run_for(seconds(10));
  Process& leader = world.leader();
  leader.client.loses_answers = true;
  world.simulation.run_for(minutes(5));
  EXPECT_TRUE(leader.elector.is_leader());
  EXPECT_EQ(leader.deposed, 0);
}

TEST(Elector, ACleanStopGivesTheLeaseBack) {
  TwoProcesses world(4);
  world.simulation.run_for(seconds(10));
  Process& leader = world.leader();
  const Process& other = world.other();
  leader.scope->cancel();
  world.simulation.run_for(seconds(1));
  EXPECT_EQ(leader.scope->size(), 0U);
  EXPECT_EQ(leader.deposed, 1);
  world.simulation.run_for(seconds(6));
  EXPECT_TRUE(other.elector.is_leader());
}

rt::Task<void> wait_to_lead(Elector* elector, rt::Until until, std::optional<rt::Wake>* wake) {
  const rt::Wake led = co_await elector->wait_until_leader(until);
  *wake = led;
}

TEST(Elector, WaitUntilLeaderReturnsOnceThisProcessLeads) {
  TwoProcesses world(5);
  std::optional<rt::Wake> a;
  std::optional<rt::Wake> b;
  rt::Scope scope(world.simulation, "test");
  const rt::Until until{.deadline = rt::Time(minutes(1))};
  scope.spawn("a", wait_to_lead(&world.a.elector, until, &a));
  scope.spawn("b", wait_to_lead(&world.b.elector, until, &b));
  world.simulation.run_for(seconds(10));
  const bool leads = world.a.elector.is_leader();
  EXPECT_EQ(leads ? a : b, rt::Wake::kNotified);
  EXPECT_EQ(leads ? b : a, std::nullopt);
  world.simulation.run_for(minutes(1));
  EXPECT_EQ(leads ? b : a, rt::Wake::kDeadline);
}

TEST(Elector, WaitUntilLeaderEndsWhenThisOneNeverWill) {
  for (const bool is_given_up : {false, true}) {
    TwoProcesses world(5);
    world.simulation.run_for(seconds(10));
    Process& other = world.other();
    std::optional<rt::Wake> wake;
    std::optional<rt::Wake> later;
    rt::Scope scope(world.simulation, "test");
    scope.spawn("waits", wait_to_lead(&other.elector, {}, &wake));
    world.simulation.run_for(seconds(1));
    EXPECT_EQ(wake, std::nullopt);
    is_given_up ? other.scope.reset() : other.scope->cancel();
    world.simulation.run_for(seconds(1));
    EXPECT_EQ(wake, rt::Wake::kCancelled);
    scope.spawn("later", wait_to_lead(&other.elector, {}, &later));
    world.simulation.run_for(seconds(1));
    EXPECT_EQ(later, rt::Wake::kCancelled);
  }
}

TEST(Elector, WhoIsGivenUpNoLongerLeads) {
  TwoProcesses world(5);
  world.simulation.run_for(seconds(10));
  Process& leader = world.leader();
  leader.scope.reset();
  EXPECT_FALSE(leader.elector.is_leader());
}

struct OneProcess {
  rt::Simulation simulation{1};
  testing::LeaseServer server;
  Process process{simulation, server, "a"};
};

TEST(Elector, TellsOnceWhyItCannotLeadWhateverTheReason) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kCancelled); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    OneProcess one;
    one.process.client.on_create = [code](const CreateRequest&) -> Result<Document> {
      return Error(code, "no");
    };
    one.simulation.run_for(seconds(20));
    // These are how an election goes.
    const bool is_ordinary =
        code == ErrorCode::kConflict || code == ErrorCode::kExists || code == ErrorCode::kCancelled;
    ASSERT_EQ(one.process.problems.size(), is_ordinary ? 0U : 1U) << name_of(code);
    if (!is_ordinary) {
      EXPECT_EQ(one.process.problems[0].error.code(), code);
      EXPECT_EQ(one.process.problems[0].kind, &api::Lease::kKind);
    }
  }
}

TEST(Elector, TellsAgainWhenTheReasonIsAnotherOrHasComeBack) {
  OneProcess one;
  ErrorCode code = ErrorCode::kForbidden;
  one.process.client.on_create = [&](const CreateRequest&) -> Result<Document> {
    return Error(code, "no");
  };
  one.simulation.run_for(minutes(1));
  EXPECT_EQ(one.process.problems.size(), 1U);
  code = ErrorCode::kServerError;
  one.simulation.run_for(minutes(1));
  EXPECT_EQ(one.process.problems.size(), 2U);
  one.process.client.on_create = [&](const CreateRequest& request) {
    return one.server.create(request);
  };
  one.simulation.run_for(minutes(1));
  EXPECT_TRUE(one.process.elector.is_leader());
  EXPECT_EQ(one.process.problems.size(), 2U);
  one.process.client.on_patch = [&](const PatchRequest&) -> Result<Document> {
    return Error(code, "no");
  };
  one.simulation.run_for(minutes(1));
  EXPECT_FALSE(one.process.elector.is_leader());
  EXPECT_EQ(one.process.problems.size(), 3U);
}

TEST(Elector, TellsThatItMayNotEvenLook) {
  OneProcess one;
  one.process.client.on_get = [](const GetRequest&) -> Result<Document> {
    return Error(ErrorCode::kForbidden, "no");
  };
  one.simulation.run_for(minutes(1));
  ASSERT_EQ(one.process.problems.size(), 1U);
  EXPECT_EQ(one.process.problems[0].error.code(), ErrorCode::kForbidden);
}

TEST(Elector, AServerThatAsksForADayIsAskedAgainInMinutes) {
  OneProcess one;
  bool is_first = true;
  one.process.client.on_create = [&](const CreateRequest& request) -> Result<Document> {
    if (std::exchange(is_first, false)) {
      return Error(ErrorCode::kTooManyRequests, "busy").with_retry_after(std::chrono::hours(24));
    }
    return one.server.create(request);
  };
  one.simulation.run_for(minutes(4));
  EXPECT_FALSE(one.process.elector.is_leader());
  one.simulation.run_for(minutes(2));
  EXPECT_TRUE(one.process.elector.is_leader());
}

}  // namespace
}  // namespace berth::kube
