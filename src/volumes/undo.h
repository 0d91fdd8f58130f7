// Takes back what a binding has written, as a state machine: for every write its mirror. Decides
// only; a driver talks to the server.
//
//   Undo undo(plan, binding.undo_scope(), policy);
//   auto actions = undo.step(Begin{}, now);
//   ... perform them; for each answer actions = undo.step(answer, now); until undo.outcome()
//
//  - Every object is read from the server first; no cache is asked. What is not there any more, or
//    is not what we wrote, is left alone.
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

#include "base/error.h"
#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/undo_rules.h"
#include "volumes/undo_scope.h"
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

  Undo(RecordedPlan plan, const UndoScope& scope, const BindPolicy& policy);
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  ~Undo() = default;

  // Begin comes first, once. After the end nothing happens any more.
  BindActions step(const Input& input, Moment now);

  const std::optional<UndoOutcome>& outcome() const { return outcome_; }

 private:
  enum class State : std::uint8_t {
    kNew,
    kReading,      // the object
    kReadingMade,  // the volume that may have been made for the claim
    kWriting,
    kLanding,  // nothing of ours is there yet; it may still come
    kOver,
  };
  struct Item {
    ObjectId object;
    std::size_t index = 0;
    std::string claim_key;
    State state = State::kNew;
    ClaimPtr claim;  // as it was read, in kReadingMade
    int writes = 0;
    std::optional<BindReason> held;
    std::optional<BindReason> unfinished;

    bool is_volume() const { return object.kind == ObjectKind::kVolume; }
  };

  void on(const Begin& begin, Moment now);
  void on(const Written& written, Moment now);
  void on(const WriteFailed& failed, Moment now);
  void on(const ObjectRead& read, Moment now);
  void on(const ReadFailed& failed, Moment now);
  void on(const Look& look, Moment now);
  void on(const Stopped& stopped, Moment now);

  void read(Item& item);
  void take_object(Item& item, const ObjectRead& read, Moment now);
  void decide_claim(Item& item, const api::PersistentVolume* made, Moment now);
  void take(Item& item, UndoDecision decision, Moment now);
  void take_nothing(Item& item, Moment now);
  void leave(Item& item, const std::string& text);
  ObjectId made_volume(const Item& item) const;
  Item* find_writing(const ObjectId& object);
  Item* find_reading(const ObjectId& object);
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
