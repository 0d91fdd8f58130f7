// The waiting of one binding, from its last write on: looked at whenever something may have
// changed, until every claim is bound, something fails, or a claim's time is over.
//
// That the cache does not show a volume or claim is no proof that it is gone: the server is asked
// first. (Not with upstream's switches.)
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/recorded_plan.h"
#include "volumes/switches.h"
#include "volumes/view.h"
#include "volumes/wait.h"
#include "volumes/writes.h"

namespace berth::volumes {

class Waiting {
 public:
  // What is around it at a step.
  struct Place {
    const RecordedPlan& plan;
    const BindPolicy& policy;
    const Switches& switches;
    const View& view;
    const PodFacts& pod;
    Moment now{};
  };
  struct Finding {
    bool is_over = false;               // done, if there are no problems
    std::vector<BindProblem> problems;  // for which it is over
    std::string text;                   // instead of the problems'
    BindActions actions;                // while it is not over
  };

  // The writes are through.
  Finding begin(const AwaitedVersions& awaited, const Place& place);
  Finding look(const AwaitedVersions& awaited, const Place& place);
  // What a read of its brought; look() then.
  void take_read(const ObjectId& object, const Place& place);
  void take_missing(const ObjectId& object) { missing_.insert(object); }

  // Besides the planned ones, those the claims name.
  const std::vector<std::string>& named_volumes() const { return named_volumes_; }

 private:
  // Whether the problems are more than that the cache does not show something. Asks the server
  // where that is all.
  bool are_certain(const std::vector<BindProblem>& problems, const Place& place, Finding& finding);
  void check_deadlines(const std::vector<BindReason>& pending,
                       const Place& place,
                       Finding& finding);

  Moment since_{};
  std::set<ObjectId> missing_;            // the server has none
  std::map<ObjectId, Moment> ask_again_;  // asked, and not before then again
  std::vector<std::string> named_volumes_;
};

}  // namespace berth::volumes
