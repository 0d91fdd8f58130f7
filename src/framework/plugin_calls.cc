#include "framework/plugin_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/instruments.h"
#include "base/result.h"
#include "framework/points.h"
#include "framework/status.h"
#include "framework/waiting_pods.h"
#include "rt/cancel.h"
#include "rt/event.h"
#include "rt/reactor.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::framework {

struct PluginCalls::Answer {
  explicit Answer(rt::Runtime& runtime) : done(runtime, "a plugin") {}

  std::optional<Status> status;
  std::string thrown;
  rt::Event done;
};

PluginCalls::PluginCalls(RunnerServices services,
                         std::string profile,
                         std::vector<std::string> plugins)
    : services_(services), profile_(std::move(profile)), plugins_(std::move(plugins)) {
  for (const std::string& plugin : plugins_) {
    for (std::size_t point = 0; point < kPointCount; ++point) {
      names_.push_back({.plugin = plugin, .point = static_cast<Point>(point)});
    }
  }
  plugin_seconds_.resize(names_.size() * kCodeCount);
  point_seconds_.resize(kPointCount * kCodeCount);
  evaluations_.resize(names_.size());
}

rt::Task<Status> PluginCalls::run(
    std::size_t plugin, Point point, rt::Duration max, Start start, rt::Until until) {
  const rt::Time began = services_.runtime.now();
  if (until.token.is_cancelled()) {
    co_return Status::error(Error(ErrorCode::kCancelled, "cancelled before it began"));
  }
  rt::CancelSource cancel(until.token);
  const rt::Time deadline = std::min(until.deadline, rt::after(began, max));
  Answer answer(services_.runtime);
  // Last: whatever of the task is left when this ends is given up, before what it uses.
  rt::Scope scope(services_.runtime, fmt::format("{} {}", plugins_[plugin], name_of(point)));
  auto task = guard(plugin, point, [&start, &cancel, deadline] {
    return start({.token = cancel.token(), .deadline = deadline});
  });
  if (!task) {
    co_return Status::error(std::move(task).error());
  }
  if (task->is_empty()) {
    co_return Status::error(blame(plugin, point, "it gave no task"));
  }
  scope.spawn("call", keep(*std::move(task), &answer));
  const rt::Wake wake = co_await answer.done.wait({.token = until.token, .deadline = deadline});
  if (wake != rt::Wake::kNotified) {
    cancel.cancel();
    const rt::Time end = rt::after(services_.runtime.now(), kEndMax);
    static_cast<void>(co_await answer.done.wait({.deadline = end}));
  }
  const rt::Duration took = services_.runtime.now() - began;
  Status status;
  if (answer.status) {
    status = *std::move(answer.status);
  } else {
    const std::string what = answer.done.is_set()
                                 ? answer.thrown
                                 : fmt::format("it did not end within {}, nor when it was asked to",
                                               duration_text(took));
    // Whatever it had sent by then may have been applied: nobody knows.
    status = Status::error(Error(ErrorCode::kUnknownOutcome, blame(plugin, point, what).text()));
  }
  observe(plugin, point, status.code(), began);
  co_return status;
}

rt::Task<void> PluginCalls::keep(rt::Task<Status> task, Answer* answer) {
  try {
    answer->status = co_await std::move(task);
  } catch (const std::exception& thrown) {
    answer->thrown = fmt::format("it threw: {}", thrown.what());
  } catch (...) {
    answer->thrown = "it threw what is no exception";
  }
  answer->done.set();
}

Error PluginCalls::blame(std::size_t plugin, Point point, std::string_view what) {
  services_.metrics.misbehaviour.series({plugins_[plugin], name_of(point)}).add();
  return {ErrorCode::kInternal, std::string(what)};
}

void PluginCalls::observe_point(Point point, Code code, rt::Time began) {
  Histogram*& series =
      point_seconds_[static_cast<std::size_t>(point) * kCodeCount + static_cast<std::size_t>(code)];
  if (series == nullptr) {
    series = &services_.metrics.point_seconds.series({name_of(point), name_of(code), profile_});
  }
  series->observe(seconds_since(began));
}

void PluginCalls::observe(std::size_t plugin, Point point, Code code, rt::Time began) {
  Histogram*& series =
      plugin_seconds_[index(plugin, point) * kCodeCount + static_cast<std::size_t>(code)];
  if (series == nullptr) {
    series =
        &services_.metrics.plugin_seconds.series({plugins_[plugin], name_of(point), name_of(code)});
  }
  series->observe(seconds_since(began));
}

void PluginCalls::count_evaluation(std::size_t plugin, Point point) {
  Counter*& series = evaluations_[index(plugin, point)];
  if (series == nullptr) {
    series = &services_.metrics.evaluations.series({plugins_[plugin], name_of(point), profile_});
  }
  series->add();
}

double PluginCalls::seconds_since(rt::Time began) const {
  return std::chrono::duration<double>(services_.runtime.now() - began).count();
}

}  // namespace berth::framework
