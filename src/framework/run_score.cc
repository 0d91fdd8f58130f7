// PreScore, Score, and the choice.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/node_set.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/runner.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::framework {

ScoreOutcome Runner::score(const Cycle& cycle, const NodeSet& nodes) {
  std::vector<std::size_t> numbers;
  ScoreOutcome outcome;
  for (const std::size_t node : nodes) {
    numbers.push_back(node);
    // Without anybody to ask all are alike, and each counts one.
    outcome.scores.push_back({.node = node, .total = scores_.empty() ? 1 : 0});
  }
  outcome.status = pre_score(cycle, numbers);
  if (!outcome.status.is_success()) {
    return outcome;
  }
  const rt::Time began = calls_.runtime().now();
  for (const Asked<ScorePoint>& asked : scores_) {
    if (cycle.state.skips_score.test(asked.plugin)) {
      continue;
    }
    outcome.status = add_scores(cycle, asked, numbers, outcome.scores);
    if (!outcome.status.is_success()) {
      break;
    }
  }
  calls_.observe_point(Point::kScore, outcome.status.code(), began);
  return outcome;
}

Status Runner::pre_score(const Cycle& cycle, std::span<const std::size_t> nodes) {
  const rt::Time began = calls_.runtime().now();
  Status outcome;
  for (const Asked<PreScorePoint>& asked : pre_scores_) {
    calls_.count_evaluation(asked.plugin, Point::kPreScore);
    auto answer = calls_.call(
        asked.plugin, Point::kPreScore, [&] { return asked.at->pre_score(cycle, nodes); });
    Status status = answer ? checked(asked.plugin, Point::kPreScore, *std::move(answer))
                           : failure(asked.plugin, Point::kPreScore, answer.error());
    if (status.is_skip()) {
      cycle.state.skips_score.set(asked.plugin);
    } else if (!status.is_success()) {
      outcome = std::move(status);
      break;
    }
  }
  calls_.observe_point(Point::kPreScore, outcome.code(), began);
  return outcome;
}

Status Runner::add_scores(const Cycle& cycle,
                          const Asked<ScorePoint>& asked,
                          std::span<const std::size_t> nodes,
                          std::span<NodeScore> totals) {
  calls_.count_evaluation(asked.plugin, Point::kScore);
  std::vector<std::int64_t> scores(nodes.size(), 0);
  auto scored = calls_.call(
      asked.plugin, Point::kScore, [&] { return asked.at->score(cycle, nodes, scores); });
  Status status = scored ? checked(asked.plugin, Point::kScore, *std::move(scored))
                         : failure(asked.plugin, Point::kScore, scored.error());
  if (!status.is_success()) {
    return status;
  }
  auto normalised = calls_.call(
      asked.plugin, Point::kNormalise, [&] { return asked.at->normalise(cycle, nodes, scores); });
  status = normalised ? checked(asked.plugin, Point::kNormalise, *std::move(normalised))
                      : failure(asked.plugin, Point::kNormalise, normalised.error());
  if (!status.is_success()) {
    return status;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (scores[i] < kScoreMin || scores[i] > kScoreMax) {
      return blame(asked.plugin,
                   Point::kScore,
                   fmt::format("its score {} of node {} is not between {} and {}",
                               scores[i],
                               cycle.snapshot.node(nodes[i]).node->metadata.name,
                               kScoreMin,
                               kScoreMax));
    }
    // Cannot leave the range: the weights were checked.
    totals[i].total += scores[i] * asked.weight;
  }
  return Status::success();
}

Chosen Runner::choose(const Cycle& cycle, const NodeSet& nodes, rt::Random& random) {
  const std::size_t count = nodes.count();
  if (count == 0) {
    return {.status = Status::error(Error(ErrorCode::kInvalid, "there is no node to choose"))};
  }
  if (count == 1) {
    return {.status = {}, .node = *nodes.find_first()};
  }
  ScoreOutcome scored = score(cycle, nodes);
  if (!scored.status.is_success()) {
    return {.status = std::move(scored.status)};
  }
  const auto& scores = scored.scores;
  const std::int64_t best = std::ranges::max(scores, {}, &NodeScore::total).total;
  std::vector<std::size_t> tied;
  for (const NodeScore& score : scores) {
    if (score.total == best) {
      tied.push_back(score.node);
    }
  }
  return {.status = {}, .node = tied[random.below(tied.size())]};
}

}  // namespace berth::framework
