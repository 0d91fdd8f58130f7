#include "kube/informer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "api/mask.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "kube/change.h"
#include "kube/feed.h"
#include "kube/testing/fake_lists.h"
#include "kube/watcher.h"
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

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

const api::Kind& kPods = api::Pod::kKind;
const api::Kind& kNodes = api::Node::kKind;

// A server with pods and nodes, informers that follow them, and a log of what handlers were told.
struct World {
  explicit World(std::uint64_t seed, WatcherOptions watcher = {.page_size = 2})
      : simulation(seed),
        server(simulation),
        informers(simulation,
                  server,
                  {.watcher = watcher,
                   .on_problem = [this](const Problem& problem) { problems.push_back(problem); }}),
        pods(informers.add<api::Pod>()),
        nodes(informers.add<api::Node>()) {
    pods.on_change([this](const InformerEvent<api::Pod>& event) { note("pod", event); });
    nodes.on_change([this](const InformerEvent<api::Node>& event) { note("node", event); });
  }

  void start() {
    scope.emplace(simulation, "test");
    scope->spawn("informers", informers.run(scope->token()));
  }

  template <typename Event>
  void note(const std::string& kind, const Event& event) {
    const char sign = event.type == ChangeType::kAdded     ? '+'
                      : event.type == ChangeType::kDeleted ? '-'
                                                           : '~';
    told.push_back(fmt::format(
        "{}{}{} {}", sign, event.is_relist ? "*" : "", kind, event.newest()->metadata.name));
    EXPECT_EQ(event.sequence, told.size());
    pods_seen.push_back(pods.cache().size());
  }

  std::vector<std::string> pod_names() const {
    std::vector<std::string> names;
    for (const auto& pod : pods.cache().all()) {
      names.push_back(pod->metadata.name);
    }
    return names;
  }

  rt::Simulation simulation;
  testing::FakeLists server;
  std::vector<Problem> problems;
  std::vector<std::string> told;
  std::vector<std::size_t> pods_seen;  // how many were cached at each call of a handler
  Informers informers;
  Informer<api::Pod>& pods;
  Informer<api::Node>& nodes;
  std::optional<rt::Scope> scope;
};

TEST(Informers, ListThenFollow) {
  World world(1);
  world.server.put(kPods, {"n", "a"});
  world.server.put(kPods, {"n", "b"});
  world.server.put(kPods, {"n", "c"});
  world.start();
  world.simulation.run_for(seconds(1));
  EXPECT_TRUE(world.informers.has_synced());
  EXPECT_THAT(world.told, ElementsAre("+*pod a", "+*pod b", "+*pod c"));
  world.server.put(kPods, {"n", "b"}, R"({"nodeName":"x"})");
  world.server.erase(kPods, {"n", "a"});
  world.simulation.run_for(seconds(1));
  EXPECT_THAT(world.pod_names(), ElementsAre("b", "c"));
  EXPECT_EQ(world.pods.cache().find("n", "b")->spec.node_name, "x");
  EXPECT_EQ(world.told.back(), "-pod a");
  EXPECT_EQ(world.told.at(3), "~pod b");
  EXPECT_THAT(world.problems, IsEmpty());
}

TEST(Informers, ACutWatchLosesNothing) {
  World world(1);
  world.start();
  world.simulation.run_for(seconds(1));
  world.server.put(kPods, {"n", "a"});
  world.simulation.run_for(seconds(1));
  world.server.cut();
  world.server.put(kPods, {"n", "b"});
  world.simulation.run_for(minutes(1));
  EXPECT_THAT(world.told, ElementsAre("+pod a", "+pod b"));
  EXPECT_EQ(world.pods.counts().swaps, 1U);
}

TEST(Informers, ARelistChangesTheStoreAsAWholeBeforeTheFirstHandler) {
  World world(1);
  world.server.put(kPods, {"n", "a"});
  world.server.put(kPods, {"n", "b"});
  world.start();
  world.simulation.run_for(seconds(1));
  world.told.clear();
  world.pods_seen.clear();
  world.server.cut();
  world.server.erase(kPods, {"n", "a"});
  world.server.erase(kPods, {"n", "b"});
  world.server.put(kPods, {"n", "c"});
  world.server.compact();
  // The sequence goes on where it was.
  world.told.resize(2);
  world.simulation.run_for(minutes(1));
  world.told.erase(world.told.begin(), world.told.begin() + 2);
  EXPECT_THAT(world.told, ElementsAre("-*pod a", "-*pod b", "+*pod c"));
  EXPECT_THAT(world.pods_seen, Each(1U));
  EXPECT_EQ(world.pods.counts().swaps, 2U);
  EXPECT_EQ(world.server.lists.back().resource_version, "12");
}

TEST(Informers, HandlersOfAnEventRunInOrderBeforeTheNextEvent) {
  World world(1);
  std::vector<std::string> second;
  world.pods.on_change([&](const InformerEvent<api::Pod>& event) {
    second.push_back(std::to_string(event.sequence) + " after " +
                     std::to_string(world.told.size()));
  });
  world.server.put(kPods, {"n", "a"});
  world.server.put(kNodes, {"", "x"});
  world.server.put(kPods, {"n", "b"});
  world.start();
  world.simulation.run_for(seconds(1));
  ASSERT_EQ(second.size(), 2U);
  for (const std::string& each : second) {
    EXPECT_EQ(each.substr(0, 1), each.substr(each.size() - 1)) << each;
  }
}

TEST(Informers, ABadObjectIsSkippedReportedAndStopsNothing) {
  World world(1);
  world.server.put(kPods, {"n", "a"});
  world.server.put(kPods, {"n", "bad"}, "[7]");
  world.start();
  world.simulation.run_for(seconds(1));
  EXPECT_THAT(world.told, ElementsAre("+*pod a"));
  world.server.put(kPods, {"n", "a"}, "[7]");
  world.server.put(kPods, {"n", "c"});
  world.simulation.run_for(seconds(1));
  // The last good state stays.
  EXPECT_THAT(world.pod_names(), ElementsAre("a", "c"));
  EXPECT_EQ(world.pods.counts().bad_objects, 2U);
  ASSERT_EQ(world.problems.size(), 2U);
  EXPECT_EQ(world.problems[0].what, Problem::What::kBadObject);
  EXPECT_EQ(world.problems[0].kind, &kPods);
  // Also over a relist.
  world.server.cut();
  world.server.put(kPods, {"n", "d"});
  world.server.compact();
  world.simulation.run_for(minutes(1));
  EXPECT_THAT(world.pod_names(), ElementsAre("a", "c", "d"));
  world.server.erase(kPods, {"n", "a"});
  world.simulation.run_for(seconds(1));
  EXPECT_THAT(world.pod_names(), ElementsAre("c", "d"));
}

TEST(Informers, ABadObjectDoesNotKeepAnotherOneOfItsNameAlive) {
  World world(1);
  world.server.put(kPods, {"n", "a"});
  world.server.put(kPods, {"n", "b"});
  world.start();
  world.simulation.run_for(seconds(1));
  world.server.replace(kPods, {"n", "a"}, "[7]");
  world.simulation.run_for(seconds(1));
  EXPECT_THAT(world.pod_names(), ElementsAre("b"));
  EXPECT_EQ(world.told.back(), "-pod a");
  // Also when it is a list that shows it.
  world.server.cut();
  world.server.erase(kPods, {"n", "b"});
  world.server.put(kPods, {"n", "b"}, "[7]");
  world.server.compact();
  world.simulation.run_for(minutes(1));
  EXPECT_THAT(world.pod_names(), IsEmpty());
  EXPECT_EQ(world.told.back(), "-*pod b");
}

TEST(Informers, AnEventOfWhichNothingCanBeReadIsNotLost) {
  World world(1);
  world.server.put(kPods, {"n", "a"});
  world.server.put(kPods, {"n", "b"});
  world.start();
  world.simulation.run_for(seconds(1));
  world.server.erase_unreadably(kPods, {"n", "a"});
  world.server.put(kPods, {"n", "c"});
  world.simulation.run_for(seconds(5));
  EXPECT_THAT(world.pod_names(), ElementsAre("b", "c"));
  EXPECT_EQ(world.pods.counts().bad_objects, 1U);
  EXPECT_EQ(world.pods.counts().swaps, 2U);
}

TEST(Informers, FailuresAreReportedAndTriedAgain) {
  World world(1);
  world.server.list_errors = {Error(ErrorCode::kUnavailable, "no"), Error(ErrorCode::kGone, "old")};
  world.server.watch_errors = {Error(ErrorCode::kServerError, "no")};
  world.server.put(kPods, {"n", "a"});
  world.start();
  world.simulation.run_for(minutes(1));
  EXPECT_TRUE(world.informers.has_synced());
  EXPECT_EQ(world.pods.counts().requests_failed + world.nodes.counts().requests_failed, 3U);
  EXPECT_EQ(world.problems.size(), 3U);
}

TEST(Informers, InitialEventsCanBeStreamed) {
  World world(1, {.streams_initial_events = true});
  world.server.put(kPods, {"n", "a"});
  world.server.put(kPods, {"n", "b"});
  world.start();
  world.simulation.run_for(seconds(1));
  EXPECT_THAT(world.server.lists, IsEmpty());
  EXPECT_THAT(world.told, ElementsAre("+*pod a", "+*pod b"));
  world.server.put(kPods, {"n", "c"});
  world.simulation.run_for(seconds(1));
  EXPECT_EQ(world.told.back(), "+pod c");
}

TEST(Informers, StreamingFallsBackToLists) {
  World world(1, {.streams_initial_events = true});
  world.server.supports_initial_events = false;
  world.server.put(kPods, {"n", "a"});
  world.start();
  world.simulation.run_for(minutes(1));
  EXPECT_THAT(world.pod_names(), ElementsAre("a"));
}

TEST(Informers, KeepOnlyTheFieldsOfTheMask) {
  rt::Simulation simulation(1);
  testing::FakeLists server(simulation);
  Informers informers(simulation, server, {});
  auto& pods = informers.add<api::Pod>({.mask = api::Mask::keeping<api::Pod>({"metadata"})});
  server.put(kPods, {"n", "a"}, R"({"nodeName":"x"})");
  rt::Scope scope(simulation, "test");
  scope.spawn("informers", informers.run(scope.token()));
  simulation.run_for(seconds(1));
  EXPECT_EQ(pods.cache().find("n", "a")->spec.node_name, "");
}

rt::Task<void> wait_for(Informers* informers,
                        std::string version,
                        rt::Until until,
                        std::optional<rt::Wake>* wake) {
  const rt::Wake seen = co_await informers->wait_until_seen(&kPods, std::move(version), until);
  *wake = seen;
}

TEST(Informers, WaitUntilSeenReturnsOnceTheHandlersHaveRun) {
  World world(1);
  world.start();
  world.simulation.run_for(seconds(1));
  const std::string version = world.server.put(kPods, {"n", "a"});
  std::optional<rt::Wake> seen;
  std::optional<rt::Wake> late;
  std::optional<rt::Wake> bookmarked;
  world.scope->spawn("seen", wait_for(&world.informers, version, {}, &seen));
  const rt::Time deadline = world.simulation.now() + seconds(5);
  world.scope->spawn("late", wait_for(&world.informers, "99", {.deadline = deadline}, &late));
  world.scope->spawn("mark", wait_for(&world.informers, "12", {}, &bookmarked));
  world.simulation.run_for(seconds(1));
  EXPECT_EQ(seen, rt::Wake::kNotified);
  EXPECT_THAT(world.told, ElementsAre("+pod a"));
  EXPECT_EQ(late, std::nullopt);
  EXPECT_EQ(bookmarked, std::nullopt);
  world.server.bookmark(kPods);
  world.simulation.run_for(seconds(10));
  EXPECT_EQ(late, rt::Wake::kDeadline);
  EXPECT_EQ(bookmarked, rt::Wake::kNotified);
}

rt::Task<void> wait_for_sync(Informers* informers, rt::Until until, std::optional<rt::Wake>* wake) {
  const rt::Wake synced = co_await informers->wait_until_synced(until);
  *wake = synced;
}

TEST(Informers, WaitUntilSyncedReturnsOnceEveryKindHasBeenListed) {
  World world(1);
  rt::Scope waiters(world.simulation, "waiters");
  std::optional<rt::Wake> early;
  std::optional<rt::Wake> synced;
  world.server.list_errors = {Error(ErrorCode::kUnavailable, "no")};
  const rt::Until soon{.deadline = rt::Time(std::chrono::milliseconds(100))};
  waiters.spawn("early", wait_for_sync(&world.informers, soon, &early));
  waiters.spawn("synced", wait_for_sync(&world.informers, {}, &synced));
  world.start();
  world.simulation.run_for(std::chrono::milliseconds(500));
  EXPECT_EQ(early, rt::Wake::kDeadline);
  EXPECT_EQ(synced, std::nullopt) << "one of the kinds backs off";
  world.simulation.run_for(seconds(5));
  EXPECT_EQ(synced, rt::Wake::kNotified);
}

TEST(Informers, WaitsEndWhenNobodyFollowsAnyMore) {
  for (const bool is_given_up : {false, true}) {
    World world(1);
    rt::Scope waiters(world.simulation, "waiters");
    std::optional<rt::Wake> synced;
    std::optional<rt::Wake> seen;
    std::optional<rt::Wake> later;
    world.server.list_errors.assign(100, Error(ErrorCode::kUnavailable, "no"));
    world.start();
    waiters.spawn("synced", wait_for_sync(&world.informers, {}, &synced));
    waiters.spawn("seen", wait_for(&world.informers, "99", {}, &seen));
    world.simulation.run_for(seconds(1));
    EXPECT_EQ(synced, std::nullopt);
    EXPECT_EQ(seen, std::nullopt);
    is_given_up ? world.scope.reset() : world.scope->cancel();
    world.simulation.run_for(seconds(1));
    EXPECT_EQ(synced, rt::Wake::kCancelled);
    EXPECT_EQ(seen, rt::Wake::kCancelled);
    waiters.spawn("later", wait_for(&world.informers, "99", {}, &later));
    world.simulation.run_for(seconds(1));
    EXPECT_EQ(later, rt::Wake::kCancelled);
  }
}

// Everything an informer does: lists in pages, events, a cut, a relist.
struct BusyWorld : World {
  explicit BusyWorld(std::uint64_t seed) : World(seed) {
    server.put(kPods, {"n", "a"});
    server.put(kPods, {"n", "b"});
    server.put(kPods, {"n", "c"});
    writer.emplace(simulation, "writer");
    writer->spawn("writer", write(this));
    start();
  }
  static rt::Task<void> write(BusyWorld* world) {
    co_await rt::sleep_for(world->simulation, seconds(1), {});
    world->server.put(kPods, {"n", "a"}, R"({"nodeName":"x"})");
    co_await rt::sleep_for(world->simulation, seconds(1), {});
    world->server.cut();
    world->server.erase(kPods, {"n", "a"});
    world->server.erase(kPods, {"n", "b"});
    world->server.put(kPods, {"n", "d"});
    world->server.compact();
  }
  // Nothing in between is ever in the store.
  bool is_whole() const {
    const auto names = pod_names();
    return names == std::vector<std::string>{} ||
           names == std::vector<std::string>{"a", "b", "c"} ||
           names == std::vector<std::string>{"c", "d"};
  }

  std::optional<rt::Scope> writer;
};

constexpr rt::EveryStep kFirstMinute{.seed = 3, .end = rt::Time(minutes(1))};

TEST(Informers, GivenUpAtAnyAwaitLeaveAWholeStore) {
  const std::size_t steps = rt::at_every_step<BusyWorld>(
      kFirstMinute,
      [](BusyWorld& world) { world.scope.reset(); },
      [](BusyWorld& world, const std::string& when) { EXPECT_TRUE(world.is_whole()) << when; });
  EXPECT_GT(steps, 30U);
}

TEST(Informers, CancelledAtAnyAwaitEndAndLeaveAWholeStore) {
  rt::at_every_step<BusyWorld>(
      kFirstMinute,
      [](BusyWorld& world) { world.scope->cancel(); },
      [](BusyWorld& world, const std::string& when) {
        EXPECT_EQ(world.scope->size(), 0U) << when;
        EXPECT_TRUE(world.is_whole()) << when;
        EXPECT_THAT(world.problems.size(), ::testing::Le(2U)) << when;
      });
}

}  // namespace
}  // namespace berth::kube
