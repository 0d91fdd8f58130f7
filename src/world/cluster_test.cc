// Each fault of a write, one at a time: it does what its name says, and what is counted happened.
#include "world/cluster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/scope.h"
#include "rt/time.h"
#include "world/faults.h"
#include "world/in_process_client.h"
#include "world/testing/small_cluster.h"

namespace berth::world {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Answer = Result<kube::Document>;

std::uint64_t count(const SmallCluster& world, Fault fault, Phase phase) {
  return world.faults.counts().of(fault, WriteKind::kCreate, phase);
}

TEST(Cluster, ALostAnswerMeansNeverLaterOrAlready) {
  SmallCluster world("lost-answer");
  std::array<std::uint64_t, kPhases> lost{};
  for (int i = 0; i < 500; ++i) {
    const std::string name = fmt::format("a{}", i);
    const Answer answer = world.wait(world.client.create(SmallCluster::create_request(name), {}));
    if (answer) {
      EXPECT_TRUE(world.has(name));
      continue;
    }
    EXPECT_EQ(answer.error().code(), ErrorCode::kUnknownOutcome);
    const bool was_there = world.has(name);
    world.simulation.run_for(minutes(2));
    const bool is_there = world.has(name);
    const Phase phase = was_there ? Phase::kAfter : is_there ? Phase::kDuring : Phase::kBefore;
    ++lost[static_cast<std::size_t>(phase)];
  }
  for (const Phase phase : {Phase::kBefore, Phase::kDuring, Phase::kAfter}) {
    EXPECT_GT(lost[static_cast<std::size_t>(phase)], 0U) << name_of(phase);
    EXPECT_EQ(count(world, Fault::kLostAnswer, phase), lost[static_cast<std::size_t>(phase)])
        << name_of(phase);
  }
}

TEST(Cluster, ALostAnswerOfAWriteThatWasRefusedDoesNotCountAsApplied) {
  SmallCluster world("lost-answer");
  EXPECT_TRUE(world.cluster.store().create(SmallCluster::create_request("a")));
  const std::uint64_t during = count(world, Fault::kLostAnswer, Phase::kDuring);
  const std::uint64_t after = count(world, Fault::kLostAnswer, Phase::kAfter);
  for (int i = 0; i < 500; ++i) {
    EXPECT_FALSE(world.wait(world.client.create(SmallCluster::create_request("a"), {})));
  }
  world.simulation.run_for(minutes(2));
  EXPECT_EQ(count(world, Fault::kLostAnswer, Phase::kDuring), during);
  EXPECT_EQ(count(world, Fault::kLostAnswer, Phase::kAfter), after);
}

TEST(Cluster, WhatBefallsAnAnswerNobodyWaitsForDoesNotCount) {
  SmallCluster world("lost-answer,latency");
  for (int i = 0; i < 500; ++i) {
    auto process = std::make_unique<rt::Scope>(world.simulation, "process");
    std::optional<Answer> answer;
    process->spawn(
        "a write",
        SmallCluster::keep(
            world.client.create(SmallCluster::create_request(fmt::format("a{}", i)), {}), &answer));
    world.simulation.run_for(seconds(0));
    process.reset();
  }
  world.simulation.run_for(minutes(2));
  EXPECT_EQ(count(world, Fault::kLostAnswer, Phase::kBefore), 0U);
  EXPECT_GT(count(world, Fault::kLostAnswer, Phase::kDuring), 0U);
  EXPECT_EQ(count(world, Fault::kLostAnswer, Phase::kAfter), 0U);
  EXPECT_GT(count(world, Fault::kLatency, Phase::kBefore), 0U);
  EXPECT_GT(count(world, Fault::kLatency, Phase::kDuring), 0U);
  EXPECT_EQ(count(world, Fault::kLatency, Phase::kAfter), 0U);
}

struct Refused {
  std::string_view fault;
  ErrorCode code;
  Phase phase;
  bool says_when;  // to come back
};

class ClusterRefusal : public testing::TestWithParam<Refused> {};

TEST_P(ClusterRefusal, IsNotAppliedAndCounted) {
  SmallCluster world(GetParam().fault);
  std::uint64_t refused = 0;
  for (int i = 0; i < 500; ++i) {
    const std::string name = fmt::format("a{}", i);
    const Answer answer = world.wait(world.client.create(SmallCluster::create_request(name), {}));
    world.simulation.run_for(minutes(2));
    EXPECT_EQ(world.has(name), answer.has_value());
    if (!answer) {
      ++refused;
      EXPECT_EQ(answer.error().code(), GetParam().code);
      EXPECT_EQ(answer.error().retry_after() > rt::Duration(0), GetParam().says_when);
    }
  }
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(count(world, *find_fault(GetParam().fault), GetParam().phase), refused);
}

INSTANTIATE_TEST_SUITE_P(
    Faults,
    ClusterRefusal,
    testing::Values(Refused{"too-many-requests", ErrorCode::kTooManyRequests, Phase::kBefore, true},
                    Refused{"server-error", ErrorCode::kServerError, Phase::kBefore, false},
                    Refused{"conflict", ErrorCode::kConflict, Phase::kDuring, false}),
    [](const testing::TestParamInfo<Refused>& refused) {
      std::string name(refused.param.fault);
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST(Cluster, LatencyDelaysTheRequestItsHandlingOrItsAnswer) {
  SmallCluster world("latency");
  std::uint64_t slow = 0;
  bool is_landed_early = false;
  for (int i = 0; i < 300; ++i) {
    const std::string name = fmt::format("a{}", i);
    const rt::Time begin = world.simulation.now();
    std::optional<rt::Time> landed;
    world.cluster.observe({.landed = [&](const Write&, const Result<std::string>&) {
      landed = world.simulation.now();
    }});
    EXPECT_TRUE(world.wait(world.client.create(SmallCluster::create_request(name), {})));
    const rt::Time end = world.simulation.now();
    if (end - begin >= milliseconds(50)) {
      ++slow;
      is_landed_early = is_landed_early || *landed - begin < milliseconds(50);
    }
  }
  EXPECT_EQ(world.faults.counts().of(Fault::kLatency), slow);
  EXPECT_TRUE(is_landed_early);
  for (const Phase phase : {Phase::kBefore, Phase::kDuring, Phase::kAfter}) {
    EXPECT_GT(count(world, Fault::kLatency, phase), 0U) << name_of(phase);
  }
}

TEST(Cluster, AFaultOfSomebodyElsesWriteIsCountedForNoKindOfWrite) {
  SmallCluster world("server-error");
  InProcessClient other(world.cluster, world.simulation, "other", {});
  for (int i = 0; i < 300; ++i) {
    static_cast<void>(
        world.wait(other.create(SmallCluster::create_request(fmt::format("a{}", i)), {})));
  }
  EXPECT_GT(world.faults.counts().of(Fault::kServerError), 0U);
  EXPECT_EQ(count(world, Fault::kServerError, Phase::kBefore), 0U);
}

// Sends one write and ends the process when it wants to crash.
struct Crash {
  explicit Crash(Phase phase, std::string_view faults = "none", std::uint64_t seed = 1)
      : world(faults, seed, CrashAt{.write = 1, .phase = phase}) {
    auto process = std::make_unique<rt::Scope>(world.simulation, "process");
    std::optional<Answer> answer;
    process->spawn(
        "a write",
        SmallCluster::keep(world.client.create(SmallCluster::create_request("a"),
                                               {.deadline = world.simulation.now() + seconds(1)}),
                           &answer));
    world.simulation.run_until([this] { return world.has_crashed; }, rt::Time(minutes(5)));
    EXPECT_TRUE(world.has_crashed);
    EXPECT_FALSE(answer.has_value());
    process.reset();
    was_there = world.has("a");
    world.simulation.run_for(minutes(2));
  }

  SmallCluster world;
  bool was_there = false;
};

TEST(Cluster, AProcessThatCrashesBeforeItSendsHasNotWritten) {
  Crash crash(Phase::kBefore);
  EXPECT_FALSE(crash.world.has("a"));
  EXPECT_EQ(count(crash.world, Fault::kCrash, Phase::kBefore), 1U);
}

TEST(Cluster, WhatAProcessHasSentLandsAfterItsCrash) {
  Crash crash(Phase::kDuring);
  EXPECT_FALSE(crash.was_there);
  EXPECT_TRUE(crash.world.has("a"));
  EXPECT_EQ(count(crash.world, Fault::kCrash, Phase::kDuring), 1U);
}

TEST(Cluster, AProcessThatCrashesWithTheAnswerHasWritten) {
  const Crash crash(Phase::kAfter);
  EXPECT_TRUE(crash.was_there);
  EXPECT_EQ(count(crash.world, Fault::kCrash, Phase::kAfter), 1U);
}

TEST(Cluster, ACrashWithoutTheAnswerThatWasWaitedForIsOneDuringTheWrite) {
  std::uint64_t during = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Crash crash(Phase::kAfter, "latency", seed);  // beyond the deadline of the write
    EXPECT_EQ(crash.world.faults.counts().of(Fault::kCrash), 1U);
    during += count(crash.world, Fault::kCrash, Phase::kDuring);
  }
  EXPECT_GT(during, 0U);
}

}  // namespace
}  // namespace berth::world
