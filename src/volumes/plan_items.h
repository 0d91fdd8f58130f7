// The objects a plan writes: its volumes, then its claims.
#pragma once

#include <vector>

#include "volumes/bind_reason.h"
#include "volumes/item_write.h"
#include "volumes/recorded_plan.h"
#include "volumes/undo_scope.h"
#include "volumes/wait.h"
#include "volumes/writes.h"

namespace berth::volumes {

class PlanItems {
 public:
  // `before`: what may be written already.
  PlanItems(const RecordedPlan& plan, const UndoScope& before);

  std::vector<ItemWrite>& volumes() { return volumes_; }
  std::vector<ItemWrite>& claims() { return claims_; }

  // The item that waits for an answer about the object; null when none does.
  ItemWrite* find(const ObjectId& object, ItemWrite::State state);
  bool is_any_writing() const;
  bool is_any_touched() const;
  // What they need to be checked and nobody has seen.
  std::vector<ObjectId> unknown_objects(const ItemWrite::Place& place) const;
  std::vector<BindProblem> recheck(const ItemWrite::Place& place, bool is_identity_only) const;
  // Gives up what is not over.
  void abandon(const ItemWrite::Place& place);

  AwaitedVersions awaited() const;
  std::vector<ObjectId> unwritten() const;
  UndoScope undo_scope() const;

  static bool all_done(const std::vector<ItemWrite>& items);
  static std::vector<BindProblem> problems_of(const std::vector<ItemWrite>& items);

 private:
  std::vector<ItemWrite> volumes_;
  std::vector<ItemWrite> claims_;
};

}  // namespace berth::volumes
