#include "volumes_replay.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/pod.h"
#include "base/result.h"
#include "difference.h"
#include "volumes/answer.h"
#include "volumes/plan.h"
#include "volumes/pod_claims.h"
#include "volumes/rules.h"
#include "volumes/score.h"
#include "volumes/switches.h"
#include "volumes/view.h"
#include "volumes_bind.h"
#include "volumes_engine.h"
#include "volumes_json.h"
#include "volumes_scenario.h"
#include "volumes_world.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

json::array keys_of(const std::vector<volumes::ClaimEntryPtr>& claims) {
  json::array keys;
  for (const volumes::ClaimEntryPtr& claim : claims) {
    keys.emplace_back(volumes::claim_key(*claim->stored));
  }
  return keys;
}

// All volumes of a class, whatever their phase: what upstream goes through for each node.
json::array volumes_of_class(const volumes::View& view, std::string_view name) {
  json::array names;
  for (const auto& [volume_name, volume] : view.volumes()) {
    if (volumes::class_of(*volume->stored) == name) {
      names.emplace_back(volume_name);
    }
  }
  return names;
}

json::object replay_claims(VolumesWorld& world, const api::Pod& pod) {
  const volumes::View view = world.catalog().view();
  const auto sorted = volumes::sort_claims(view, pod, world.switches());
  if (!sorted) {
    return {{"bound", nullptr},
            {"delayed", nullptr},
            {"immediate", nullptr},
            {"error", sorted.error().text()}};
  }
  json::object claims{{"bound", keys_of(sorted->bound)},
                      {"delayed", keys_of(sorted->delayed)},
                      {"immediate", keys_of(sorted->immediate)}};
  json::object by_class;
  for (const volumes::ClaimEntryPtr& claim : sorted->delayed) {
    const std::string name(volumes::class_of(*claim->current()));
    by_class[name] = volumes_of_class(view, name);
  }
  if (!by_class.empty()) {
    claims["pvsByClass"] = std::move(by_class);
  }
  return claims;
}

json::object replay_filter(VolumesWorld& world, Attempt& attempt) {
  json::object nodes;
  for (const std::string& node : world.node_names()) {
    json::object outcome = to_json(attempt.filter(node));
    if (const volumes::NodePlan* plan = attempt.find_plan(node)) {
      put_plan(outcome, *plan);
    }
    const bool is_found = attempt.find_plan(node) != nullptr;
    if (attempt.is_in_feasible_set(node) != is_found) {
      outcome["inFeasibleSet"] = !is_found;
    }
    nodes[node] = std::move(outcome);
  }
  return nodes;
}

// PreFilter and Filter of the second pod, each time as a new attempt.
json::object replay_second(VolumesWorld& world, const PodPtr& pod) {
  Attempt attempt(world, pod);
  const volumes::Answer answer = attempt.pre_filter();
  json::object outcome{{"preFilter", to_json(answer)}};
  if (answer.is_success()) {
    outcome["filter"] = replay_filter(world, attempt);
  }
  return outcome;
}

void replay_scores(const Attempt& attempt, const volumes::Shape& custom, json::object& got) {
  json::object scores;
  json::object custom_scores;
  for (const std::string& node : attempt.feasible()) {
    scores[node] = {{"score", attempt.score(node, volumes::default_shape())}};
    custom_scores[node] = {{"score", attempt.score(node, custom)}};
  }
  // The scorer is always there, so this step never says anything else.
  got["preScore"] = to_json(volumes::Answer::success());
  got["score"] = std::move(scores);
  got["scoreCustom"] = std::move(custom_scores);
}

json::object replay_reserve(VolumesWorld& world, Attempt& attempt, const std::string& node) {
  const Result<bool> all_bound = attempt.reserve(node);
  json::object reserve{{"node", node}};
  if (all_bound) {
    reserve["status"] = to_json(volumes::Answer::success());
    reserve["allBound"] = *all_bound;
  } else {
    reserve["status"] = to_json(volumes::Answer::error(all_bound.error().text()));
  }
  reserve["assumed"] = world.assumed();
  return reserve;
}

json::value same_or(const json::object& before, json::object after) {
  return after == before ? json::value("same") : json::value(std::move(after));
}

const json::object* find_object(const json::object& object, std::string_view field) {
  const json::value* const value = object.if_contains(field);
  return value == nullptr ? nullptr : value->if_object();
}

json::object* find_object(json::object& object, std::string_view field) {
  json::value* const value = object.if_contains(field);
  return value == nullptr ? nullptr : value->if_object();
}

// What we found for a node, in the form of an alternative.
json::object alternative_of(const json::object& got, std::string_view node) {
  json::object outcome;
  if (const json::object* filter = find_object(got, "filter")) {
    if (const json::object* found = find_object(*filter, node)) {
      outcome = *found;
    }
  }
  for (const std::string_view field : {"score", "scoreCustom"}) {
    const json::object* const scores = find_object(got, field);
    const json::object* const score = scores == nullptr ? nullptr : find_object(*scores, node);
    outcome[field] = score == nullptr ? json::object() : *score;
  }
  return outcome;
}

}  // namespace

bool is_volumes_row(const json::object& row) {
  return row.contains("secondPod") && row.contains("customShape") && row.contains("expect");
}

VolumesRow::VolumesRow(const json::object& row)
    : row_(row), expected_(row.at("expect").as_object()), scenario_(read_scenario(row)) {}

json::object VolumesRow::replay(const volumes::Switches& switches) const {
  VolumesWorld world(scenario_, switches);
  json::object got{{"claims", replay_claims(world, *scenario_.pod)}};
  Attempt attempt(world, scenario_.pod);
  const volumes::Answer check = attempt.pre_filter();
  got["preFilter"] = to_json(check);
  if (scenario_.race && scenario_.race->is_before_filter) {
    world.deliver(scenario_.race->events);
  }
  if (check.is_success()) {
    got["filter"] = replay_filter(world, attempt);
  }
  const std::vector<std::string> feasible = attempt.feasible();
  got["feasible"] = json::array(feasible.begin(), feasible.end());
  if (feasible.empty()) {
    return got;
  }
  replay_scores(attempt, scenario_.custom_shape, got);
  if (scenario_.race && !scenario_.race->is_before_filter) {
    world.deliver(scenario_.race->events);
  }
  const json::object second = replay_second(world, scenario_.second_pod);
  got["reserve"] = replay_reserve(world, attempt, feasible.front());
  if (scenario_.race || !got.at("reserve").as_object().contains("allBound")) {
    return got;  // recorded rows end here
  }
  const json::object after_reserve = replay_second(world, scenario_.second_pod);
  attempt.unreserve();
  got["assumedAfterUnreserve"] = world.assumed();
  got["secondPod"] = {
      {"before", second},
      {"afterReserve", same_or(second, after_reserve)},
      {"afterUnreserve", same_or(second, replay_second(world, scenario_.second_pod))}};
  // How it is called is recorded beside the results: without them there is nothing to replay, and
  // something is missing.
  got["bind"] = scenario_.bind
                    ? json::value(replay_bind(scenario_, row_.at("objects").as_object(), switches))
                    : json::value("not recorded");
  return got;
}

// What a row leaves open, or says about itself, is taken over from it.
void VolumesRow::fill_in_what_is_open(json::object& got) const {
  // Upstream crashed: any score will do.
  for (const std::string_view field : {"score", "scoreCustom"}) {
    const json::object* const scores = find_object(expected_, field);
    json::object* const ours = find_object(got, field);
    if (scores == nullptr || ours == nullptr) {
      continue;
    }
    for (const auto& node : *scores) {
      const json::object* const score = node.value().if_object();
      if (score != nullptr && score->contains("panic") && ours->contains(node.key())) {
        (*ours)[node.key()] = *score;
      }
    }
  }
  // Our order is the recorded one, so it is the first alternative that we must have.
  if (const json::object* alternatives = find_object(expected_, "alternatives")) {
    json::object ours = *alternatives;
    for (auto& node : ours) {
      node.value().as_array().at(0) = alternative_of(got, node.key());
    }
    got["alternatives"] = std::move(ours);
  }
  // A remark about upstream's order, not a result.
  const json::object* const second = find_object(expected_, "secondPod");
  json::object* const our_second = find_object(got, "secondPod");
  if (second != nullptr && our_second != nullptr && second->contains("orderDependent")) {
    (*our_second)["orderDependent"] = second->at("orderDependent");
  }
}

Differences VolumesRow::check(const volumes::Switches& switches) const {
  json::object got = replay(switches);
  fill_in_what_is_open(got);
  return compare(expected_, got);
}

}  // namespace berth::vector_check
