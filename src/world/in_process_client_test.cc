// What a process reads: as old as it allows, from servers that know more or less.
#include "world/in_process_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/time.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/testing/small_cluster.h"

namespace berth::world {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Page = Result<kube::ListPage>;

Page list(SmallCluster& world, const std::string& version, rt::Duration patience = minutes(1)) {
  return world.wait(world.client.list({.of = SmallCluster::maps(), .resource_version = version},
                                      {.deadline = world.simulation.now() + patience}));
}

std::uint64_t version_of(const Page& page) {
  EXPECT_TRUE(page.has_value());
  return page ? std::stoull(page->resource_version) : 0;
}

void make(SmallCluster& world, int number) {
  EXPECT_TRUE(
      world.cluster.store().create(SmallCluster::create_request(fmt::format("a{}", number))));
}

TEST(InProcessClient, AStaleListIsOldButNeverOlderThanAsked) {
  SmallCluster world("stale-list");
  for (int i = 0; i < 20; ++i) {
    make(world, i);
  }
  world.simulation.run_for(seconds(1));
  std::uint64_t stale = 0;
  for (int i = 0; i < 200; ++i) {
    const Page page = list(world, "10");
    EXPECT_GE(version_of(page), 10U);
    // The objects are those of the version: every change made one.
    EXPECT_EQ(page->items.size(), version_of(page) - 3);
    stale += version_of(page) < world.newest() ? 1 : 0;
  }
  EXPECT_GT(stale, 0U);
  EXPECT_EQ(world.faults.counts().of(Fault::kStaleList), stale);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(version_of(list(world, "")), world.newest());
  }
}

TEST(InProcessClient, ServersThatHearLateDisagree) {
  SmallCluster world("late-events");
  bool disagree = false;
  for (int i = 0; i < 100; ++i) {
    make(world, i);
    world.simulation.run_for(milliseconds(500));
    disagree = disagree || world.cluster.server(0).view() != world.cluster.server(1).view();
    EXPECT_LE(world.cluster.server(0).view(), world.newest());
  }
  EXPECT_TRUE(disagree);
  world.simulation.run_for(minutes(1));
  EXPECT_EQ(world.cluster.server(0).view(), world.newest());
  EXPECT_EQ(world.cluster.server(1).view(), world.newest());
}

TEST(InProcessClient, AnotherServerMayKnowLess) {
  SmallCluster world("late-events,other-server");
  bool goes_back = false;
  std::uint64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    make(world, i);
    const std::uint64_t version = version_of(list(world, "0"));
    goes_back = goes_back || version < last;
    last = version;
    // Who says how new it must be is not served by one that does not know it yet.
    const Page fresh = list(world, std::to_string(world.newest()));
    EXPECT_TRUE(fresh ? version_of(fresh) >= world.newest()
                      : fresh.error().code() == ErrorCode::kTimeout);
  }
  EXPECT_TRUE(goes_back);
}

TEST(InProcessClient, OneServerNeverGoesBack) {
  SmallCluster world("late-events");
  std::uint64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    make(world, i);
    const std::uint64_t version = version_of(list(world, "0"));
    EXPECT_GE(version, last);
    last = version;
  }
}

TEST(InProcessClient, AListOfTheFutureIsWaitedForAWhile) {
  SmallCluster world("none");
  const rt::Time begin = world.simulation.now();
  const Page page = list(world, "100");
  ASSERT_FALSE(page.has_value());
  EXPECT_EQ(page.error().code(), ErrorCode::kTimeout);
  EXPECT_GE(world.simulation.now() - begin, seconds(3));
}

TEST(InProcessClient, AReadThatTakesTooLongTimesOut) {
  SmallCluster world("latency");
  std::uint64_t late = 0;
  for (int i = 0; i < 100; ++i) {
    const Page page = list(world, "", milliseconds(40));
    if (!page) {
      EXPECT_EQ(page.error().code(), ErrorCode::kTimeout);
      ++late;
    }
  }
  EXPECT_GT(late, 0U);
  EXPECT_EQ(world.faults.counts().of(Fault::kLatency), late);
}

TEST(InProcessClient, AReadIsRefusedByABusyOrBrokenServer) {
  SmallCluster world("too-many-requests,server-error");
  std::uint64_t busy = 0;
  std::uint64_t broken = 0;
  for (int i = 0; i < 500; ++i) {
    const Page page = list(world, "");
    if (!page) {
      const bool is_busy = page.error().code() == ErrorCode::kTooManyRequests;
      EXPECT_EQ(page.error().retry_after() > rt::Duration(0), is_busy);
      ++(is_busy ? busy : broken);
    }
  }
  EXPECT_GT(busy, 0U);
  EXPECT_GT(broken, 0U);
  EXPECT_EQ(world.faults.counts().of(Fault::kTooManyRequests), busy);
  EXPECT_EQ(world.faults.counts().of(Fault::kServerError), broken);
}

}  // namespace
}  // namespace berth::world
