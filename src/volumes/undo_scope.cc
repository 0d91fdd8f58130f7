#include "volumes/undo_scope.h"

#include "volumes/recorded_plan.h"

namespace berth::volumes {

UndoScope whole_scope(const RecordedPlan& plan, Moment landed_by) {
  UndoScope scope{.landed_by = landed_by};
  for (const RecordedBinding& binding : plan.bindings) {
    scope.bindings.push_back(binding.is_ours());
  }
  for (const RecordedProvision& provision : plan.provisions) {
    scope.provisions.push_back(provision.is_ours);
  }
  return scope;
}

}  // namespace berth::volumes
