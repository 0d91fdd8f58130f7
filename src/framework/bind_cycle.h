// One binding from its plan to its end, the same for whoever decided it: a scheduler that goes on
// in its own process, or a binder that was handed a plan.
//
//   prepare   preflight, the plan recorded, PreBind
//   bind      Bind, PostBind
//   undo      Rollback of whoever began, last to first, the failing one included
//
//   BindResult result = co_await bind_pod(&runner, {.context = context, .state = &state},
//                                         {.record = ..., .find_node = ...}, until, give_up);
//
// Rules that hold at every await, so also when the process dies there:
//  - The plan is recorded before the first side effect, and only if there will be one.
//  - Whether a binding whose answer was lost took place is looked up before anything is undone;
//    while nobody knows, nothing is.
//  - What undoes has a time of its own: what failed may have failed because its time was over.
//
// bind_pod() is all of it. A caller that keeps a pod's binding under its own eyes, because it may
// have to be sent again for minutes, uses prepare_pod() and undo_pod() around it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "framework/bind_context.h"
#include "framework/cycle_state.h"
#include "framework/runner.h"
#include "framework/status.h"
#include "rt/cancel.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::framework {

// What the caller does; each may be empty.
struct BindSteps {
  // Puts the plan where it survives this process. Called at most once, and only when there is work.
  // A failure ends the attempt before anything was done. Empty: nobody will need it.
  std::function<rt::Task<Result<void>>(BindContextPtr context)> record;
  // The node to which this very pod, by uid, is bound, from the server; an empty text when it is
  // not bound or does not exist. Asked when Bind failed. Empty: what Bind says is taken for it.
  std::function<rt::Task<Result<std::string>>(BindContextPtr context)> find_node;
};

struct Prepared {
  Status status;    // success: the pod may be bound; else a rejection or an error
  PluginSet begun;  // whose work may have to be taken back
};

// Preflight, record, PreBind. When it fails, undo_pod() is due; with nobody in `begun` that has
// nothing to do.
rt::Task<Prepared> prepare_pod(Runner* runner,
                               BindContextPtr context,
                               BindSteps steps,
                               rt::Until until);

// Rollback of `begun`. Success, or an error that says what had to be left.
rt::Task<Status> undo_pod(Runner* runner,
                          BindContextPtr context,
                          PluginSet begun,
                          rt::CancelToken give_up);

struct BindWork {
  BindContextPtr context;
  // What the pod's cycle kept, until the task ends; nullptr for a plan of another process.
  CycleState* state = nullptr;
};

struct BindResult {
  enum class What : std::uint8_t {
    kBound,    // the pod is on `node`, which another one may have put it on
    kFailed,   // it is not; what was written is taken back, but for what `left` names
    kUnknown,  // nobody could find out. Nothing was taken back: who looks later decides
  };

  What what = What::kFailed;
  std::string node;   // of kBound
  Status status;      // why not; success with kBound
  Status left;        // success: nothing
  PluginSet begun{};  // of kUnknown: whose work may have to be taken back
};

// All of it. `until` ends what goes forward; `give_up` ends also what undoes, and is for a process
// that must not write any more. After kFailed everything is unreserved; after kUnknown nothing is.
rt::Task<BindResult> bind_pod(
    Runner* runner, BindWork work, BindSteps steps, rt::Until until, rt::CancelToken give_up);

}  // namespace berth::framework
