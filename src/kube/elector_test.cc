#include "kube/elector.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "api/codec.h"
#include "api/objects/lease.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/fence.h"
#include "kube/testing/fake_client.h"
#include "rt/every_step.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// The one lease of a server.
struct LeaseServer {
  Document document() const { return {.bytes = api::to_json(*lease)}; }

  Result<Document> get() const {
    return lease ? Result<Document>(document()) : Error(ErrorCode::kNotFound, "no lease");
  }
  Result<Document> create(const CreateRequest& request) {
    if (lease) {
      return Error(ErrorCode::kExists, "there is a lease");
    }
    return store(*api::from_json<api::Lease>(request.body));
  }
  Result<Document> patch(const PatchRequest& request) {
    api::Lease patch = *api::from_json<api::Lease>(request.body);
    if (!lease) {
      return Error(ErrorCode::kNotFound, "no lease");
    }
    if (patch.metadata.resource_version != lease->metadata.resource_version) {
      return Error(ErrorCode::kConflict, "another version");
    }
    return store(std::move(patch));
  }
  Result<Document> store(api::Lease next) {
    lease = std::move(next);
    lease->metadata.uid = "u";
    lease->metadata.resource_version = std::to_string(++version);
    return document();
  }
  std::string holder() const { return lease ? lease->spec.holder_identity.value_or("") : "-"; }

  std::optional<api::Lease> lease;
  int version = 0;
};

class LeaseClient : public testing::FakeClient {
 public:
  LeaseClient(rt::Runtime& runtime, LeaseServer& server) : FakeClient(runtime) {
    on_get = [this, &server](const GetRequest&) -> Result<Document> {
      return is_cut ? unavailable() : server.get();
    };
    on_create = [this, &server](const CreateRequest& request) -> Result<Document> {
      return is_cut ? unavailable() : server.create(request);
    };
    on_patch = [this, &server](const PatchRequest& request) -> Result<Document> {
      if (is_cut) {
        return unavailable();
      }
      auto answer = server.patch(request);
      if (loses_answers) {
        return Error(ErrorCode::kUnknownOutcome, "lost");
      }
      return answer;
    };
  }
  bool is_cut = false;
  bool loses_answers = false;

 private:
  static Error unavailable() { return {ErrorCode::kUnavailable, "cut off"}; }
};

struct Process {
  Process(rt::Simulation& simulation, LeaseServer& server, std::string identity)
      : runtime(simulation, {}),
        client(runtime, server),
        elector(runtime,
                client,
                {.lease = {"n", "l"}, .identity = std::move(identity)},
                {.on_elected = [this] { ++elected; }, .on_deposed = [this] { ++deposed; }}),
        fenced(runtime, client, elector.fence()),
        scope(std::in_place, runtime, "process") {
    scope->spawn("elector", elector.run(scope->token()));
  }

  rt::SimulatedProcess runtime;
  LeaseClient client;
  int elected = 0;
  int deposed = 0;
  Elector elector;
  FencedClient fenced;
  std::optional<rt::Scope> scope;
};

struct TwoProcesses {
  explicit TwoProcesses(std::uint64_t seed)
      : simulation(seed), a(simulation, server, "a"), b(simulation, server, "b") {}

  Process& leader() { return a.elector.is_leader() ? a : b; }
  Process& other() { return a.elector.is_leader() ? b : a; }

  rt::Simulation simulation;
  LeaseServer server;
  Process a;
  Process b;
};

TEST(Elector, OneOfTwoLeadsAndStaysLeader) {
  TwoProcesses world(1);
  world.simulation.run_for(seconds(10));
  ASSERT_NE(world.a.elector.is_leader(), world.b.elector.is_leader());
  Process& leader = world.leader();
  world.simulation.run_for(minutes(10));
  EXPECT_TRUE(leader.elector.is_leader());
  EXPECT_EQ(world.a.elected + world.b.elected, 1);
  EXPECT_EQ(world.a.elector.leader(), world.b.elector.leader());
}

TEST(Elector, WhoIsCutOffIsDeposedBeforeTheOtherLeads) {
  TwoProcesses world(2);
  world.simulation.run_for(seconds(10));
  Process& leader = world.leader();
  Process& other = world.other();
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
  Process& other = world.other();
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

rt::Task<void> write_later(Process* process,
                           rt::Time when,
                           rt::Until until,
                           std::optional<ErrorCode>* code) {
  co_await rt::sleep_until(process->runtime, when, {});
  auto answer = co_await process->fenced.remove({}, until);
  *code = answer ? ErrorCode::kInternal : answer.error().code();
}

TEST(FencedClient, RefusesWritesOnceTheFenceIsDownAndBoundsTheOthers) {
  rt::Simulation simulation(1);
  LeaseServer server;
  Process process(simulation, server, "a");
  int written = 0;
  process.client.on_remove = [&](const RemoveRequest&) -> Result<void> {
    ++written;
    return {};
  };
  std::optional<ErrorCode> before;
  std::optional<ErrorCode> slow;
  std::optional<ErrorCode> after;
  rt::Scope scope(simulation, "test");
  scope.spawn("before", write_later(&process, rt::Time{}, {}, &before));
  simulation.run_for(seconds(1));
  EXPECT_EQ(before, ErrorCode::kCancelled) << "nobody is elected yet";
  process.client.is_cut = true;
  const rt::Time end = process.elector.fence().end();
  scope.spawn("slow", write_later(&process, end - milliseconds(1), {}, &slow));
  scope.spawn("after", write_later(&process, end, {}, &after));
  process.client.latency = milliseconds(5);
  simulation.run_for(minutes(1));
  EXPECT_EQ(slow, ErrorCode::kTimeout);
  EXPECT_EQ(after, ErrorCode::kCancelled);
  EXPECT_EQ(written, 0);
}

TEST(FencedClient, AReleaseWaitsForWritesInFlight) {
  rt::Simulation simulation(1);
  LeaseServer server;
  Process process(simulation, server, "a");
  process.client.on_remove = [](const RemoveRequest&) -> Result<void> { return {}; };
  simulation.run_for(seconds(1));
  ASSERT_TRUE(process.elector.is_leader());
  process.client.latency = seconds(1);
  std::optional<ErrorCode> code;
  rt::Scope scope(simulation, "test");
  scope.spawn("write", write_later(&process, simulation.now(), {}, &code));
  simulation.run_for(milliseconds(500));
  process.scope->cancel();
  simulation.run_for(seconds(1));
  EXPECT_EQ(server.holder(), "a");
  simulation.run_for(seconds(2));
  EXPECT_EQ(code, ErrorCode::kInternal) << "it was answered";
  EXPECT_EQ(server.holder(), "");
}

// A leader that is cancelled `cancelled_after` it has sent a write, which takes a second each way,
// under a token of the same scope.
struct CancelledWriter {
  explicit CancelledWriter(rt::Duration cancelled_after) : process(simulation, server, "a") {
    process.client.on_remove = [](const RemoveRequest&) -> Result<void> { return {}; };
    simulation.run_for(seconds(1));
    process.client.latency = seconds(1);
    process.scope->spawn(
        "write", write_later(&process, simulation.now(), {.token = process.scope->token()}, &code));
    simulation.run_for(cancelled_after);
    process.scope->cancel();
    process.client.latency = milliseconds(1);
    simulation.run_for(seconds(5));
  }

  rt::Simulation simulation{1};
  LeaseServer server;
  std::optional<ErrorCode> code;
  Process process;
};

TEST(FencedClient, ALeaseIsNotGivenBackWhileAWriteMayStillLand) {
  CancelledWriter writer(milliseconds(1500));
  EXPECT_EQ(writer.code, ErrorCode::kUnknownOutcome);
  EXPECT_EQ(writer.process.scope->size(), 0U);
  EXPECT_EQ(writer.server.holder(), "a");
}

TEST(FencedClient, ALeaseIsGivenBackWhenTheWriteWasNeverSent) {
  CancelledWriter writer(milliseconds(500));
  EXPECT_EQ(writer.code, ErrorCode::kCancelled);
  EXPECT_EQ(writer.server.holder(), "");
}

TEST(FencedClient, AnUnknownOutcomeOfLongAgoDoesNotKeepTheLease) {
  rt::Simulation simulation(1);
  LeaseServer server;
  Process process(simulation, server, "a");
  process.client.on_remove = [](const RemoveRequest&) -> Result<void> {
    return Error(ErrorCode::kUnknownOutcome, "lost");
  };
  std::optional<ErrorCode> code;
  simulation.run_for(seconds(1));
  process.scope->spawn("write", write_later(&process, simulation.now(), {}, &code));
  simulation.run_for(seconds(16));
  EXPECT_EQ(code, ErrorCode::kUnknownOutcome);
  process.scope->cancel();
  simulation.run_for(seconds(1));
  EXPECT_EQ(server.holder(), "");
}

TEST(FencedClient, AWriteThatIsGivenUpKeepsTheLease) {
  rt::Simulation simulation(1);
  LeaseServer server;
  Process process(simulation, server, "a");
  process.client.on_remove = [](const RemoveRequest&) -> Result<void> { return {}; };
  std::optional<ErrorCode> code;
  std::optional<rt::Scope> writers(std::in_place, simulation, "writers");
  simulation.run_for(seconds(1));
  writers->spawn("write", write_later(&process, simulation.now(), {}, &code));
  simulation.run_for(rt::Duration{});
  ASSERT_EQ(process.elector.fence().writes_in_flight(), 1U);
  writers.reset();
  process.scope->cancel();
  simulation.run_for(seconds(1));
  EXPECT_EQ(process.elector.fence().writes_in_flight(), 0U);
  EXPECT_EQ(process.scope->size(), 0U);
  EXPECT_EQ(server.holder(), "a");
}

TEST(Elector, GivenUpAtAnyAwaitLeavesTheLeaseToTheOther) {
  const std::size_t steps = rt::at_every_step<TwoProcesses>(
      {.seed = 7, .end = rt::Time(seconds(30))},
      [](TwoProcesses& world) { world.a.scope.reset(); },
      [](TwoProcesses& world, const std::string& when) {
        world.simulation.run_for(seconds(30));
        EXPECT_TRUE(world.b.elector.is_leader()) << when;
        EXPECT_FALSE(world.a.elector.is_leader()) << when;
      });
  EXPECT_GT(steps, 30U);
}

TEST(Elector, CancelledAtAnyAwaitEndsAndLeavesTheLeaseToTheOther) {
  rt::at_every_step<TwoProcesses>(
      {.seed = 8, .end = rt::Time(seconds(30))},
      [](TwoProcesses& world) { world.a.scope->cancel(); },
      [](TwoProcesses& world, const std::string& when) {
        world.simulation.run_for(seconds(30));
        EXPECT_EQ(world.a.scope->size(), 0U) << when;
        EXPECT_TRUE(world.b.elector.is_leader()) << when;
        EXPECT_EQ(world.a.elected, world.a.deposed) << when;
      });
}

}  // namespace
}  // namespace berth::kube
