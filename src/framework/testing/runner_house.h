// A runner of scripted plugins with everything it needs around it: virtual time, a few nodes, a
// pod.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/assert.h"
#include "base/metrics.h"
#include "base/node_set.h"
#include "base/result.h"
#include "framework/bind_context.h"
#include "framework/call_watch.h"
#include "framework/cycle_state.h"
#include "framework/fields.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/profile.h"
#include "framework/registry.h"
#include "framework/runner.h"
#include "framework/runner_metrics.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "framework/testing/scripted.h"
#include "framework/waiting_pods.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::framework::testing {

inline constexpr ReasonKind kNo{.id = "No", .text = "no"};

inline Status no() {
  return Status::unschedulable({.kind = kNo, .values = {}});
}
inline Status never() {
  return Status::unresolvable({.kind = kNo, .values = {}});
}
inline Status broken() {
  return Status::error(Error(ErrorCode::kUnavailable, "broken"));
}

inline PodPtr pod(std::string_view name, std::int32_t priority = 0) {
  api::Pod pod;
  pod.metadata.ns = "default";
  pod.metadata.name = name;
  pod.metadata.uid = std::string("uid-") + std::string(name);
  pod.spec.priority = priority;
  return std::make_shared<const api::Pod>(std::move(pod));
}

// Nodes n0, n1 and so on.
class FewNodes final : public Snapshot {
 public:
  explicit FewNodes(std::size_t count) : nodes_(NodeSet::full(count)) {
    for (std::size_t i = 0; i < count; ++i) {
      api::Node node;
      node.metadata.name = "n" + std::to_string(i);
      states_.push_back({.node = std::make_shared<const api::Node>(std::move(node))});
    }
  }

  std::size_t node_limit() const override { return states_.size(); }
  const NodeSet& nodes() const override { return nodes_; }
  const NodeState& node(std::size_t number) const override { return states_[number]; }
  std::optional<std::size_t> find_number(std::string_view name) const override {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].node->metadata.name == name) {
        return i;
      }
    }
    return std::nullopt;
  }
  std::uint64_t numbering() const override { return 1; }

  NodeSet some(std::initializer_list<std::size_t> numbers) const {
    NodeSet set(states_.size());
    for (const std::size_t number : numbers) {
      set.set(number);
    }
    return set;
  }

 private:
  NodeSet nodes_;
  std::vector<NodeState> states_;
};

class RunnerHouse {
 public:
  explicit RunnerHouse(std::size_t nodes = 3) : snapshot(nodes) { profile.scheduler_name = "test"; }

  // Before runner(). It is asked at these points, behind those that were added earlier.
  void add(const std::string& name, Points points, Script script, std::int64_t weight = 1) {
    const auto made = plugins.add(PluginEntry{
        .name = name,
        .points = points,
        .check = {},
        .make = [this, name, script = std::move(script)](
                    Fields*, PluginSetup&) -> Result<std::unique_ptr<Plugin>> {
          return std::unique_ptr<Plugin>(std::make_unique<Scripted>(name, script, &log));
        }});
    BERTH_ASSERT(made.has_value(), "names differ");
    for (const Point point : kConfiguredPoints) {
      if (points.has(point)) {
        profile.at[static_cast<std::size_t>(point)].push_back({.name = name, .weight = weight});
      }
    }
  }

  Result<std::unique_ptr<Runner>> make() {
    return Runner::make(
        profile, plugins, {.runtime = simulation, .metrics = metrics, .watch = watch}, waiting);
  }
  // Made on first use; a plugin that binds is added if there is none.
  Runner& runner() {
    if (runner_ == nullptr) {
      if (profile.asked_at(Point::kBind).empty()) {
        add("binder", {Point::kBind}, {});
      }
      runner_ = *make();
      state.emplace(runner_->new_state());
    }
    return *runner_;
  }
  Cycle cycle() {
    runner();
    return {.pod = the_pod, .snapshot = snapshot, .state = *state};
  }
  BindContextPtr context() const {
    return std::make_shared<const BindContext>(
        BindContext{.pod = the_pod, .node = "n0", .parts = {}});
  }
  // PreFilter and Filter.
  FilterOutcome find_nodes(std::span<const NominatedPod> nominated = {}) {
    const Cycle now = cycle();
    return runner().filter(now, runner().pre_filter(now), nominated);
  }
  // Preflight and PreBind.
  PreBindOutcome pre_bind(rt::Until until = {}) {
    runner();
    PreflightOutcome work = runner().preflight(context());
    return await(runner().pre_bind(context(), std::move(work), until));
  }

  // What a task comes to, however long that takes in virtual time.
  template <typename Value>
  Value await(rt::Task<Value> task) {
    std::optional<Value> value;
    rt::Scope scope(simulation, "test");
    scope.spawn("task", keep(std::move(task), &value));
    simulation.run_until([&value] { return value.has_value(); }, rt::kNever);
    BERTH_ASSERT(value.has_value(), "the task ends");
    return *std::move(value);
  }
  void await(rt::Task<void> task) {
    rt::Scope scope(simulation, "test");
    scope.spawn("task", std::move(task));
    simulation.run_until([&scope] { return scope.size() == 0; }, rt::kNever);
    BERTH_ASSERT(scope.size() == 0, "the task ends");
  }

  rt::Simulation simulation{1};
  MetricsRegistry metrics_registry;
  RunnerMetrics metrics{metrics_registry};
  CallWatch watch;
  WaitingPods waiting{simulation, metrics};
  std::vector<std::string> log;  // "plugin.Point"
  Registry plugins;
  Profile profile;
  FewNodes snapshot;
  PodPtr the_pod = pod("web");
  std::optional<CycleState> state;

 private:
  template <typename Value>
  static rt::Task<void> keep(rt::Task<Value> task, std::optional<Value>* into) {
    into->emplace(co_await std::move(task));
  }

  std::unique_ptr<Runner> runner_;
};

}  // namespace berth::framework::testing
