#include "volumes/reach_table.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/rules/requirement.h"
#include "base/assert.h"
#include "base/node_set.h"

namespace berth::volumes {
namespace {

using Operator = api::Requirement::Operator;

std::string anchor_of(std::string_view key, std::string_view value) {
  std::string anchor;
  anchor.reserve(key.size() + 1 + value.size());
  anchor.append(key).append(1, '\0').append(value);
  return anchor;
}

}  // namespace

ReachTable::ReachTable(View& view, const api::NodeLabelIndex& labels)
    : view_(view), labels_(labels) {
  Reach everywhere = Reach::of_affinity({});
  BERTH_ASSERT(take_slot() == kEverywhere, "the first reach is everywhere");
  kept_[kEverywhere] = {.holders = 1, .identity = everywhere.identity(), .is_bare = true};
  by_identity_.emplace(kept_[kEverywhere].identity, kEverywhere);
  bare_.insert(kEverywhere);
  view_.reaches_.edit(kEverywhere).reach = std::make_shared<const Reach>(std::move(everywhere));
}

ReachId ReachTable::acquire(Reach reach) {
  if (reach.is_everywhere()) {
    return kEverywhere;
  }
  std::string identity = reach.identity();
  if (const auto known = by_identity_.find(identity); known != by_identity_.end()) {
    ++kept_[known->second].holders;
    return known->second;
  }
  const ReachId id = take_slot();
  Keeping& keeping = kept_[id];
  keeping = {.holders = 1, .identity = identity};
  for (const Reach::Term& term : reach.terms()) {
    std::vector<std::string> anchors = choose_anchor(term);
    keeping.is_bare = keeping.is_bare || anchors.empty();
    for (std::string& anchor : anchors) {
      anchored_[anchor].insert(id);
      keeping.anchors.push_back(std::move(anchor));
    }
  }
  if (keeping.is_bare) {
    bare_.insert(id);
  }
  by_identity_.emplace(std::move(identity), id);
  view_.reaches_.edit(id).reach = std::make_shared<const Reach>(std::move(reach));
  find_nodes(id);
  return id;
}

void ReachTable::release(ReachId id) {
  if (id == kEverywhere || --kept_[id].holders > 0) {
    return;
  }
  drop_anchors(id);
  by_identity_.erase(kept_[id].identity);
  kept_[id] = {};
  view_.reaches_.edit(id) = View::ReachState();
  unused_.push_back(id);
}

void ReachTable::grow() {
  for (std::size_t id = 0; id < view_.reaches_.size(); ++id) {
    if (view_.reaches_[id].reach) {
      view_.reaches_.edit(id).nodes.resize(view_.node_limit_);
    }
  }
}

void ReachTable::follow(std::size_t node,
                        const api::StringMap* before,
                        const api::StringMap* after) {
  const auto again = [this, node, after](ReachId id) { refresh(id, node, after); };
  if (before != nullptr) {
    visit_anchored(*before, again);
  }
  if (after != nullptr) {
    visit_anchored(*after, again);
  }
  for (const ReachId id : bare_) {
    again(id);
  }
}

ReachId ReachTable::take_slot() {
  if (!unused_.empty()) {
    const ReachId id = unused_.back();
    unused_.pop_back();
    return id;
  }
  BERTH_ASSERT(kept_.size() < std::numeric_limits<ReachId>::max(), "reaches fit into 32 bits");
  kept_.emplace_back();
  return static_cast<ReachId>(view_.reaches_.push_back(View::ReachState()));
}

void ReachTable::find_nodes(ReachId id) {
  View::ReachState& state = view_.reaches_.edit(id);
  NodeSet found(view_.node_limit_);
  NodeSet scratch(view_.node_limit_);
  for (const Reach::Term& term : state.reach->terms()) {
    NodeSet nodes = labels_.nodes();
    for (const api::Requirement& requirement : term) {
      labels_.narrow(requirement, nodes, scratch);
    }
    found |= nodes;
  }
  state.nodes = api::NodeGroup(view_.node_limit_);
  found.for_each([&state](std::size_t node) { state.nodes.insert(node); });
}

void ReachTable::drop_anchors(ReachId id) {
  for (const std::string& anchor : kept_[id].anchors) {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) {
      continue;  // two terms had the same anchor
    }
    found->second.erase(id);
    if (found->second.empty()) {
      anchored_.erase(found);
    }
  }
  if (kept_[id].is_bare) {
    bare_.erase(id);
  }
}

// The requirement that fewest other reaches are filed under: of a host and its zone, the host.
std::vector<std::string> ReachTable::choose_anchor(const Reach::Term& term) const {
  std::vector<std::string> best;
  std::size_t best_crowd = std::numeric_limits<std::size_t>::max();
  for (const api::Requirement& requirement : term) {
    std::vector<std::string> anchors;
    if (requirement.op == Operator::kIn) {
      for (const std::string& value : requirement.values) {
        anchors.push_back(anchor_of(requirement.key, value));
      }
    } else if (!requirement.accepts_absent()) {
      anchors.push_back(requirement.key);
    }
    if (anchors.empty()) {
      continue;
    }
    std::size_t crowd = 0;
    for (const std::string& anchor : anchors) {
      const auto found = anchored_.find(anchor);
      crowd += found == anchored_.end() ? 0 : found->second.size();
    }
    if (crowd < best_crowd) {
      best = std::move(anchors);
      best_crowd = crowd;
    }
  }
  return best;
}

void ReachTable::refresh(ReachId id, std::size_t node, const api::StringMap* after) {
  const View::ReachState& state = view_.reaches_[id];
  const bool was_reached = state.nodes.contains(node);
  const bool is_reached = after != nullptr && state.reach->matches(*after);
  if (was_reached == is_reached) {
    return;
  }
  api::NodeGroup& nodes = view_.reaches_.edit(id).nodes;
  if (is_reached) {
    nodes.insert(node);
  } else {
    nodes.erase(node);
  }
}

template <typename Visit>
void ReachTable::visit_anchored(const api::StringMap& labels, Visit&& visit) const {
  for (const auto& [key, value] : labels) {
    for (const std::string& anchor : {anchor_of(key, value), std::string(key)}) {
      if (const auto found = anchored_.find(anchor); found != anchored_.end()) {
        for (const ReachId id : found->second) {
          visit(id);
        }
      }
    }
  }
}

}  // namespace berth::volumes
