#include "kube/fence.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/testing/lease_server.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/time.h"

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::LeaseServer;
using testing::Process;
using testing::write_later;

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
  const CancelledWriter writer(milliseconds(1500));
  EXPECT_EQ(writer.code, ErrorCode::kUnknownOutcome);
  EXPECT_EQ(writer.process.scope->size(), 0U);
  EXPECT_EQ(writer.server.holder(), "a");
}

TEST(FencedClient, ALeaseIsGivenBackWhenTheWriteWasNeverSent) {
  const CancelledWriter writer(milliseconds(500));
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

}  // namespace
}  // namespace berth::kube
