#include "actors/sim_class.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/storage.h"
#include "base/error.h"
#include "base/result.h"

namespace berth::actors {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Parameters = std::vector<std::pair<std::string, std::string>>;

Result<SimClass> read(const Parameters& parameters) {
  api::StorageClass storage_class;
  for (const auto& [name, value] : parameters) {
    storage_class.parameters.insert_or_assign(name, value);
  }
  return read_sim_class(storage_class);
}

TEST(SimNames, ThreeFormsAreOurs) {
  EXPECT_TRUE(is_simulated("sim.berth.dev"));
  EXPECT_TRUE(is_simulated("sim.berth.dev/fast"));
  EXPECT_TRUE(is_simulated("fast.sim.berth.dev"));
  EXPECT_FALSE(is_simulated("fastsim.berth.dev"));
  EXPECT_FALSE(is_simulated("fast.sim.berth.dev/x"));
  EXPECT_FALSE(is_simulated("berth.dev"));
  EXPECT_FALSE(is_simulated(""));
  EXPECT_EQ(driver_of("sim.berth.dev/fast"), "sim.berth.dev");
  EXPECT_EQ(driver_of("fast.sim.berth.dev"), "fast.sim.berth.dev");
}

TEST(SimClass, SaysNothingMeansAtOnceWithoutEndPerNode) {
  const auto sim = read({});
  ASSERT_TRUE(sim);
  EXPECT_EQ(sim->latency_max, rt::Duration{});
  EXPECT_FALSE(sim->capacity);
  EXPECT_EQ(sim->topology_key, "kubernetes.io/hostname");
  EXPECT_FALSE(is_to_fail(*sim, "n1", 0, 1));
}

TEST(SimClass, LatencyIsADurationOrTwo) {
  EXPECT_EQ(read({{"latency", "250ms"}})->latency_min, milliseconds(250));
  EXPECT_EQ(read({{"latency", "1s-2m"}})->latency_min, seconds(1));
  EXPECT_EQ(read({{"latency", "1s-2m"}})->latency_max, seconds(120));
}

TEST(SimClass, WhatCannotBeReadIsNamed) {
  for (const Parameters& parameters : std::vector<Parameters>{{{"latency", "soon"}},
                                                              {{"latency", "-5s"}},
                                                              {{"latency", "5s-1s"}},
                                                              {{"latency", "99999999m"}},
                                                              {{"capacity", "much"}},
                                                              {{"capacity", "-1Gi"}},
                                                              {{"failure", "OK"}},
                                                              {{"failure", "Bad"}},
                                                              {{"failTimes", "two"}},
                                                              {{"failOneIn", "2x"}},
                                                              {{"colour", "blue"}}}) {
    const auto sim = read(parameters);
    ASSERT_FALSE(sim) << parameters[0].second;
    EXPECT_EQ(sim.error().code(), ErrorCode::kInvalid);
    EXPECT_NE(sim.error().text().find(parameters[0].first), std::string::npos);
  }
}

TEST(SimClass, AFailureAloneIsForEver) {
  const auto sim = read({{"failure", "Internal"}});
  EXPECT_TRUE(is_to_fail(*sim, "n1", 1000, 1));
}

TEST(SimClass, FailuresEndAfterTheirTimes) {
  const auto sim = read({{"failure", "Internal"}, {"failTimes", "2"}});
  EXPECT_TRUE(is_to_fail(*sim, "n1", 1, 1));
  EXPECT_FALSE(is_to_fail(*sim, "n1", 2, 1));
}

TEST(SimClass, FailuresByChanceNeedBadLuck) {
  const auto sim = read({{"failOneIn", "3"}});
  EXPECT_TRUE(is_to_fail(*sim, "n1", 0, 0));
  EXPECT_FALSE(is_to_fail(*sim, "n1", 0, 2));
}

TEST(SimClass, FailuresKeepToTheirNodes) {
  const auto sim = read({{"failure", "Internal"}, {"failNodes", "n1,,n2"}});
  EXPECT_TRUE(is_to_fail(*sim, "n2", 0, 1));
  EXPECT_FALSE(is_to_fail(*sim, "n3", 0, 1));
}

TEST(Outcomes, HaveNames) {
  EXPECT_EQ(name_of(Outcome::kInternal), "Internal");
  EXPECT_EQ(find_outcome("Aborted"), Outcome::kAborted);
  EXPECT_EQ(find_outcome("aborted"), std::nullopt);
}

// Section 9.3 of the specification, line by line.
TEST(Outcomes, OnlyALackOfRoomOnASelectedNodeGivesTheNodeBack) {
  EXPECT_EQ(next_after(Outcome::kOk, true, true), Next::kDone);
  EXPECT_EQ(next_after(Outcome::kResourceExhausted, true, true), Next::kReschedule);
  EXPECT_EQ(next_after(Outcome::kResourceExhausted, false, true), Next::kRetry);
  EXPECT_EQ(next_after(Outcome::kResourceExhausted, true, false), Next::kRetry);
  EXPECT_EQ(next_after(Outcome::kInvalidArgument, true, true), Next::kRetryLate);
  for (const Outcome outcome : {Outcome::kUnavailable,
                                Outcome::kDeadlineExceeded,
                                Outcome::kAborted,
                                Outcome::kFailedPrecondition,
                                Outcome::kInternal}) {
    EXPECT_EQ(next_after(outcome, true, true), Next::kRetry);
  }
}

}  // namespace
}  // namespace berth::actors
