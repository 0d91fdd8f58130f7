#include "volumes_engine.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/result.h"
#include "volumes/answer.h"
#include "volumes/plan.h"
#include "volumes/pod_claims.h"
#include "volumes/score.h"
#include "volumes/search.h"
#include "volumes_scenario.h"
#include "volumes_world.h"

namespace berth::vector_check {

Attempt::Attempt(VolumesWorld& world, PodPtr pod) : world_(world), pod_(std::move(pod)) {}

volumes::Answer Attempt::pre_filter() {
  check_ = volumes::check_pod(world_.catalog().view(), *pod_, world_.switches());
  return check_.answer;
}

// Made when the first node is asked about: what happened since PreFilter is seen as far as the
// engine wants to see it.
volumes::Search& Attempt::search() {
  BERTH_ASSERT(check_.answer.is_success(), "nodes are looked at after PreFilter let the pod pass");
  if (!search_) {
    search_.emplace(check_.claims, world_.catalog().view(), world_.switches());
  }
  return *search_;
}

volumes::Answer Attempt::filter(const std::string& node) {
  const auto number = search().view().find_node_number(node);
  BERTH_ASSERT(number.has_value(), "only nodes of the scenario are asked about");
  volumes::NodeAnswer found = search().look_at(*number);
  if (found.answer.is_success()) {
    plans_.insert_or_assign(node, std::move(found.plan));
  }
  return std::move(found.answer);
}

bool Attempt::is_in_feasible_set(const std::string& node) {
  const auto number = search().view().find_node_number(node);
  return number.has_value() && search().feasible().test(*number);
}

const volumes::NodePlan* Attempt::find_plan(const std::string& node) const {
  const auto found = plans_.find(node);
  return found == plans_.end() ? nullptr : &found->second;
}

std::vector<std::string> Attempt::feasible() const {
  if (check_.answer.code == volumes::Code::kSkip) {
    return world_.node_names();
  }
  std::vector<std::string> names;
  for (const auto& [node, plan] : plans_) {
    names.push_back(node);
  }
  return names;
}

std::int64_t Attempt::score(const std::string& node, const volumes::Shape& shape) const {
  const volumes::NodePlan* const plan = find_plan(node);
  return plan == nullptr ? 0 : volumes::score(*plan, shape, world_.switches());
}

Result<bool> Attempt::reserve(const std::string& node) {
  const volumes::NodePlan* const plan = find_plan(node);
  if (plan == nullptr) {
    is_all_bound_ = true;  // a pod without claims
    return true;
  }
  BERTH_TRY(assumed_, world_.ledger().assume(*pod_, node, *plan));
  is_all_bound_ = assumed_->is_all_bound;
  return is_all_bound_;
}

void Attempt::unreserve() {
  if (assumed_) {
    world_.ledger().revert(*assumed_);
  }
}

}  // namespace berth::vector_check
