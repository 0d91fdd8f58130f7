// The binding of one plan, as a state machine: what is to be written and read, what is waited for,
// and what comes of it. Decides only; a driver talks to the server.
//
//   Binding binding(plan, UndoScope{}, policy, switches);
//   auto actions = binding.step(Begin{}, {.view = catalog.now(), .pod = pod, .now = now});
//   ... perform them; for each answer, and for each event of binding.is_watching(...):
//   actions = binding.step(answer, ...);
//   ... until binding.outcome(); where that gives up: what Reliance::give_up() makes of
//   binding.undo_scope() is to be undone, unless it is empty
//
//   kNew ─► kVerifying ─► kVolumes ─► kClaims ─► kWaiting ─► kEnded
//               │            │           │           │          ▲
//               └────────────┴───────────┴───────────┴─ kEnding ┘
//
//  - All items are checked before the first write. What the cache does not show is read first.
//  - Volumes are written before claims, those of a kind beside each other. Nothing is written that
//    changes nothing. (With upstream's switches: one by one, and everything.)
//  - A conflict, or an answer that was lost, has the object read, checked and written again.
//  - Then it is waited until every claim is bound: looked at right after the writes, on each event
//  of
//    what is watched, and now and then. Each claim has the time of its StorageClass.
//  - It ends when nothing it has sent is without an answer, so that an undo sees all there is; a
//    write whose answer was lost is named in the scope of the undo.
//
// The same plan may be taken up again: what is as wanted is left as it is. `before` then says what
// may be written already: undo_scope() of the binding before, or whole_scope() of a process that
// died.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "volumes/bind_outcome.h"
#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/item_write.h"
#include "volumes/latest_objects.h"
#include "volumes/plan_items.h"
#include "volumes/recorded_plan.h"
#include "volumes/switches.h"
#include "volumes/undo_scope.h"
#include "volumes/view.h"
#include "volumes/wait.h"
#include "volumes/waiting.h"

namespace berth::volumes {

class Binding {
 public:
  enum class Phase : std::uint8_t {
    kNew,
    kVerifying,
    kVolumes,
    kClaims,
    kWaiting,
    kEnding,
    kEnded,
  };
  // What a waiter files it under.
  enum class WatchedKind : std::uint8_t { kPod, kNode, kCsiNode, kVolume, kClaim };
  using Watched = std::pair<WatchedKind, std::string>;

  // What is around it at a step.
  struct Place {
    const View& view;
    PodFacts pod;
    Moment now{};
  };
  using Input =
      std::variant<Begin, Written, WriteFailed, ObjectRead, ReadFailed, Look, Preempted, Stopped>;

  Binding(RecordedPlan plan,
          const UndoScope& before,
          const BindPolicy& policy,
          const Switches& switches);
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;
  ~Binding() = default;

  // Begin comes first, once. After the end nothing happens any more.
  BindActions step(const Input& input, const Place& place);

  const std::optional<BindOutcome>& outcome() const { return outcome_; }
  Phase phase() const { return phase_; }
  const RecordedPlan& plan() const { return plan_; }
  // What the view has to show of our writes.
  AwaitedVersions awaited() const { return items_.awaited(); }
  // Of a binding that has ended: what it has not written, so that promises on it are kept for
  // nothing.
  std::vector<ObjectId> unwritten() const { return items_.unwritten(); }
  // And what an undo has to look at.
  UndoScope undo_scope() const;

  // Pods and claims go by "namespace/name". Changes from step to step: a claim that names a volume
  // has that volume watched too.
  std::vector<Watched> watched() const;
  bool is_watching(WatchedKind kind, std::string_view key) const;

 private:
  ItemWrite::Place inside(const Place& place) const;
  Waiting::Place waiting_place(const Place& place) const;
  bool is_checked() const { return switches_.undo; }

  void on(const Begin& begin, const Place& place);
  void on(const Written& written, const Place& place);
  void on(const WriteFailed& failed, const Place& place);
  void on(const ObjectRead& read, const Place& place);
  void on(const ReadFailed& failed, const Place& place);
  void on(const Look& look, const Place& place);
  void on(const Preempted& preempted, const Place& place);
  void on(const Stopped& stopped, const Place& place);

  void verify(const Place& place);
  // Goes on with the writes of the phase, and to the next phase when there are none left.
  void write(const Place& place);
  void write(std::vector<ItemWrite>& items, const Place& place);
  void take(Waiting::Finding finding);

  void act(std::optional<BindAction> action);
  // Ends as soon as nothing is under way. `text`: instead of that of the worst problem.
  void end(std::vector<BindProblem> problems, std::string text = {});
  void end_if_settled();

  // Constant after construction.
  RecordedPlan plan_;
  Moment landed_by_;  // what was sent before
  BindPolicy policy_;
  Switches switches_;

  Phase phase_ = Phase::kNew;
  PlanItems items_;
  LatestObjects latest_;
  std::set<ObjectId> reads_;    // of kVerifying, without an answer
  std::set<ObjectId> missing_;  // the server has none
  Waiting waiting_;
  std::string_view prefix_;  // of the text of what fails from now on
  std::string text_;
  std::vector<BindProblem> problems_;
  std::optional<BindOutcome> outcome_;
  BindActions actions_;  // of the step under way
};

}  // namespace berth::volumes
