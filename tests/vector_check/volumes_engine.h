// One attempt to place a pod, step by step as the scheduling framework would drive the engine. What
// the replay needs of the engine is called here and in volumes_bind.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "volumes/answer.h"
#include "volumes/plan.h"
#include "volumes/pod_claims.h"
#include "volumes/score.h"
#include "volumes/search.h"
#include "volumes_scenario.h"
#include "volumes_world.h"

namespace berth::vector_check {

class Attempt {
 public:
  // `world` outlives it.
  Attempt(VolumesWorld& world, PodPtr pod);

  volumes::Answer pre_filter();
  // After a success of pre_filter() only.
  volumes::Answer filter(const std::string& node);
  // Whether the search over all nodes at once has this one.
  bool is_in_feasible_set(const std::string& node);
  // What filter() found for the node; null if that was no success.
  const volumes::NodePlan* find_plan(const std::string& node) const;
  // Nodes with a plan, by name; all of them when the pod has no claims.
  std::vector<std::string> feasible() const;

  std::int64_t score(const std::string& node, const volumes::Shape& shape) const;

  // Whether all claims are bound already.
  Result<bool> reserve(const std::string& node);
  void unreserve();

  const api::Pod& pod() const { return *pod_; }
  bool is_all_bound() const { return is_all_bound_; }
  volumes::AssumedPlan* assumed() { return assumed_ ? &*assumed_ : nullptr; }

 private:
  volumes::Search& search();

  VolumesWorld& world_;
  const PodPtr pod_;
  volumes::PodCheck check_;
  std::optional<volumes::Search> search_;
  std::map<std::string, volumes::NodePlan> plans_;  // by node
  bool is_all_bound_ = false;
  std::optional<volumes::AssumedPlan> assumed_;
};

}  // namespace berth::vector_check
