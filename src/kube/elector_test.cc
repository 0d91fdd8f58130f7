#include "kube/elector.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "kube/testing/lease_server.h"
#include "rt/reactor.h"
#include "rt/scope.h"
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

}  // namespace
}  // namespace berth::kube
