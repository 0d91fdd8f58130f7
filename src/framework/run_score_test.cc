// Scoring and the choice, as catalogue 20.D has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "base/node_set.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/runner.h"
#include "framework/status.h"
#include "framework/testing/runner_house.h"
#include "framework/testing/scripted.h"
#include "rt/random.h"

namespace berth::framework {
namespace {

using testing::broken;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::RunnerHouse;

constexpr Points kBoth{Point::kPreScore, Point::kScore};

auto give(std::vector<std::int64_t> values) {
  return [values](std::span<std::int64_t> scores) {
    std::copy(values.begin(), values.end(), scores.begin());
    return Status();
  };
}

TEST(RunScore, SF_070_APluginThatSkipsPreScoreDoesNotScore) {
  RunnerHouse house(2);
  house.add("P1", kBoth, {.pre_score = [] { return Status::skip(); }, .score = give({100, 0})});
  house.add("P2", kBoth, {.score = give({1, 2})});
  const ScoreOutcome outcome = house.runner().score(house.cycle(), house.snapshot.nodes());
  EXPECT_THAT(outcome.scores,
              ElementsAre(NodeScore{.node = 0, .total = 1}, NodeScore{.node = 1, .total = 2}));
  EXPECT_THAT(house.log, ElementsAre("P1.PreScore", "P2.PreScore", "P2.Score"));
}

TEST(RunScore, SF_071_AnErrorOfPreScoreIsOneOfTheCycle) {
  RunnerHouse house(2);
  house.add("P1", kBoth, {.pre_score = broken});
  const ScoreOutcome outcome = house.runner().score(house.cycle(), house.snapshot.nodes());
  EXPECT_EQ(outcome.status.message(), "running PreScore plugin \"P1\": broken");
  EXPECT_THAT(house.log, ElementsAre("P1.PreScore"));
}

TEST(RunScore, SF_072_AScoreBeyondItsRangeNamesPluginAndNode) {
  RunnerHouse house(2);
  house.add("P1", kBoth, {.score = give({1, 101})});
  const ScoreOutcome outcome = house.runner().score(house.cycle(), house.snapshot.nodes());
  EXPECT_EQ(outcome.status.message(),
            "running Score plugin \"P1\": its score 101 of node n1 is not between 0 and 100");
}

TEST(RunScore, SF_073_ANormalisedScoreBeyondItsRangeIsAnError) {
  RunnerHouse house(2);
  house.add("P1", kBoth, {.score = give({1, 2}), .normalise = give({-1, 2})});
  const ScoreOutcome outcome = house.runner().score(house.cycle(), house.snapshot.nodes());
  EXPECT_TRUE(outcome.status.is_error());
  EXPECT_EQ(outcome.status.plugin(), "P1");
}

TEST(RunScore, AScoreMayBeAnythingUntilItIsNormalised) {
  RunnerHouse house(2);
  house.add("P1", kBoth, {.score = give({-5'000, 1'000'000}), .normalise = give({0, 100})});
  const ScoreOutcome outcome = house.runner().score(house.cycle(), house.snapshot.nodes());
  ASSERT_TRUE(outcome.status.is_success());
  EXPECT_EQ(outcome.scores[1].total, 100);
}

TEST(RunScore, SF_074_ScoresAreAddedByTheirWeights) {
  RunnerHouse house(2);
  house.add("P1", kBoth, {.score = give({10, 20})}, 1);
  house.add("P2", kBoth, {.score = give({30, 5})}, 2);
  const ScoreOutcome outcome = house.runner().score(house.cycle(), house.snapshot.nodes());
  EXPECT_THAT(outcome.scores,
              ElementsAre(NodeScore{.node = 0, .total = 70}, NodeScore{.node = 1, .total = 30}));
}

TEST(RunScore, SF_075_ASingleNodeIsNotScored) {
  RunnerHouse house;
  house.add("P1", kBoth, {.score = give({1, 2, 3})});
  rt::Random random(1);
  const Chosen chosen = house.runner().choose(house.cycle(), house.snapshot.some({2}), random);
  EXPECT_TRUE(chosen.status.is_success());
  EXPECT_EQ(chosen.node, 2U);
  EXPECT_THAT(house.log, IsEmpty());
}

TEST(RunScore, SF_076_OfTheBestAnyIsChosenAndNeverALowerOne) {
  RunnerHouse house(4);
  house.add("P1", kBoth, {.score = give({7, 3, 7, 7})});
  rt::Random random(1);
  std::set<std::size_t> chosen;
  for (int i = 0; i < 100; ++i) {
    chosen.insert(house.runner().choose(house.cycle(), house.snapshot.nodes(), random).node);
  }
  EXPECT_THAT(chosen, ElementsAre(0, 2, 3));
}

TEST(RunScore, TheSameSeedChoosesTheSameNodes) {
  std::vector<std::size_t> runs[2];
  for (auto& run : runs) {
    RunnerHouse house(8);
    house.add("P1", kBoth, {});
    rt::Random random(42);
    for (int i = 0; i < 20; ++i) {
      run.push_back(house.runner().choose(house.cycle(), house.snapshot.nodes(), random).node);
    }
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(RunScore, SF_077_ThereMustBeANodeToChoose) {
  RunnerHouse house;
  rt::Random random(1);
  EXPECT_TRUE(
      house.runner().choose(house.cycle(), house.snapshot.some({}), random).status.is_error());
}

TEST(RunScore, SF_079_AScoreThatFailsEndsTheScoring) {
  RunnerHouse house(2);
  house.add("P1", kBoth, {.score = [](std::span<std::int64_t>) { return broken(); }});
  house.add("P2", kBoth, {});
  const ScoreOutcome outcome = house.runner().score(house.cycle(), house.snapshot.nodes());
  EXPECT_EQ(outcome.status.message(), "running Score plugin \"P1\": broken");
  EXPECT_THAT(house.log, ElementsAre("P1.PreScore", "P2.PreScore", "P1.Score"));
}

TEST(RunScore, WithoutPluginsAllNodesCountOneAndWithSkippedOnesNothing) {
  RunnerHouse without(2);
  EXPECT_EQ(without.runner().score(without.cycle(), without.snapshot.nodes()).scores[1].total, 1);
  RunnerHouse skipping(2);
  skipping.add("P1", kBoth, {.pre_score = [] { return Status::skip(); }});
  EXPECT_EQ(skipping.runner().score(skipping.cycle(), skipping.snapshot.nodes()).scores[1].total,
            0);
}

TEST(StretchScores, TheLargestBecomesAHundred) {
  std::vector<std::int64_t> scores{0, 5, 20};
  stretch_scores(scores, Better::kMore);
  EXPECT_THAT(scores, ElementsAre(0, 25, 100));
  scores = {0, 5, 20};
  stretch_scores(scores, Better::kLess);
  EXPECT_THAT(scores, ElementsAre(100, 75, 0));
}

TEST(StretchScores, WhereAllAreZeroTheyAreTheWorstOrTheBest) {
  std::vector<std::int64_t> scores{0, 0};
  stretch_scores(scores, Better::kMore);
  EXPECT_THAT(scores, ElementsAre(0, 0));
  stretch_scores(scores, Better::kLess);
  EXPECT_THAT(scores, ElementsAre(100, 100));
}

TEST(StretchScores, LargeScoresDoNotOverflow) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> scores{kMax, kMax / 2};
  stretch_scores(scores, Better::kMore);
  EXPECT_THAT(scores, ElementsAre(100, 49));
}

}  // namespace
}  // namespace berth::framework
