// Runs the plugins of one profile, point by point, as a KubeSchedulerConfiguration orders them.
//
//   CycleState state = runner.new_state();
//   const Cycle cycle{.pod = pod, .snapshot = snapshot, .state = state};
//   const auto before = runner.pre_filter(cycle);
//   const auto found = runner.filter(cycle, before, nominated);
//   if (found.nodes.none()) { ... runner.post_filter(cycle, found.diagnosis); }
//   const auto chosen = runner.choose(cycle, found.nodes, random);
//   auto reserved = runner.reserve(cycle, chosen.node);       // the BindContext
//   ...
//   const auto work = runner.preflight(context);
//   const auto done = co_await runner.pre_bind(context, work, until);
//   if (!done.status.is_success()) { co_await runner.rollback(context, done.begun, until); ... }
//
// What fails ends the attempt: nothing of a later point is called, whoever runs the cycle calls
// rollback() if pre_bind() began, and then unreserve(). No plugin can end, stop or mislead the
// process: what it throws, answers against the contract of its point or does not finish in time is
// Code::kError with its name.
//
// One thread, that of the reactor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/node_set.h"
#include "base/result.h"
#include "framework/bind_context.h"
#include "framework/cluster_event.h"
#include "framework/cycle_state.h"
#include "framework/diagnosis.h"
#include "framework/plugin.h"
#include "framework/plugin_calls.h"
#include "framework/points.h"
#include "framework/profile.h"
#include "framework/registry.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "framework/waiting_pods.h"
#include "rt/random.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::framework {

inline constexpr ReasonKind kNoNodes{.id = "NoNodes",
                                     .text = "no nodes available to schedule pods"};
// What PreFilter plugins left: of one node that they left out, and when they left none.
inline constexpr ReasonKind kLeftOut{.id = "LeftOut",
                                     .text = "node(s) didn't satisfy plugin(s) [{}]"};
inline constexpr ReasonKind kAllLeftOutByOne{.id = "AllLeftOutByOne",
                                             .text = "node(s) didn't satisfy plugin {}"};
inline constexpr ReasonKind kAllLeftOut{
    .id = "AllLeftOut", .text = "node(s) didn't satisfy plugin(s) [{}] simultaneously"};

struct PreFilterOutcome {
  Status status;  // success, a rejection of the whole pod, or an error
  NodeSet nodes;  // with success: those that are to be filtered
  std::vector<LeftOut> left_out;
};

// A pod that is expected on a node though nobody has put it there yet.
struct NominatedPod {
  PodPtr pod;
  std::size_t node = 0;
};

struct FilterOutcome {
  Status status;  // success, also when no node passes; or an error
  NodeSet nodes;  // those that pass
  Diagnosis diagnosis;
};

struct NodeScore {
  std::size_t node = 0;
  std::int64_t total = 0;

  bool operator==(const NodeScore&) const = default;
};

struct ScoreOutcome {
  Status status;                  // success or an error
  std::vector<NodeScore> scores;  // in the order of numbers
};

struct Chosen {
  Status status;  // success or an error
  std::size_t node = 0;
};

struct ReserveOutcome {
  Status status;           // success, a rejection or an error
  BindContextPtr context;  // with success
};

struct PreflightOutcome {
  Status status;  // success: there is work; skip: there is none; or an error
  // Who works, by number: groups one after the other, the members of one beside each other.
  std::vector<std::vector<std::size_t>> groups;
};

struct PreBindOutcome {
  Status status;    // success, a rejection or an error
  PluginSet begun;  // whose work may have to be taken back, the failing one included
};

class Runner {
 public:
  // Makes the plugins that are asked at some point and sorts them in. What it is given outlives it.
  static Result<std::unique_ptr<Runner>> make(const Profile& profile,
                                              const Registry& registry,
                                              RunnerServices services,
                                              WaitingPods& waiting);
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner();

  const std::string& scheduler_name() const { return scheduler_name_; }
  // By number, in the order of the registry.
  const std::string& plugin_name(std::size_t plugin) const { return calls_.name(plugin); }
  CycleState new_state() const { return CycleState(layout_); }

  // The first rejection, or success.
  Status validate(const api::Pod& pod);

  PreFilterOutcome pre_filter(const Cycle& cycle);
  // A node with nominated pods of at least the pod's priority must pass with them and without. With
  // a `before` that rejected the pod no plugin is asked, and the diagnosis says so.
  FilterOutcome filter(const Cycle& cycle,
                       const PreFilterOutcome& before,
                       std::span<const NominatedPod> nominated);
  // The first success. Else the reasons of all, and the last nomination that is one.
  PostFiltered post_filter(const Cycle& cycle, const Diagnosis& diagnosis);

  // PreScore, Score and normalisation, weighted. `nodes` is not empty.
  ScoreOutcome score(const Cycle& cycle, const NodeSet& nodes);
  // One of the best; a single node is not scored. Ties are drawn. An error for no nodes.
  Chosen choose(const Cycle& cycle, const NodeSet& nodes, rt::Random& random);

  // When it fails, everything has been given back already.
  ReserveOutcome reserve(const Cycle& cycle, std::size_t node);
  // On all Reserve plugins, last to first.
  void unreserve(const Placement& placement);

  // Success, wait, a rejection or an error. With wait the pod is in the table of waiting pods.
  Status permit(const Cycle& cycle, std::size_t node);

  PreflightOutcome preflight(const BindContextPtr& context);
  rt::Task<PreBindOutcome> pre_bind(BindContextPtr context,
                                    PreflightOutcome preflight,
                                    rt::Until until);
  // Of these plugins, last to first, all of them whatever one says. The first error.
  rt::Task<Status> rollback(BindContextPtr context, PluginSet begun, rt::Until until);
  // For a context of another process, of which nobody knows how far it came: everyone.
  PluginSet pre_bind_plugins() const;
  // The answer of the first that does not skip. Skip when all do, which is a failure of the
  // attempt.
  rt::Task<Status> bind(BindContextPtr context, rt::Until until);
  rt::Task<void> post_bind(BindContextPtr context, rt::Until until);

  // Whether the event is worth another attempt for a pod that these plugins rejected.
  Hint hint(std::span<const std::string> rejectors, const api::Pod& pod, const ClusterEvent& event);

 private:
  template <typename PointClass>
  struct Asked {
    std::size_t plugin;
    PointClass* at;
    std::int64_t weight = 1;
  };

  Runner(std::string scheduler_name,
         std::vector<std::string> names,
         RunnerServices services,
         WaitingPods& waiting);

  Result<void> make_plugins(const Profile& profile, const Registry& registry);
  template <typename PointClass>
  Result<void> sort_in(const Profile& profile, Point point, std::vector<Asked<PointClass>>& into);
  template <typename PointClass>
  void sort_in_all(std::vector<Asked<PointClass>>& into);
  Result<void> check_weights() const;

  // The answer with the plugin's name; an error in the words of the point, and one for an answer
  // that is not allowed there.
  Status checked(std::size_t plugin, Point point, Status answer);
  // "running Reserve plugin "X": ..."
  Status failure(std::size_t plugin, Point point, const Error& error) const;
  Status blame(std::size_t plugin, Point point, std::string_view what);

  // Filter, in run_filter.cc.
  struct Narrowing;
  Status pre_filter_one(const Cycle& cycle,
                        const Asked<PreFilterPoint>& asked,
                        Narrowing& narrowing);
  Status filter_all(const Cycle& cycle, NodeSet& nodes, Diagnosis& diagnosis);
  Status filter_supposing(const Cycle& cycle,
                          std::span<const NominatedPod> nominated,
                          NodeSet& nodes,
                          Diagnosis& diagnosis);
  Status suppose(const Cycle& supposed, const std::vector<PodPtr>& pods, std::size_t node);
  Status explain(const Cycle& cycle, std::size_t plugin, std::size_t node);

  // Score, in run_score.cc.
  Status pre_score(const Cycle& cycle, std::span<const std::size_t> nodes);
  Status add_scores(const Cycle& cycle,
                    const Asked<ScorePoint>& asked,
                    std::span<const std::size_t> nodes,
                    std::span<NodeScore> totals);

  // PreBind, in run_bind.cc.
  struct Group;
  rt::Task<Status> pre_bind_one(std::size_t plugin, BindContextPtr context, rt::Until until);
  rt::Task<Status> rollback_one(std::size_t plugin, BindContextPtr context, rt::Until until);
  rt::Task<void> pre_bind_member(Group* group, std::size_t plugin, BindContextPtr context);
  rt::Task<Status> pre_bind_group(std::vector<std::size_t> plugins,
                                  BindContextPtr context,
                                  rt::Until until);
  PreBindPoint& pre_bind_of(std::size_t plugin) const;

  // Constant after construction.
  std::string scheduler_name_;
  StateLayout layout_;
  WaitingPods& waiting_;
  std::vector<std::unique_ptr<Plugin>> plugins_;  // by number
  std::vector<Asked<ValidatePoint>> validates_;
  std::vector<Asked<PreFilterPoint>> pre_filters_;
  std::vector<Asked<FilterPoint>> filters_;
  std::vector<Asked<PostFilterPoint>> post_filters_;
  std::vector<Asked<PreScorePoint>> pre_scores_;
  std::vector<Asked<ScorePoint>> scores_;
  std::vector<Asked<ReservePoint>> reserves_;
  std::vector<Asked<PermitPoint>> permits_;
  std::vector<Asked<PreBindPoint>> pre_binds_;
  std::vector<Asked<BindPoint>> binds_;
  std::vector<Asked<PostBindPoint>> post_binds_;
  std::vector<Asked<QueueingHintPoint>> hints_;

  PluginCalls calls_;
};

}  // namespace berth::framework
