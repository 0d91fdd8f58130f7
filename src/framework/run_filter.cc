// Validate, PreFilter, Filter, PostFilter.
#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/pod.h"
#include "base/node_set.h"
#include "framework/diagnosis.h"
#include "framework/plugin.h"
#include "framework/points.h"
#include "framework/runner.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "rt/time.h"

namespace berth::framework {
namespace {

std::int32_t priority_of(const api::Pod& pod) {
  return pod.spec.priority.value_or(0);
}

// The pods that must be reckoned with on each node: of at least the pod's priority, but for itself.
std::map<std::size_t, std::vector<PodPtr>> expected_pods(const api::Pod& pod,
                                                         std::span<const NominatedPod> nominated) {
  std::map<std::size_t, std::vector<PodPtr>> by_node;
  for (const NominatedPod& other : nominated) {
    if (other.pod->metadata.uid != pod.metadata.uid &&
        priority_of(*other.pod) >= priority_of(pod)) {
      by_node[other.node].push_back(other.pod);
    }
  }
  return by_node;
}

}  // namespace

// What PreFilter plugins have left of the nodes.
struct Runner::Narrowing {
  struct Step {
    std::size_t plugin;
    NodeSet left_out;
  };

  NodeSet nodes;
  std::vector<Step> steps;
  std::string names;  // of those that narrowed, separated by spaces
};

Status Runner::validate(const api::Pod& pod) {
  const rt::Time began = calls_.runtime().now();
  Status status;
  for (const Asked<ValidatePoint>& asked : validates_) {
    auto answer = calls_.call(
        asked.plugin, Point::kValidate, [&asked, &pod] { return asked.at->validate(pod); });
    status = answer ? checked(asked.plugin, Point::kValidate, *std::move(answer))
                    : failure(asked.plugin, Point::kValidate, answer.error());
    if (!status.is_success()) {
      break;
    }
  }
  calls_.observe_point(Point::kValidate, status.code(), began);
  return status.is_success() ? Status::success() : status;
}

PreFilterOutcome Runner::pre_filter(const Cycle& cycle) {
  const rt::Time began = calls_.runtime().now();
  Narrowing narrowing{.nodes = cycle.snapshot.nodes(), .steps = {}, .names = {}};
  PreFilterOutcome outcome;
  if (narrowing.nodes.none()) {
    outcome.status = Status::unresolvable({.kind = kNoNodes, .values = {}});
    calls_.observe_point(Point::kPreFilter, outcome.status.code(), began);
    return outcome;
  }
  for (const Asked<PreFilterPoint>& asked : pre_filters_) {
    Status status = pre_filter_one(cycle, asked, narrowing);
    if (status.is_success() || status.is_skip()) {
      continue;
    }
    outcome.status = std::move(status);
    // The others are still asked: preemption will need what they find.
    if (outcome.status.code() != Code::kUnschedulable) {
      break;
    }
  }
  const bool is_rejected = !outcome.status.is_success();
  for (Narrowing::Step& step : narrowing.steps) {
    Status status =
        Status::unresolvable({.kind = kLeftOut, .values = {{"plugins", narrowing.names}}})
            .from(calls_.name(step.plugin));
    outcome.left_out.push_back({.nodes = std::move(step.left_out), .status = std::move(status)});
  }
  outcome.nodes = is_rejected ? NodeSet(cycle.snapshot.node_limit()) : std::move(narrowing.nodes);
  calls_.observe_point(Point::kPreFilter, outcome.status.code(), began);
  return outcome;
}

Status Runner::pre_filter_one(const Cycle& cycle,
                              const Asked<PreFilterPoint>& asked,
                              Narrowing& narrowing) {
  calls_.count_evaluation(asked.plugin, Point::kPreFilter);
  auto answer = calls_.call(
      asked.plugin, Point::kPreFilter, [&asked, &cycle] { return asked.at->pre_filter(cycle); });
  if (!answer) {
    return failure(asked.plugin, Point::kPreFilter, answer.error());
  }
  Status status = checked(asked.plugin, Point::kPreFilter, std::move(answer->status));
  if (status.is_skip()) {
    cycle.state.skips_filter.set(asked.plugin);
  }
  if (!status.is_success() || !answer->nodes) {
    return status;
  }
  if (answer->nodes->size() != narrowing.nodes.size()) {
    return blame(asked.plugin,
                 Point::kPreFilter,
                 fmt::format("its nodes are of a numbering of {}, not of {}",
                             answer->nodes->size(),
                             narrowing.nodes.size()));
  }
  NodeSet left_out = narrowing.nodes;
  left_out.subtract(*answer->nodes);
  narrowing.nodes.subtract(left_out);
  narrowing.steps.push_back({.plugin = asked.plugin, .left_out = std::move(left_out)});
  const std::string& name = calls_.name(asked.plugin);
  narrowing.names.append(narrowing.names.empty() ? "" : " ").append(name);
  if (narrowing.nodes.any()) {
    return status;
  }
  const ReasonKind kind = narrowing.steps.size() == 1 ? kAllLeftOutByOne : kAllLeftOut;
  return Status::unresolvable({.kind = kind, .values = {{"plugins", narrowing.names}}}).from(name);
}

FilterOutcome Runner::filter(const Cycle& cycle,
                             const PreFilterOutcome& before,
                             std::span<const NominatedPod> nominated) {
  const rt::Time began = calls_.runtime().now();
  FilterOutcome outcome;
  outcome.diagnosis = Diagnosis(
      cycle.snapshot.nodes(),
      [this, cycle](std::size_t plugin, std::size_t node) { return explain(cycle, plugin, node); });
  outcome.nodes = NodeSet(cycle.snapshot.node_limit());
  if (!before.status.is_success()) {
    outcome.status = before.status.is_error() ? before.status : Status::success();
    outcome.diagnosis.reject_all(before.status);
    return outcome;
  }
  for (const LeftOut& left_out : before.left_out) {
    outcome.diagnosis.leave_out(left_out.nodes, left_out.status);
  }
  NodeSet nodes = before.nodes;
  outcome.status = filter_supposing(cycle, nominated, nodes, outcome.diagnosis);
  if (outcome.status.is_success()) {
    outcome.status = filter_all(cycle, nodes, outcome.diagnosis);
  }
  if (outcome.status.is_success()) {
    outcome.nodes = std::move(nodes);
  }
  calls_.observe_point(Point::kFilter, outcome.status.code(), began);
  return outcome;
}

Status Runner::filter_all(const Cycle& cycle, NodeSet& nodes, Diagnosis& diagnosis) {
  for (const Asked<FilterPoint>& asked : filters_) {
    if (nodes.none()) {
      break;
    }
    if (cycle.state.skips_filter.test(asked.plugin)) {
      continue;
    }
    calls_.count_evaluation(asked.plugin, Point::kFilter);
    auto answer = calls_.call(asked.plugin, Point::kFilter, [&asked, &cycle, &nodes] {
      return asked.at->filter(cycle, nodes);
    });
    if (!answer) {
      return failure(asked.plugin, Point::kFilter, answer.error());
    }
    const Status status = checked(asked.plugin, Point::kFilter, std::move(answer->status));
    if (!status.is_success()) {
      return status;
    }
    if (answer->nodes.size() != nodes.size() || !answer->nodes.is_subset_of(nodes)) {
      return blame(asked.plugin, Point::kFilter, "it let nodes pass that it was not asked about");
    }
    nodes.subtract(answer->nodes);
    diagnosis.refuse(asked.plugin, std::move(nodes));
    nodes = std::move(answer->nodes);
  }
  return Status::success();
}

Status Runner::filter_supposing(const Cycle& cycle,
                                std::span<const NominatedPod> nominated,
                                NodeSet& nodes,
                                Diagnosis& diagnosis) {
  for (const auto& [node, pods] : expected_pods(*cycle.pod, nominated)) {
    if (node >= nodes.size() || !nodes.test(node)) {
      continue;
    }
    CycleState state = cycle.state.clone();
    const SupposedSnapshot snapshot(cycle.snapshot, node, pods);
    const Cycle supposed{.pod = cycle.pod, .snapshot = snapshot, .state = state};
    Status status = suppose(supposed, pods, node);
    if (status.is_error()) {
      return status;
    }
    if (!status.is_success()) {
      diagnosis.refuse(node, std::move(status));
      nodes.reset(node);
    }
  }
  return Status::success();
}

Status Runner::suppose(const Cycle& supposed, const std::vector<PodPtr>& pods, std::size_t node) {
  for (const PodPtr& pod : pods) {
    for (const Asked<PreFilterPoint>& asked : pre_filters_) {
      if (supposed.state.skips_filter.test(asked.plugin)) {
        continue;
      }
      auto answer = calls_.call(
          asked.plugin, Point::kAddPod, [&] { return asked.at->add_pod(supposed, pod, node); });
      Status status = answer ? checked(asked.plugin, Point::kAddPod, *std::move(answer))
                             : failure(asked.plugin, Point::kAddPod, answer.error());
      if (!status.is_success()) {
        return status;
      }
    }
  }
  NodeSet nodes(supposed.snapshot.node_limit());
  nodes.set(node);
  Diagnosis diagnosis(nodes, [this, &supposed](std::size_t plugin, std::size_t refused) {
    return explain(supposed, plugin, refused);
  });
  Status status = filter_all(supposed, nodes, diagnosis);
  return status.is_success() ? diagnosis.status_of(node) : status;
}

Status Runner::explain(const Cycle& cycle, std::size_t plugin, std::size_t node) {
  for (const Asked<FilterPoint>& asked : filters_) {
    if (asked.plugin == plugin) {
      auto answer =
          calls_.call(plugin, Point::kExplain, [&] { return asked.at->explain(cycle, node); });
      return answer ? checked(plugin, Point::kExplain, *std::move(answer))
                    : failure(plugin, Point::kExplain, answer.error());
    }
  }
  return blame(plugin, Point::kExplain, "it is not asked at Filter");
}

PostFiltered Runner::post_filter(const Cycle& cycle, const Diagnosis& diagnosis) {
  const rt::Time began = calls_.runtime().now();
  PostFiltered outcome;
  std::vector<Reason> reasons;
  std::string rejector;
  for (const Asked<PostFilterPoint>& asked : post_filters_) {
    auto answer = calls_.call(
        asked.plugin, Point::kPostFilter, [&] { return asked.at->post_filter(cycle, diagnosis); });
    Status status = answer ? checked(asked.plugin, Point::kPostFilter, std::move(answer->status))
                           : failure(asked.plugin, Point::kPostFilter, answer.error());
    if (answer && answer->nominated_node) {
      outcome.nominated_node = std::move(answer->nominated_node);
    }
    if (status.code() != Code::kUnschedulable) {
      calls_.observe_point(Point::kPostFilter, status.code(), began);
      outcome.status = std::move(status);
      return outcome;
    }
    if (rejector.empty()) {
      rejector = status.plugin();
    }
    reasons.insert(reasons.end(), status.reasons().begin(), status.reasons().end());
  }
  outcome.status = Status::with_reasons(Code::kUnschedulable, std::move(reasons)).from(rejector);
  calls_.observe_point(Point::kPostFilter, outcome.status.code(), began);
  return outcome;
}

}  // namespace berth::framework
