// A plugin that says what a test tells it to, at every point, and notes each call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/pod.h"
#include "base/node_set.h"
#include "base/result.h"
#include "framework/bind_context.h"
#include "framework/cluster_event.h"
#include "framework/diagnosis.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::framework::testing {

// What is not said is success, and all nodes.
struct Script {
  std::function<Status()> validate;
  std::function<PreFiltered(const Cycle&)> pre_filter;
  std::function<Status(const Cycle&, const PodPtr&)> add_pod;
  std::function<Filtered(const Cycle&, const NodeSet&)> filter;
  std::function<Status(std::size_t node)> check;  // instead of filter and explain
  std::function<Status(std::size_t node)> explain;
  std::function<PostFiltered(const Diagnosis&)> post_filter;
  std::function<Status()> pre_score;
  std::function<Status(std::span<std::int64_t>)> score;
  std::function<Status(std::span<std::int64_t>)> normalise;
  std::function<Reserved()> reserve;
  std::function<void()> unreserve;
  std::function<Permitted()> permit;
  std::function<Preflighted()> preflight;
  std::function<rt::Task<Status>(rt::Until)> pre_bind;
  std::function<rt::Task<Status>(rt::Until)> rollback;
  std::function<rt::Task<Status>(rt::Until)> bind;
  std::function<rt::Task<void>(rt::Until)> post_bind;
  std::function<Result<Hint>()> hint;
  std::vector<EventInterest> interests = {EventInterest{}};
};

inline rt::Task<Status> at_once(Status status) {
  co_return status;
}

class Scripted final : public Plugin,
                       public ValidatePoint,
                       public PreFilterPoint,
                       public FilterPoint,
                       public PostFilterPoint,
                       public PreScorePoint,
                       public ScorePoint,
                       public ReservePoint,
                       public PermitPoint,
                       public PreBindPoint,
                       public BindPoint,
                       public PostBindPoint,
                       public QueueingHintPoint {
 public:
  // `log` outlives it.
  Scripted(std::string name, Script script, std::vector<std::string>* log)
      : name_(std::move(name)), script_(std::move(script)), log_(log) {}

  Status validate(const api::Pod&) override {
    note("Validate");
    return script_.validate ? script_.validate() : Status();
  }
  PreFiltered pre_filter(const Cycle& cycle) override {
    note("PreFilter");
    return script_.pre_filter ? script_.pre_filter(cycle) : PreFiltered();
  }
  Status add_pod(const Cycle& cycle, const PodPtr& added, std::size_t) override {
    note("AddPod");
    return script_.add_pod ? script_.add_pod(cycle, added) : Status();
  }
  Filtered filter(const Cycle& cycle, const NodeSet& candidates) override {
    note("Filter");
    if (script_.filter) {
      return script_.filter(cycle, candidates);
    }
    Filtered filtered{.status = {}, .nodes = candidates};
    for (const std::size_t node : candidates) {
      if (script_.check && !script_.check(node).is_success()) {
        filtered.nodes.reset(node);
      }
    }
    return filtered;
  }
  Status explain(const Cycle&, std::size_t node) override {
    return script_.explain ? script_.explain(node)
                           : (script_.check ? script_.check(node) : Status());
  }
  PostFiltered post_filter(const Cycle&, const Diagnosis& diagnosis) override {
    note("PostFilter");
    return script_.post_filter ? script_.post_filter(diagnosis) : PostFiltered();
  }
  Status pre_score(const Cycle&, std::span<const std::size_t>) override {
    note("PreScore");
    return script_.pre_score ? script_.pre_score() : Status();
  }
  Status score(const Cycle&,
               std::span<const std::size_t>,
               std::span<std::int64_t> scores) override {
    note("Score");
    return script_.score ? script_.score(scores) : Status();
  }
  Status normalise(const Cycle&,
                   std::span<const std::size_t>,
                   std::span<std::int64_t> scores) override {
    return script_.normalise ? script_.normalise(scores) : Status();
  }
  Reserved reserve(const Cycle&, std::size_t) override {
    note("Reserve");
    return script_.reserve ? script_.reserve() : Reserved();
  }
  void unreserve(const Placement&) override {
    note("Unreserve");
    if (script_.unreserve) {
      script_.unreserve();
    }
  }
  Permitted permit(const Cycle&, std::size_t) override {
    note("Permit");
    return script_.permit ? script_.permit() : Permitted();
  }
  Preflighted preflight(const BindContextPtr&) override {
    note("Preflight");
    return script_.preflight ? script_.preflight() : Preflighted();
  }
  rt::Task<Status> pre_bind(BindContextPtr, rt::Until until) override {
    note("PreBind");
    return script_.pre_bind ? script_.pre_bind(until) : at_once(Status());
  }
  rt::Task<Status> rollback(BindContextPtr, rt::Until until) override {
    note("Rollback");
    return script_.rollback ? script_.rollback(until) : at_once(Status());
  }
  rt::Task<Status> bind(BindContextPtr, rt::Until until) override {
    note("Bind");
    return script_.bind ? script_.bind(until) : at_once(Status());
  }
  rt::Task<void> post_bind(BindContextPtr, rt::Until until) override {
    note("PostBind");
    return script_.post_bind ? script_.post_bind(until) : nothing();
  }
  std::vector<EventInterest> interests() const override { return script_.interests; }
  Result<Hint> hint(const api::Pod&, const ClusterEvent&) override {
    note("Hint");
    return script_.hint ? script_.hint() : Result<Hint>(Hint::kSkip);
  }

 private:
  static rt::Task<void> nothing() { co_return; }
  void note(std::string_view point) { log_->push_back(name_ + "." + std::string(point)); }

  std::string name_;
  Script script_;
  std::vector<std::string>* log_;
};

}  // namespace berth::framework::testing
