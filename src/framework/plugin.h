// A plugin: one class that derives from Plugin and from the points at which it has something to
// say.
//
//   class NodeName final : public Plugin, public PreFilterPoint, public PerNodeFilter { ... };
//   static_assert(points_of<NodeName>() == Points{Point::kPreFilter, Point::kFilter});
//
// Leaving out a function of a point does not compile. The plugin is made once for a profile, does
// not change afterwards, and keeps what concerns a pod in slots of its CycleState.
//
// Points that are plain functions are called on the reactor's thread, one after the other, and
// return at once: they wait for nothing, read no clock and reach no server. Those that are tasks
// may wait as long as their Until says; when its token is cancelled they come to an end and say so.
// Each may be called for many pods, and after a crash for a pod whose attempt another process
// began.
//
// Whatever a plugin throws, whatever nonsense it answers and however long it takes is an error that
// names it: runner.h.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/pod.h"
#include "base/node_set.h"
#include "base/result.h"
#include "framework/bind_context.h"
#include "framework/cluster_event.h"
#include "framework/cycle_state.h"
#include "framework/points.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::framework {

class Diagnosis;

class Plugin {
 public:
  Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  virtual ~Plugin() = default;
};

// Whether a pod can be meant as it stands, before it is stored: success, or a rejection.
class ValidatePoint {
 public:
  virtual Status validate(const api::Pod& pod) = 0;

 protected:
  ~ValidatePoint() = default;
};

struct PreFiltered {
  Status status;
  // The nodes that can be considered at all; nothing means all. Read only with success.
  std::optional<NodeSet> nodes = std::nullopt;
};

// Looks at the pod once, before any node: success, skip (then its Filter is not asked), a rejection
// (but not pending) or an error.
class PreFilterPoint {
 public:
  virtual PreFiltered pre_filter(const Cycle& cycle) = 0;
  // Supposes that `added` is on the node, in what pre_filter() put into cycle.state, which is a
  // clone. Success or an error. cycle.snapshot shows the pod there already, so a plugin that reads
  // pods from it alone has nothing to do.
  virtual Status add_pod(const Cycle& /*cycle*/, const PodPtr& /*added*/, std::size_t /*node*/) {
    return Status::success();
  }

 protected:
  ~PreFilterPoint() = default;
};

struct Filtered {
  // Success, or an error, which ends the attempt: a node that cannot be judged is not rejected.
  Status status;
  NodeSet nodes;  // those that pass
};

// Says which nodes could take the pod.
class FilterPoint {
 public:
  // `candidates` is a set of the snapshot's nodes, the answer a subset of it.
  virtual Filtered filter(const Cycle& cycle, const NodeSet& candidates) = 0;
  // Why a node did not pass: a rejection. Only asked for such, and only when somebody wants to
  // know.
  virtual Status explain(const Cycle& cycle, std::size_t node) = 0;

 protected:
  ~FilterPoint() = default;
};

// For plugins that cannot think in sets: one node at a time, success, a rejection or an error.
class PerNodeFilter : public FilterPoint {
 public:
  Filtered filter(const Cycle& cycle, const NodeSet& candidates) final;
  Status explain(const Cycle& cycle, std::size_t node) final { return check(cycle, node); }

 protected:
  ~PerNodeFilter() = default;
  virtual Status check(const Cycle& cycle, std::size_t node) = 0;
};

struct PostFiltered {
  // Success: there is a nomination, the pod comes back later. Else a rejection or an error.
  Status status;
  // A name nominates that node, an empty text takes a nomination back; nothing leaves it as it is.
  std::optional<std::string> nominated_node = std::nullopt;
};

// Asked when no node fits: can room be made?
class PostFilterPoint {
 public:
  virtual PostFiltered post_filter(const Cycle& cycle, const Diagnosis& diagnosis) = 0;

 protected:
  ~PostFilterPoint() = default;
};

// Looks at the nodes that fit, before they are scored: success, skip (then its Score is not asked)
// or an error.
class PreScorePoint {
 public:
  virtual Status pre_score(const Cycle& cycle, std::span<const std::size_t> nodes) = 0;

 protected:
  ~PreScorePoint() = default;
};

inline constexpr std::int64_t kScoreMin = 0;
inline constexpr std::int64_t kScoreMax = 100;

// How well nodes suit: the more the better. `scores` has one place for each of `nodes`.
class ScorePoint {
 public:
  // Any numbers, if normalise() brings them between kScoreMin and kScoreMax. Success or an error.
  virtual Status score(const Cycle& cycle,
                       std::span<const std::size_t> nodes,
                       std::span<std::int64_t> scores) = 0;
  virtual Status normalise(const Cycle& /*cycle*/,
                           std::span<const std::size_t> /*nodes*/,
                           std::span<std::int64_t> /*scores*/) {
    return Status::success();
  }

 protected:
  ~ScorePoint() = default;
};

// What normalise() mostly is: scores from 0 up are stretched so that the largest becomes kScoreMax.
// Where less is better they are turned round; if all are 0 all become kScoreMax then.
enum class Better : std::uint8_t { kMore, kLess };
void stretch_scores(std::span<std::int64_t> scores, Better better);

struct Reserved {
  Status status;  // success, a rejection or an error
  // What it decided, as a versioned text of its own: its part of the BindContext. Empty: nothing.
  std::string part = {};
};

// A pod and the node that was chosen for it.
struct Placement {
  PodPtr pod;
  std::string node;
  CycleState& state;
};

class ReservePoint {
 public:
  // Takes what the pod needs on the node, in memory.
  virtual Reserved reserve(const Cycle& cycle, std::size_t node) = 0;
  // Gives it back. Called when anything from Reserve on fails, also for a plugin whose reserve()
  // was not reached, or twice: then there is nothing to do. It cannot fail.
  virtual void unreserve(const Placement& placement) = 0;

 protected:
  ~ReservePoint() = default;
};

struct Permitted {
  Status status;  // success, wait, a rejection or an error
  // Of a wait; at most kPermitWaitMax.
  rt::Duration timeout{};
};
inline constexpr rt::Duration kPermitWaitMax = std::chrono::minutes(15);

// Whether the pod may go on to be bound, now or when somebody allows it: waiting_pods.h.
class PermitPoint {
 public:
  virtual Permitted permit(const Cycle& cycle, std::size_t node) = 0;

 protected:
  ~PermitPoint() = default;
};

struct Preflighted {
  Status status;  // success: there is work; skip: there is none; or an error
  // Its work may go on beside that of its neighbours that say the same.
  bool is_parallel = false;
};

// Work that must be done before the pod is bound: writes, and waiting for what they bring about.
class PreBindPoint {
 public:
  // Would it do anything? Cheap; asks nobody.
  virtual Preflighted preflight(const BindContextPtr& context) = 0;
  // Success, a rejection or an error.
  virtual rt::Task<Status> pre_bind(BindContextPtr context, rt::Until until) = 0;
  // Takes back what pre_bind() wrote, as far as that is still ours: after any failure, after a
  // crash, also when pre_bind() itself failed or was given up, and more than once. An error says
  // what had to be left.
  virtual rt::Task<Status> rollback(BindContextPtr context, rt::Until until) = 0;

  // How long each may take; then its token is cancelled.
  virtual rt::Duration pre_bind_max(const BindContext& /*context*/) const {
    return std::chrono::minutes(15);
  }
  virtual rt::Duration rollback_max(const BindContext& /*context*/) const {
    return std::chrono::minutes(5);
  }

 protected:
  ~PreBindPoint() = default;
};

// Binds the pod: success, skip (the next one is asked), or an error.
class BindPoint {
 public:
  virtual rt::Task<Status> bind(BindContextPtr context, rt::Until until) = 0;

 protected:
  ~BindPoint() = default;
};

// Told when the pod is bound.
class PostBindPoint {
 public:
  virtual rt::Task<void> post_bind(BindContextPtr context, rt::Until until) = 0;

 protected:
  ~PostBindPoint() = default;
};

// Which changes can help pods that this plugin rejected. One that does not derive from it is taken
// to be interested in all of them.
class QueueingHintPoint {
 public:
  virtual std::vector<EventInterest> interests() const = 0;
  // Asked for events that one of them covers. An error counts as Hint::kQueue.
  virtual Result<Hint> hint(const api::Pod& pod, const ClusterEvent& event) = 0;

 protected:
  ~QueueingHintPoint() = default;
};

// The points a plugin class implements, told by the compiler.
template <std::derived_from<Plugin> Class>
constexpr Points points_of() {
  Points points;
  const auto add_if = [&points](bool is_implemented, Point point) {
    if (is_implemented) {
      points.add(point);
    }
  };
  add_if(std::derived_from<Class, ValidatePoint>, Point::kValidate);
  add_if(std::derived_from<Class, PreFilterPoint>, Point::kPreFilter);
  add_if(std::derived_from<Class, FilterPoint>, Point::kFilter);
  add_if(std::derived_from<Class, PostFilterPoint>, Point::kPostFilter);
  add_if(std::derived_from<Class, PreScorePoint>, Point::kPreScore);
  add_if(std::derived_from<Class, ScorePoint>, Point::kScore);
  add_if(std::derived_from<Class, ReservePoint>, Point::kReserve);
  add_if(std::derived_from<Class, PermitPoint>, Point::kPermit);
  add_if(std::derived_from<Class, PreBindPoint>, Point::kPreBind);
  add_if(std::derived_from<Class, BindPoint>, Point::kBind);
  add_if(std::derived_from<Class, PostBindPoint>, Point::kPostBind);
  add_if(std::derived_from<Class, QueueingHintPoint>, Point::kQueueingHint);
  return points;
}

}  // namespace berth::framework
