#include "framework/bind_cycle.h"

#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "framework/bind_context.h"
#include "framework/cycle_state.h"
#include "framework/plugin.h"
#include "framework/runner.h"
#include "framework/status.h"
#include "rt/cancel.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::framework {
namespace {

bool is_unknown(const Status& status) {
  return status.cause() && status.cause()->code() == ErrorCode::kUnknownOutcome;
}

// Where the pod is after a Bind that did not succeed; empty: nowhere.
rt::Task<Result<std::string>> find_bound(BindContextPtr context, BindSteps steps, Status said) {
  if (steps.find_node) {
    auto found = co_await steps.find_node(std::move(context));
    if (!found) {
      co_return std::move(found).error().in("finding out whether the pod was bound");
    }
    co_return *std::move(found);
  }
  if (is_unknown(said)) {
    co_return *said.cause();
  }
  co_return std::string();
}

}  // namespace

rt::Task<Prepared> prepare_pod(Runner* runner,
                               BindContextPtr context,
                               BindSteps steps,
                               rt::Until until) {
  PreflightOutcome preflight = runner->preflight(context);
  if (preflight.status.is_skip()) {
    co_return Prepared{.status = Status::success(), .begun = {}};
  }
  if (!preflight.status.is_success()) {
    co_return Prepared{.status = std::move(preflight.status), .begun = {}};
  }
  if (steps.record) {
    auto recorded = co_await steps.record(context);
    if (!recorded) {
      co_return Prepared{
          .status = Status::error(std::move(recorded).error().in("recording the plan")),
          .begun = {}};
    }
  }
  PreBindOutcome done = co_await runner->pre_bind(std::move(context), std::move(preflight), until);
  co_return Prepared{.status = std::move(done.status), .begun = done.begun};
}

rt::Task<Status> undo_pod(Runner* runner,
                          BindContextPtr context,
                          PluginSet begun,
                          rt::CancelToken give_up) {
  if (begun.none()) {
    co_return Status::success();
  }
  co_return co_await runner->rollback(std::move(context), begun, {.token = give_up});
}

rt::Task<BindResult> bind_pod(
    Runner* runner, BindWork work, BindSteps steps, rt::Until until, rt::CancelToken give_up) {
  const BindContextPtr context = std::move(work.context);
  Prepared prepared = co_await prepare_pod(runner, context, steps, until);
  Status status = std::move(prepared.status);
  std::string node = context->node;
  bool is_bound = false;
  if (status.is_success()) {
    status = co_await runner->bind(context, until);
    if (status.is_skip()) {
      status = Status::error(Error(ErrorCode::kInternal, "no plugin binds the pod"));
    } else if (status.is_success()) {
      is_bound = true;
    } else {
      auto found = co_await find_bound(context, steps, status);
      if (!found) {
        co_return BindResult{.what = BindResult::What::kUnknown,
                             .node = {},
                             .status = Status::error(std::move(found).error()),
                             .left = {},
                             .begun = prepared.begun};
      }
      is_bound = !found->empty();
      node = is_bound ? *std::move(found) : std::move(node);
    }
  }
  if (is_bound && node == context->node) {
    co_await runner->post_bind(context, {.token = give_up});
    co_return BindResult{.what = BindResult::What::kBound,
                         .node = std::move(node),
                         .status = {},
                         .left = {},
                         .begun = {}};
  }
  // Also for a pod that another one has put elsewhere: what was prepared here serves nobody.
  BindResult result{.what = is_bound ? BindResult::What::kBound : BindResult::What::kFailed,
                    .node = is_bound ? node : std::string(),
                    .status = is_bound ? Status::success() : std::move(status),
                    .left = co_await undo_pod(runner, context, prepared.begun, give_up),
                    .begun = {}};
  std::optional<CycleState> empty;
  if (work.state == nullptr) {
    empty.emplace(runner->new_state());
  }
  runner->unreserve({.pod = context->pod,
                     .node = context->node,
                     .state = work.state != nullptr ? *work.state : *empty});
  co_return result;
}

}  // namespace berth::framework
