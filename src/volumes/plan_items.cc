#include "volumes/plan_items.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "volumes/bind_reason.h"
#include "volumes/item_write.h"
#include "volumes/recorded_plan.h"
#include "volumes/undo_scope.h"
#include "volumes/wait.h"
#include "volumes/writes.h"

namespace berth::volumes {

PlanItems::PlanItems(const RecordedPlan& plan, const UndoScope& before) {
  for (std::size_t i = 0; i < plan.bindings.size(); ++i) {
    volumes_.push_back(ItemWrite::of_binding(plan, i, before.has_binding(i)));
  }
  for (std::size_t i = 0; i < plan.provisions.size(); ++i) {
    claims_.push_back(ItemWrite::of_provision(plan, i, before.has_provision(i)));
  }
}

ItemWrite* PlanItems::find(const ObjectId& object, ItemWrite::State state) {
  std::vector<ItemWrite>& items = object.kind == ObjectKind::kVolume ? volumes_ : claims_;
  const auto found = std::ranges::find_if(items, [&object, state](const ItemWrite& item) {
    return item.object() == object && item.state() == state;
  });
  return found != items.end() ? &*found : nullptr;
}

bool PlanItems::is_any_writing() const {
  const auto is_writing = [](const ItemWrite& item) {
    return item.state() == ItemWrite::State::kWriting;
  };
  return std::ranges::any_of(volumes_, is_writing) || std::ranges::any_of(claims_, is_writing);
}

bool PlanItems::is_any_touched() const {
  return std::ranges::any_of(volumes_, &ItemWrite::is_touched) ||
         std::ranges::any_of(claims_, &ItemWrite::is_touched);
}

std::vector<ObjectId> PlanItems::unknown_objects(const ItemWrite::Place& place) const {
  std::vector<ObjectId> unknown;
  for (const std::vector<ItemWrite>* items : {&volumes_, &claims_}) {
    for (const ItemWrite& item : *items) {
      std::ranges::move(item.unknown_objects(place), std::back_inserter(unknown));
    }
  }
  return unknown;
}

std::vector<BindProblem> PlanItems::recheck(const ItemWrite::Place& place,
                                            bool is_identity_only) const {
  std::vector<BindProblem> problems;
  for (const std::vector<ItemWrite>* items : {&volumes_, &claims_}) {
    for (const ItemWrite& item : *items) {
      if (auto problem = item.recheck(place, is_identity_only)) {
        problems.push_back(*std::move(problem));
      }
    }
  }
  return problems;
}

void PlanItems::abandon(const ItemWrite::Place& place) {
  for (std::vector<ItemWrite>* items : {&volumes_, &claims_}) {
    for (ItemWrite& item : *items) {
      if (!item.is_over()) {
        item.abandon(place);
      }
    }
  }
}

AwaitedVersions PlanItems::awaited() const {
  AwaitedVersions awaited;
  for (const ItemWrite& item : volumes_) {
    awaited.volumes.push_back(item.version());
  }
  for (const ItemWrite& item : claims_) {
    awaited.claims.push_back(item.version());
  }
  return awaited;
}

std::vector<ObjectId> PlanItems::unwritten() const {
  std::vector<ObjectId> unwritten;
  for (const std::vector<ItemWrite>* items : {&volumes_, &claims_}) {
    for (const ItemWrite& item : *items) {
      // One whose answer was lost may have been written, or may yet be.
      if (item.state() != ItemWrite::State::kDone && !item.is_touched()) {
        unwritten.push_back(item.object());
      }
    }
  }
  return unwritten;
}

UndoScope PlanItems::undo_scope() const {
  UndoScope scope;
  for (const ItemWrite& item : volumes_) {
    scope.bindings.push_back(item.is_touched());
    scope.landed_by = std::max(scope.landed_by, item.may_land_until());
  }
  for (const ItemWrite& item : claims_) {
    scope.provisions.push_back(item.is_touched());
    scope.landed_by = std::max(scope.landed_by, item.may_land_until());
  }
  return scope;
}

bool PlanItems::all_done(const std::vector<ItemWrite>& items) {
  return std::ranges::all_of(
      items, [](const ItemWrite& item) { return item.state() == ItemWrite::State::kDone; });
}

std::vector<BindProblem> PlanItems::problems_of(const std::vector<ItemWrite>& items) {
  std::vector<BindProblem> problems;
  for (const ItemWrite& item : items) {
    if (item.problem()) {
      problems.push_back(*item.problem());
    }
  }
  return problems;
}

}  // namespace berth::volumes
