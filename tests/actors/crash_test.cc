// The actors end where it hurts, before, during and after every single write, and under all faults
// of a simulated cluster. The end is the same as without.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "actors/names.h"
#include "actors/quay.h"
#include "api/objects/persistent_volume.h"
#include "volumes/names.h"
#include "world/faults.h"

namespace berth::actors {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kImmediate = "Immediate";
constexpr std::string_view kWait = "WaitForFirstConsumer";

// One claim of each kind: immediate, static by the scheduler, made by the provisioner, pre-bound,
// and one that goes again.
void play(Quay& quay) {
  quay.make_node("n1");
  quay.make_class("wait", volumes::kNoProvisioner, kWait);
  quay.make_class("imm", volumes::kNoProvisioner, kImmediate);
  quay.make_class("sim",
                  "fast.sim.berth.dev",
                  kWait,
                  R"(,"reclaimPolicy":"Delete","parameters":{"latency":"1s","capacity":"10Gi"})");
  quay.make_volume("p", "imm", "5Gi");
  quay.make_volume("q", "wait", "5Gi");
  quay.make_volume("r", "wait", "5Gi", R"(,"claimRef":{"namespace":"default","name":"named"})");
  quay.make_claim("immediate", "imm", "3Gi");
  quay.make_claim("static", "wait", "3Gi");
  quay.make_claim("made", "sim", "3Gi");
  quay.make_claim("going", "sim", "3Gi");
  quay.make_claim("named", "wait", "3Gi");
  quay.run_for(seconds(30));
  quay.point("q", "static");
  quay.select_node("made", "n1");
  quay.select_node("going", "n1");
  quay.run_for(minutes(1));
  quay.remove_claim("going");
  quay.run_for(minutes(1));
}

void settle(Quay& quay) {
  quay.faults().stop();
  quay.run_for(minutes(15));
}

std::string end_without_trouble() {
  static const std::string end = [] {
    Quay quay;
    play(quay);
    settle(quay);
    return quay.summary();
  }();
  return end;
}

TEST(ActorCrashes, WithoutTroubleAllIsBoundAndWhatIsLeftGoes) {
  Quay quay;
  play(quay);
  settle(quay);
  for (const std::string name : {"immediate", "static", "made", "named"}) {
    EXPECT_EQ(quay.claim(name).status.phase, phase::kBound) << name;
  }
  EXPECT_EQ(quay.volumes().size(), 4U);
}

TEST(ActorCrashes, AtEveryWriteTheEndIsTheSame) {
  std::uint64_t writes = 0;
  {
    Quay quay({.faults = "crash", .crash_at = world::CrashAt{}});
    play(quay);
    writes = quay.faults().writes();
  }
  ASSERT_GT(writes, 20U);
  for (std::uint64_t write = 1; write <= writes; ++write) {
    for (const world::Phase phase :
         {world::Phase::kBefore, world::Phase::kDuring, world::Phase::kAfter}) {
      const world::CrashAt crash{.write = write, .phase = phase};
      Quay quay({.faults = "crash", .crash_at = crash});
      play(quay);
      settle(quay);
      EXPECT_EQ(quay.summary(), end_without_trouble()) << "crash at " << crash.text();
    }
  }
}

TEST(ActorCrashes, UnderAllFaultsTheEndIsTheSame) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Quay quay({.seed = seed, .faults = "all"});
    play(quay);
    settle(quay);
    EXPECT_EQ(quay.summary(), end_without_trouble()) << "seed " << seed;
  }
}

TEST(ActorCrashes, WithConflictsAndLostAnswersTheEndIsTheSame) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Quay quay({.seed = seed, .faults = "conflict,lost-answer"});
    play(quay);
    settle(quay);
    EXPECT_EQ(quay.summary(), end_without_trouble()) << "seed " << seed;
  }
}

TEST(ActorCrashes, AControllerThatRestsTakesUpWhatWaited) {
  Quay quay;
  quay.make_class("wait", volumes::kNoProvisioner, kWait);
  quay.make_volume("p", "wait", "5Gi");
  quay.make_claim("c", "wait", "3Gi");
  quay.run();
  quay.pause_controller(true);
  quay.run_for(seconds(5));
  quay.point("p", "c");
  quay.run_for(seconds(30));
  EXPECT_EQ(quay.claim("c").status.phase, phase::kPending);
  quay.pause_controller(false);
  quay.run_for(seconds(3));
  EXPECT_EQ(quay.claim("c").status.phase, phase::kBound);
}

}  // namespace
}  // namespace berth::actors
