// Preflight, PreBind, Rollback, Bind, PostBind.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/error.h"
#include "framework/bind_context.h"
#include "framework/cycle_state.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/runner.h"
#include "framework/status.h"
#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::framework {
namespace {

// A binding is one request, tried and looked up a few times.
constexpr rt::Duration kBindMax = std::chrono::minutes(5);
constexpr rt::Duration kPostBindMax = std::chrono::minutes(1);

rt::Task<Status> succeed_after(rt::Task<void> task) {
  if (task.is_empty()) {
    co_return Status::error(Error(ErrorCode::kInternal, "it gave no task"));
  }
  co_await std::move(task);
  co_return Status::success();
}

}  // namespace

PreflightOutcome Runner::preflight(const BindContextPtr& context) {
  const rt::Time began = calls_.runtime().now();
  PreflightOutcome outcome{.status = Status::skip(), .groups = {}};
  std::vector<std::size_t> group;
  const auto end_group = [&outcome, &group] {
    if (!group.empty()) {
      outcome.groups.push_back(std::exchange(group, {}));
    }
  };
  for (const Asked<PreBindPoint>& asked : pre_binds_) {
    auto answer =
        calls_.call(asked.plugin, Point::kPreflight, [&] { return asked.at->preflight(context); });
    Status status = answer ? checked(asked.plugin, Point::kPreflight, std::move(answer->status))
                           : failure(asked.plugin, Point::kPreflight, answer.error());
    if (status.is_error()) {
      outcome = {.status = std::move(status), .groups = {}};
      group.clear();
      break;
    }
    // One that works alone parts those before it from those after it, also when it has no work.
    if (!answer->is_parallel) {
      end_group();
    }
    if (status.is_success()) {
      group.push_back(asked.plugin);
      outcome.status = Status::success();
    }
    if (!answer->is_parallel) {
      end_group();
    }
  }
  end_group();
  calls_.observe_point(Point::kPreflight, outcome.status.code(), began);
  return outcome;
}

rt::Task<PreBindOutcome> Runner::pre_bind(BindContextPtr context,
                                          PreflightOutcome preflight,
                                          rt::Until until) {
  const rt::Time began = calls_.runtime().now();
  PreBindOutcome outcome;
  for (std::vector<std::size_t>& group : preflight.groups) {
    for (const std::size_t plugin : group) {
      outcome.begun.set(plugin);
    }
    if (group.size() == 1) {
      outcome.status = co_await pre_bind_one(group.front(), context, until);
    } else {
      outcome.status = co_await pre_bind_group(std::move(group), context, until);
    }
    if (!outcome.status.is_success()) {
      break;
    }
  }
  calls_.observe_point(Point::kPreBind, outcome.status.code(), began);
  co_return outcome;
}

rt::Task<Status> Runner::pre_bind_one(std::size_t plugin, BindContextPtr context, rt::Until until) {
  PreBindPoint& at = pre_bind_of(plugin);
  const auto max =
      calls_.guard(plugin, Point::kPreBind, [&at, &context] { return at.pre_bind_max(*context); });
  if (!max) {
    co_return failure(plugin, Point::kPreBind, max.error());
  }
  Status answer = co_await calls_.run(
      plugin,
      Point::kPreBind,
      *max,
      [&at, context](rt::Until its_until) { return at.pre_bind(context, its_until); },
      until);
  Status status = checked(plugin, Point::kPreBind, std::move(answer));
  co_return status.is_success() ? Status::success() : status;
}

// Plugins that work beside each other: the first that fails stops the others.
struct Runner::Group {
  Group(rt::Runtime& runtime, rt::Until its_until)
      : cancel(its_until.token),
        until{.token = cancel.token(), .deadline = its_until.deadline},
        scope(runtime, "PreBind") {}

  rt::CancelSource cancel;
  rt::Until until;
  std::optional<Status> first_failure;
  rt::Scope scope;  // last: what runs in it uses all of the above
};

rt::Task<void> Runner::pre_bind_member(Group* group, std::size_t plugin, BindContextPtr context) {
  Status status = co_await pre_bind_one(plugin, std::move(context), group->until);
  if (!status.is_success() && !group->first_failure) {
    group->first_failure = std::move(status);
    group->cancel.cancel();
  }
}

rt::Task<Status> Runner::pre_bind_group(std::vector<std::size_t> plugins,
                                        BindContextPtr context,
                                        rt::Until until) {
  Group group(calls_.runtime(), until);
  for (const std::size_t plugin : plugins) {
    group.scope.spawn(calls_.name(plugin), pre_bind_member(&group, plugin, context));
  }
  group.scope.close();
  // Ends: each of them does within its time and that of being asked to end.
  co_await group.scope.drain();
  co_return group.first_failure.value_or(Status::success());
}

rt::Task<Status> Runner::rollback(BindContextPtr context, PluginSet begun, rt::Until until) {
  const rt::Time began = calls_.runtime().now();
  Status outcome;
  for (auto asked = pre_binds_.rbegin(); asked != pre_binds_.rend(); ++asked) {
    if (!begun.test(asked->plugin)) {
      continue;
    }
    Status status = co_await rollback_one(asked->plugin, context, until);
    if (!status.is_success() && outcome.is_success()) {
      outcome = std::move(status);
    }
  }
  calls_.observe_point(Point::kRollback, outcome.code(), began);
  co_return outcome;
}

rt::Task<Status> Runner::rollback_one(std::size_t plugin, BindContextPtr context, rt::Until until) {
  PreBindPoint& at = pre_bind_of(plugin);
  const auto max =
      calls_.guard(plugin, Point::kRollback, [&at, &context] { return at.rollback_max(*context); });
  if (!max) {
    co_return failure(plugin, Point::kRollback, max.error());
  }
  Status answer = co_await calls_.run(
      plugin,
      Point::kRollback,
      *max,
      [&at, context](rt::Until its_until) { return at.rollback(context, its_until); },
      until);
  co_return checked(plugin, Point::kRollback, std::move(answer));
}

PluginSet Runner::pre_bind_plugins() const {
  PluginSet all;
  for (const Asked<PreBindPoint>& asked : pre_binds_) {
    all.set(asked.plugin);
  }
  return all;
}

PreBindPoint& Runner::pre_bind_of(std::size_t plugin) const {
  const auto asked = std::ranges::find(pre_binds_, plugin, &Asked<PreBindPoint>::plugin);
  BERTH_ASSERT(asked != pre_binds_.end(), "a preflight names PreBind plugins of its own runner");
  return *asked->at;
}

rt::Task<Status> Runner::bind(BindContextPtr context, rt::Until until) {
  const rt::Time began = calls_.runtime().now();
  Status outcome = Status::skip();
  for (const Asked<BindPoint>& asked : binds_) {
    BindPoint& at = *asked.at;
    Status answer = co_await calls_.run(
        asked.plugin,
        Point::kBind,
        kBindMax,
        [&at, context](rt::Until its_until) { return at.bind(context, its_until); },
        until);
    Status status = checked(asked.plugin, Point::kBind, std::move(answer));
    if (!status.is_skip()) {
      outcome = status.is_success() ? Status::success() : std::move(status);
      break;
    }
  }
  calls_.observe_point(Point::kBind, outcome.code(), began);
  co_return outcome;
}

rt::Task<void> Runner::post_bind(BindContextPtr context, rt::Until until) {
  const rt::Time began = calls_.runtime().now();
  for (const Asked<PostBindPoint>& asked : post_binds_) {
    PostBindPoint& at = *asked.at;
    // The pod is bound, whatever comes of it; what goes wrong is counted there.
    static_cast<void>(co_await calls_.run(
        asked.plugin,
        Point::kPostBind,
        kPostBindMax,
        [&at, context](rt::Until its_until) {
          return succeed_after(at.post_bind(context, its_until));
        },
        until));
  }
  calls_.observe_point(Point::kPostBind, Code::kSuccess, began);
}

}  // namespace berth::framework
