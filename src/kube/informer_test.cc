#include "kube/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/mask.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "kube/change.h"
#include "kube/feed.h"
#include "kube/testing/fake_lists.h"
#include "kube/testing/followed_lists.h"
#include "rt/scope.h"
#include "rt/simulation.h"

namespace berth::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FollowedLists;
using ::testing::IsEmpty;

constexpr const api::Kind& kPods = api::Pod::kKind;
constexpr const api::Kind& kNodes = api::Node::kKind;

TEST(Informers, ListThenFollow) {
  FollowedLists world(1);
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
  FollowedLists world(1);
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
  FollowedLists world(1);
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

TEST(Informers, ARestoredStoreIsTakenOverWithAllItsPages) {
  FollowedLists world(1);
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    world.server.put(kPods, {"n", name});
  }
  const auto backup = world.server.backup();
  world.start();
  world.simulation.run_for(seconds(1));
  world.server.put(kPods, {"n", "f"});
  world.simulation.run_for(seconds(1));
  world.told.clear();
  // The sequence goes on where it was.
  world.told.resize(6);
  world.server.restore(backup);
  world.simulation.run_for(minutes(20));
  EXPECT_THAT(world.pod_names(), ElementsAre("a", "b", "c", "d", "e"));
  // Nothing that is there is told to be gone, and what is gone is.
  ASSERT_EQ(world.told.size(), 7U);
  EXPECT_EQ(world.told.back(), "-*pod f");
}

TEST(Informers, ABookmarkThatBearsANameTakesNothingAway) {
  FollowedLists world(1);
  world.server.put(kPods, {"n", "a"});
  world.start();
  world.simulation.run_for(seconds(1));
  world.server.bookmark(kPods, {"n", "a"});
  world.simulation.run_for(seconds(1));
  EXPECT_THAT(world.told, ElementsAre("+*pod a"));
  EXPECT_THAT(world.pod_names(), ElementsAre("a"));
  EXPECT_EQ(world.pods.resource_version(), std::to_string(world.server.version()));
}

TEST(Informers, ADeletionTellsTheLastState) {
  FollowedLists world(1);
  std::vector<std::string> nodes;
  world.pods.on_change([&](const InformerEvent<api::Pod>& event) {
    if (event.type == ChangeType::kDeleted) {
      nodes.push_back(event.before->spec.node_name + " " + event.newest()->spec.node_name);
    }
  });
  world.server.put(kPods, {"n", "a"}, R"({"nodeName":"x"})");
  world.server.put(kPods, {"n", "b"}, R"({"nodeName":"x"})");
  world.start();
  world.simulation.run_for(seconds(1));
  world.server.erase(kPods, {"n", "a"}, R"({"nodeName":"y"})");
  world.simulation.run_for(seconds(1));
  EXPECT_THAT(nodes, ElementsAre("x y"));
  // What cannot be read, or was missed, is told as it was known.
  world.server.erase(kPods, {"n", "b"}, "[7]");
  world.simulation.run_for(seconds(1));
  EXPECT_THAT(nodes, ElementsAre("x y", "x x"));
}

TEST(Informers, HandlersOfAnEventRunInOrderBeforeTheNextEvent) {
  FollowedLists world(1);
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
  FollowedLists world(1);
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
  FollowedLists world(1);
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
  FollowedLists world(1);
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
  FollowedLists world(1);
  world.server.list_errors = {Error(ErrorCode::kUnavailable, "no"), Error(ErrorCode::kGone, "old")};
  world.server.watch_errors = {Error(ErrorCode::kServerError, "no")};
  world.server.put(kPods, {"n", "a"});
  world.start();
  world.simulation.run_for(minutes(1));
  EXPECT_TRUE(world.informers.has_synced());
  EXPECT_EQ(world.pods.counts().requests_failed + world.nodes.counts().requests_failed, 3U);
  EXPECT_EQ(world.problems.size(), 3U);
}

TEST(Informers, AServerThatAsksForADayIsAskedAgainInMinutes) {
  FollowedLists world(1);
  for (int i = 0; i < 2; ++i) {
    world.server.list_errors.push_back(
        Error(ErrorCode::kTooManyRequests, "busy").with_retry_after(std::chrono::hours(24)));
  }
  world.start();
  world.simulation.run_for(minutes(4));
  EXPECT_FALSE(world.informers.has_synced());
  world.simulation.run_for(minutes(2));
  EXPECT_TRUE(world.informers.has_synced());
}

TEST(Informers, InitialEventsCanBeStreamed) {
  FollowedLists world(1, {.streams_initial_events = true});
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
  FollowedLists world(1, {.streams_initial_events = true});
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

}  // namespace
}  // namespace berth::kube
