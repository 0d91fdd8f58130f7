// Takes back what a binding has written, as a state machine: for every write its mirror. Decides
// only; a driver talks to the server.
//
//   Undo undo(plan, reliance.give_up(owner, plan, binding.undo_scope()), policy);
//   auto actions = undo.step(Begin{}, {.view = catalog.now(), .reliance = reliance, .now = now});
//   ... perform them; for each answer actions = undo.step(answer, ...); until undo.outcome()
//
//  - Every object is read from the server first. The cache is asked only which volumes may have
//    been made for a claim; those are read too. What is not there any more, or is not what we
//    wrote, is left alone.
//  - What the plan of another pod relies on is left, and said to be held for it.
//  - A conflict, or an answer that was lost, has the object read and decided on again.
//  - Where a write of ours may still be applied, what does not show it is looked at again then.
//  - It may be repeated, also by another process from the recorded plan (whole_scope()), whatever
//    became of the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/recorded_plan.h"
#include "volumes/reliance.h"
#include "volumes/rules.h"
#include "volumes/undo_rules.h"
#include "volumes/undo_scope.h"
#include "volumes/view.h"
#include "volumes/writes.h"

namespace berth::volumes {

struct UndoOutcome {
  // What had to stay, and for whom.
  std::vector<BindReason> held;
  // What is not known to be taken back: to be undone again, a little later.
  std::vector<BindReason> unfinished;

  bool is_complete() const { return unfinished.empty(); }
};

class Undo {
 public:
  using Input = std::variant<Begin, Written, WriteFailed, ObjectRead, ReadFailed, Look, Stopped>;

  // What is around it at a step. The plan itself was given up.
  struct Place {
    const View& view;
    const Reliance& reliance;
    Moment now{};
  };

  Undo(RecordedPlan plan, const UndoScope& scope, const BindPolicy& policy);
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  ~Undo() = default;

  // Begin comes first, once. After the end nothing happens any more.
  BindActions step(const Input& input, const Place& place);

  const std::optional<UndoOutcome>& outcome() const { return outcome_; }

 private:
  enum class State : std::uint8_t {
    kNew,
    kReading,      // the object
    kReadingMade,  // the volumes that may have been made for the claim
    kWriting,
    kLanding,  // nothing of ours is there yet; it may still come
    kOver,
  };
  struct Item {
    ObjectId object;
    std::size_t index = 0;
    std::string claim_key;
    State state = State::kNew;
    // Of kReadingMade: the claim as it was read, and the volumes that were not read yet.
    ClaimPtr claim = nullptr;
    std::vector<ObjectId> unread = {};
    int writes = 0;
    std::optional<BindReason> held = {};
    std::optional<BindReason> unfinished = {};

    bool is_volume() const { return object.kind == ObjectKind::kVolume; }
  };

  void on(const Begin& begin, const Place& place);
  void on(const Written& written, const Place& place);
  void on(const WriteFailed& failed, const Place& place);
  void on(const ObjectRead& read, const Place& place);
  void on(const ReadFailed& failed, const Place& place);
  void on(const Look& look, const Place& place);
  void on(const Stopped& stopped, const Place& place);

  void read(Item& item);
  void read_made(Item& item, const Place& place);
  void take_object(Item& item, const ObjectRead& read, const Place& place);
  void take_made(Item& item, const ObjectRead& read, const Place& place);
  void take(Item& item, UndoDecision decision, const Place& place);
  void take_nothing(Item& item, Moment now);
  void hold_for(Item& item, const std::string& pod);
  void leave(Item& item, const std::string& text);
  Need need_of_item(const Item& item) const;
  Item* find_writing(const ObjectId& object);
  static bool is_reading(const Item& item, const ObjectId& object);
  void end_if_over();

  // Constant after construction.
  RecordedPlan plan_;
  BindPolicy policy_;
  Moment landed_by_;

  std::vector<Item> items_;  // claims first: what is asked for last is taken back first
  std::optional<UndoOutcome> outcome_;
  BindActions actions_;  // of the step under way
};

}  // namespace berth::volumes
