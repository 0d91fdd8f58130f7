// Makes the form of a plan that survives.
#pragma once

#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "base/result.h"
#include "volumes/plan.h"
#include "volumes/recorded_plan.h"
#include "volumes/view.h"

namespace berth::volumes {

// What was assumed; null where nothing ever was.
struct PlanToRecord {
  const std::vector<StaticBinding>* volumes = nullptr;
  const std::vector<Provision>* claims = nullptr;
};
PlanToRecord all_of(const AssumedPlan& assumed);

// To be called when the plan has been assumed, before anything else happens: what is ours is what
// differs between the assumed objects and those the view has stored. Ledger::record() also knows
// what other plans wrote.
//
// kInvalid, in upstream's words, for a plan that was never assumed, and for objects without a
// version; kNotFound or kConflict when an object has gone or changed since.
Result<RecordedPlan> record_plan(const PlanToRecord& plan,
                                 const api::Pod& pod,
                                 const std::string& node,
                                 const std::string& planner,
                                 const View& view);

}  // namespace berth::volumes
