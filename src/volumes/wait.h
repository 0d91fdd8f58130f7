// Whether the claims of a plan are bound: the one place that knows.
//
// Looks at what the API server said last and never at promises, since the same claim may be
// promised again for another pod meanwhile. The checks and their order are those of upstream's wait
// loop, with upstream's texts; where Berth looks closer, a switch says so.
#pragma once

#include <string>
#include <vector>

#include "volumes/bind_reason.h"
#include "volumes/recorded_plan.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::volumes {

// What is known of the pod of the plan's name.
struct PodFacts {
  bool exists = true;
  std::string uid;  // empty: not known
};

// The versions our writes gave the objects, item by item as in the plan: what is older in the view
// has yet to show them.
struct AwaitedVersions {
  std::vector<std::string> volumes;  // of the bindings
  std::vector<std::string> claims;   // of the provisions
};
// Those a plan begins with: nothing was written.
AwaitedVersions recorded_versions(const RecordedPlan& plan);

struct WaitAnswer {
  std::vector<BindProblem> problems;  // why it has failed
  std::vector<BindReason> pending;    // what it waits for; the claim is named in each
  std::vector<std::string> volumes;   // besides the planned ones, those the claims name by now

  bool is_done() const { return problems.empty() && pending.empty(); }
};

// With upstream's switches at most one problem or one pending item, the first there is.
WaitAnswer check_bound(const RecordedPlan& plan,
                       const AwaitedVersions& awaited,
                       const PodFacts& pod,
                       const View& view,
                       const Switches& switches);

}  // namespace berth::volumes
