// Electors, fences and what writes through them, disturbed at every await.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "api/objects/config_map.h"
#include "api/objects/lease.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/elector.h"
#include "kube/object_key.h"
#include "kube/testing/lease_server.h"
#include "kube/typed.h"
#include "rt/cancel.h"
#include "rt/every_step.h"
#include "rt/reactor.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using testing::LeaseServer;
using testing::Process;
using testing::TwoProcesses;
using testing::write_later;

// Two processes that make every kind of call while they lead. `a` stands first, so it leads.
struct WritingProcesses : TwoProcesses {
  explicit WritingProcesses(std::uint64_t seed) : TwoProcesses(seed, seconds(3)) {
    for (Process* process : {&a, &b}) {
      answer_writes(process->client);
      process->scope->spawn("writer", write(process));
    }
  }

  // The lease is kept, what else is written is not.
  void answer_writes(testing::LeaseClient& client) {
    client.on_get = with_others(client.on_get);
    client.on_create = with_others(client.on_create);
    client.on_patch = with_others(client.on_patch);
    client.on_remove = [this](const RemoveRequest&) -> Result<void> {
      land();
      return {};
    };
  }
  template <typename Request>
  std::function<Result<Document>(const Request&)> with_others(
      std::function<Result<Document>(const Request&)> leases) {
    return [this, leases](const Request& request) -> Result<Document> {
      if (*request.kind == api::Lease::kKind) {
        return leases(request);
      }
      land();
      return Document{.bytes = "{}"};
    };
  }
  void land() const { EXPECT_FALSE(a.elector.is_leader() && b.elector.is_leader()); }

  static rt::Task<void> write(Process* process) {
    const rt::CancelToken token = process->scope->token();
    const ObjectKey key{.ns = "n", .name = "m"};
    while (!token.is_cancelled()) {
      const rt::Wake wake = co_await process->elector.wait_until_leader({.token = token});
      if (wake != rt::Wake::kNotified) {
        co_return;
      }
      const rt::Until until{.token = token, .deadline = process->runtime.now() + seconds(5)};
      auto made = co_await create_object(&process->fenced, api::ConfigMap{}, until);
      auto read = co_await get_object<api::ConfigMap>(&process->fenced, key, until);
      auto patched = co_await patch_object<api::ConfigMap>(&process->fenced, key, "{}", until);
      auto removed = co_await remove_object<api::ConfigMap>(&process->fenced, key, {}, until);
      co_await rt::sleep_for(process->runtime, seconds(1), token);
    }
  }
};

const rt::Time kEnd(seconds(6));

void expect_every_wait(const std::set<std::string>& waits) {
  EXPECT_THAT(waits,
              ElementsAre("a/elector: waits for a create to arrive",
                          "a/elector: waits for a get to arrive",
                          "a/elector: waits for a patch to arrive",
                          "a/elector: waits for a timer",
                          "a/elector: waits for the answer to a create",
                          "a/elector: waits for the answer to a get",
                          "a/elector: waits for the answer to a patch",
                          "a/writer: waits for a create to arrive",
                          "a/writer: waits for a get to arrive",
                          "a/writer: waits for a patch to arrive",
                          "a/writer: waits for a remove to arrive",
                          "a/writer: waits for a timer",
                          "a/writer: waits for leadership",
                          "a/writer: waits for the answer to a create",
                          "a/writer: waits for the answer to a get",
                          "a/writer: waits for the answer to a patch",
                          "a/writer: waits for the answer to a remove"));
}

TEST(Elector, GivenUpAtAnyAwaitLeavesTheLeaseToTheOther) {
  std::set<std::string> waits;
  int led = 0;
  rt::at_every_step<WritingProcesses>(
      {.seed = 7, .end = kEnd, .waits = &waits, .victim = "a/"},
      [](WritingProcesses& world) { world.a.scope.reset(); },
      [&led](WritingProcesses& world, const std::string& when) {
        EXPECT_FALSE(world.a.elector.is_leader()) << when;
        EXPECT_EQ(world.a.elector.fence().writes_in_flight(), 0U) << when;
        world.simulation.run_for(seconds(30));
        EXPECT_TRUE(world.b.elector.is_leader()) << when;
        led += world.a.elected;
      });
  EXPECT_GT(led, 0) << "it is a leader that is given up";
  expect_every_wait(waits);
}

TEST(Elector, CancelledAtAnyAwaitEndsAndLeavesTheLeaseToTheOther) {
  std::set<std::string> waits;
  int led = 0;
  int kept = 0;
  rt::at_every_step<WritingProcesses>(
      {.seed = 8, .end = kEnd, .waits = &waits, .victim = "a/"},
      [&kept](WritingProcesses& world) {
        world.a.scope->cancel();
        world.simulation.run_for(milliseconds(100));
        EXPECT_EQ(world.a.scope->size(), 0U);
        // A lease is left behind only where a write may still land.
        const bool is_kept = world.server.holder() == "a";
        EXPECT_EQ(is_kept, is_kept && world.a.elector.fence().last_unknown().has_value());
        kept += is_kept ? 1 : 0;
      },
      [&led](WritingProcesses& world, const std::string& when) {
        world.simulation.run_for(seconds(30));
        EXPECT_TRUE(world.b.elector.is_leader()) << when;
        EXPECT_EQ(world.a.elected, world.a.deposed) << when;
        led += world.a.elected;
      });
  EXPECT_GT(led, 0) << "it is a leader that is cancelled";
  EXPECT_GT(kept, 0) << "some while it writes";
  expect_every_wait(waits);
}

// A leader that is asked to end while a write through its fence is under way.
struct StoppingProcess {
  explicit StoppingProcess(std::uint64_t seed) : simulation(seed), a(simulation, server, "a") {
    a.client.on_remove = [](const RemoveRequest&) -> Result<void> { return {}; };
    writers.emplace(simulation, "writers");
    driver.emplace(simulation, "driver");
    driver->spawn("stop", stop(this));
  }

  static rt::Task<void> stop(StoppingProcess* world) {
    const rt::Time then(seconds(1));
    co_await rt::sleep_until(world->simulation, then, {});
    world->a.client.latency = milliseconds(300);
    if (world->writers) {
      world->writers->spawn("write", write_later(&world->a, then, {}, &world->code));
    }
    co_await rt::sleep_for(world->simulation, milliseconds(100), {});
    if (world->a.scope) {
      world->a.scope->cancel();
    }
  }

  rt::Simulation simulation;
  LeaseServer server;
  std::optional<ErrorCode> code;
  Process a;
  std::optional<rt::Scope> writers;
  std::optional<rt::Scope> driver;
};

TEST(Elector, GivenUpAtAnyAwaitOfItsEndLeavesNothingHanging) {
  std::set<std::string> waits;
  rt::at_every_step<StoppingProcess>(
      {.seed = 9, .end = kEnd, .waits = &waits, .victim = "a/"},
      [](StoppingProcess& world) { world.a.scope.reset(); },
      [](StoppingProcess& world, const std::string& when) {
        EXPECT_EQ(world.writers->size(), 0U) << when;
        EXPECT_EQ(world.a.elector.fence().writes_in_flight(), 0U) << when;
        EXPECT_FALSE(world.a.elector.is_leader()) << when;
      });
  EXPECT_THAT(waits,
              IsSupersetOf({"a/elector: waits for writes in flight",
                            "a/elector: waits for a patch to arrive",
                            "a/elector: waits for the answer to a patch"}));
}

TEST(Elector, AWriteGivenUpAtAnyAwaitDoesNotHoldUpTheEnd) {
  std::set<std::string> waits;
  int given_up = 0;
  rt::at_every_step<StoppingProcess>(
      {.seed = 10, .end = kEnd, .waits = &waits, .victim = "writers/"},
      [&given_up](StoppingProcess& world) {
        given_up += world.a.elector.fence().writes_in_flight() == 0 ? 0 : 1;
        world.writers.reset();
      },
      [](StoppingProcess& world, const std::string& when) {
        EXPECT_EQ(world.a.scope->size(), 0U) << when;
        const bool is_known = !world.a.elector.fence().last_unknown().has_value();
        EXPECT_EQ(world.server.holder(), is_known ? "" : "a") << when;
      });
  EXPECT_GT(given_up, 0);
  EXPECT_THAT(waits,
              ElementsAre("writers/write: waits for a remove to arrive",
                          "writers/write: waits for a timer",
                          "writers/write: waits for the answer to a remove"));
}

}  // namespace
}  // namespace berth::kube
