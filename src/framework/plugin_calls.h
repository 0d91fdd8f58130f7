// Every call of a plugin goes through here: it is timed, visible to a watchdog, and whatever comes
// out of it, also an exception or nothing at all, is an answer or an error that names the plugin.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/instruments.h"
#include "base/result.h"
#include "framework/call_watch.h"
#include "framework/points.h"
#include "framework/runner_metrics.h"
#include "framework/status.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::framework {

// All of them outlive whoever is given them.
struct RunnerServices {
  rt::Runtime& runtime;
  RunnerMetrics& metrics;
  CallWatch& watch;
};

class PluginCalls {
 public:
  // A task that was asked to end, because its time is over or nobody wants it any more, has this
  // long to do so; then it is given up at the await where it stands.
  static constexpr rt::Duration kEndMax = std::chrono::seconds(10);

  // `plugins` by number.
  PluginCalls(RunnerServices services, std::string profile, std::vector<std::string> plugins);

  const std::string& name(std::size_t plugin) const { return plugins_[plugin]; }
  std::size_t plugin_count() const { return plugins_.size(); }
  rt::Runtime& runtime() const { return services_.runtime; }

  // Calls a plain function. What it throws is an Error; an answer is passed on as it is.
  template <typename Function>
  auto call(std::size_t plugin, Point point, const Function& function)
      -> Result<decltype(function())> {
    const rt::Time began = services_.runtime.now();
    auto answer = guard(plugin, point, function);
    observe(plugin, point, answer ? code_of(*answer) : Code::kError, began);
    return answer;
  }
  // The same for what is but a part of a call, and not timed.
  template <typename Function>
  auto guard(std::size_t plugin, Point point, const Function& function)
      -> Result<decltype(function())> {
    const CallWatch::Call watched(services_.watch, names_[index(plugin, point)]);
    try {
      return function();
    } catch (const std::exception& thrown) {
      return blame(plugin, point, std::string("it threw: ") + thrown.what());
    } catch (...) {
      return blame(plugin, point, "it threw what is no exception");
    }
  }

  using Start = std::function<rt::Task<Status>(rt::Until until)>;
  // Runs a task to its end, its deadline or its token's, but for `max` at most. `start` makes it,
  // with the Until it is to keep to.
  rt::Task<Status> run(
      std::size_t plugin, Point point, rt::Duration max, Start start, rt::Until until);

  // An answer that cannot be meant: counted, and an error for the caller.
  Error blame(std::size_t plugin, Point point, std::string_view what);

  // How long a point took with all of its plugins.
  void observe_point(Point point, Code code, rt::Time began);
  void count_evaluation(std::size_t plugin, Point point);

 private:
  struct Answer;

  static std::size_t index(std::size_t plugin, Point point) {
    return plugin * kPointCount + static_cast<std::size_t>(point);
  }
  template <typename Value>
  static Code code_of(const Value& answer) {
    if constexpr (std::is_same_v<Value, Status>) {
      return answer.code();
    } else if constexpr (requires { answer.status.code(); }) {
      return answer.status.code();
    } else {
      return Code::kSuccess;
    }
  }
  static rt::Task<void> keep(rt::Task<Status> task, Answer* answer);
  void observe(std::size_t plugin, Point point, Code code, rt::Time began);
  double seconds_since(rt::Time began) const;

  // Constant after construction.
  RunnerServices services_;
  std::string profile_;
  std::vector<std::string> plugins_;
  std::vector<CallName> names_;  // by index()

  // Owned by the reactor's thread: the series that were used, so that no lock is taken twice.
  std::vector<Histogram*> plugin_seconds_;  // by index() and code
  std::vector<Histogram*> point_seconds_;   // by point and code
  std::vector<Counter*> evaluations_;       // by index()
};

}  // namespace berth::framework
