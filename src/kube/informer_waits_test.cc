// Waiting for informers, and informers disturbed at every await.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "kube/informer.h"
#include "kube/testing/followed_lists.h"
#include "rt/every_step.h"
#include "rt/reactor.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::FollowedLists;
using ::testing::IsSupersetOf;
using ::testing::Le;

constexpr const api::Kind& kPods = api::Pod::kKind;

rt::Task<void> wait_for(Informers* informers,
                        std::string version,
                        rt::Until until,
                        std::optional<rt::Wake>* wake) {
  const rt::Wake seen = co_await informers->wait_until_seen(&kPods, std::move(version), until);
  *wake = seen;
}

TEST(Informers, WaitUntilSeenReturnsOnceTheHandlersHaveRun) {
  FollowedLists world(1);
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
  FollowedLists world(1);
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
    FollowedLists world(1);
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

// Everything an informer does: lists in pages or streams, events, a cut, a relist; and who waits
// for it.
template <bool kStreams>
struct BusyWorld : FollowedLists {
  explicit BusyWorld(std::uint64_t seed)
      : FollowedLists(seed, {.page_size = 2, .streams_initial_events = kStreams}) {
    server.put(kPods, {"n", "a"});
    server.put(kPods, {"n", "b"});
    server.put(kPods, {"n", "c"});
    on_told = [this] { EXPECT_TRUE(is_whole()) << "within a handler"; };
    writer.emplace(simulation, "writer");
    writer->spawn("writer", write(this));
    waiters.emplace(simulation, "waiters");
    waiters->spawn("synced", wait_for_sync(&informers, {.token = waiters->token()}, &synced));
    waiters->spawn("seen", wait_for(&informers, "14", {.token = waiters->token()}, &seen));
    waiters->spawn("last", wait_for(&informers, "17", {.token = waiters->token()}, &last));
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

  std::vector<std::string> versions() const {
    std::vector<std::string> all;
    for (const auto& pod : pods.cache().all()) {
      all.push_back(pod->metadata.name + pod->metadata.resource_version);
    }
    return all;
  }
  // Nothing in between is ever in the store.
  bool is_whole() const {
    static const std::vector<std::vector<std::string>> states = {
        {}, {"a11", "b12", "c13"}, {"a14", "b12", "c13"}, {"c13", "d17"}};
    return std::ranges::find(states, versions()) != states.end();
  }

  std::optional<rt::Scope> writer;
  std::optional<rt::Wake> synced;
  std::optional<rt::Wake> seen;
  std::optional<rt::Wake> last;
  std::optional<rt::Scope> waiters;
};

template <typename World>
class InformersSteps : public ::testing::Test {
 public:
  std::set<std::string> waits;
  rt::EveryStep first_minute{
      .seed = 3, .end = rt::Time(minutes(1)), .waits = &waits, .victim = "informers/pods"};
};
using Worlds = ::testing::Types<BusyWorld<false>, BusyWorld<true>>;

struct WorldNames {
  template <typename World>
  // NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for it
  static std::string GetName(int /*index*/) {
    return std::is_same_v<World, BusyWorld<true>> ? "Streams" : "Lists";
  }
};
TYPED_TEST_SUITE(InformersSteps, Worlds, WorldNames);

template <typename World>
void expect_every_wait(const std::set<std::string>& waits) {
  std::vector<std::string> expected{"informers/pods: waits for a change",
                                    "informers/pods: waits for a timer",
                                    "informers/pods: waits for a watch to arrive",
                                    "informers/pods: waits for the answer to a watch"};
  if (std::is_same_v<World, BusyWorld<false>>) {
    expected.emplace_back("informers/pods: waits for a list to arrive");
    expected.emplace_back("informers/pods: waits for the answer to a list");
  }
  EXPECT_THAT(waits, ::testing::UnorderedElementsAreArray(expected));
}

template <typename World>
void expect_waits_ended(World& world, const std::string& when) {
  EXPECT_EQ(world.waiters->size(), 0U) << when;
  EXPECT_EQ(world.synced == rt::Wake::kNotified, world.informers.has_synced()) << when;
  EXPECT_EQ(world.last == rt::Wake::kNotified, world.versions().size() == 2) << when;
}

TYPED_TEST(InformersSteps, GivenUpAtAnyAwaitLeaveAWholeStoreAndNobodyWaiting) {
  rt::at_every_step<TypeParam>(
      this->first_minute,
      [](TypeParam& world) { world.scope.reset(); },
      [](TypeParam& world, const std::string& when) {
        EXPECT_TRUE(world.is_whole()) << when;
        expect_waits_ended(world, when);
      });
  expect_every_wait<TypeParam>(this->waits);
}

TYPED_TEST(InformersSteps, CancelledAtAnyAwaitEndAndLeaveAWholeStoreAndNobodyWaiting) {
  rt::at_every_step<TypeParam>(
      this->first_minute,
      [](TypeParam& world) { world.scope->cancel(); },
      [](TypeParam& world, const std::string& when) {
        EXPECT_EQ(world.scope->size(), 0U) << when;
        EXPECT_TRUE(world.is_whole()) << when;
        EXPECT_THAT(world.problems.size(), Le(2U)) << when;
        expect_waits_ended(world, when);
      });
  expect_every_wait<TypeParam>(this->waits);
}

TYPED_TEST(InformersSteps, WhoWaitsCanBeGivenUpOrCancelledAtAnyAwait) {
  for (const bool is_given_up : {false, true}) {
    this->first_minute.victim = "waiters/";
    rt::at_every_step<TypeParam>(
        this->first_minute,
        [is_given_up](TypeParam& world) {
          is_given_up ? world.waiters.reset() : world.waiters->cancel();
        },
        [is_given_up](TypeParam& world, const std::string& when) {
          EXPECT_THAT(world.versions(), ElementsAre("c13", "d17")) << when;
          if (!is_given_up) {
            EXPECT_EQ(world.waiters->size(), 0U) << when;
          }
        });
  }
  EXPECT_THAT(this->waits,
              ElementsAre("waiters/last: waits for a version to be seen",
                          "waiters/seen: waits for a version to be seen",
                          "waiters/synced: waits for informers to be in sync"));
}

}  // namespace
}  // namespace berth::kube
