// One object of a plan on its way to being as the plan wants it: written, and after a conflict or a
// lost answer read, checked and written again, a bounded number of times.
//
//   kPlanned ──begin──► kWriting ──applied──────────────────────► kDone
//       │                │    ▲ conflict, or the answer was lost    ▲
//       │ nothing to do  ▼    │ the decision stands                 │ it is as wanted
//       │               kReading ───────────────────────────────────┤
//       └───────────────────┴──────────────────────────────► kDone / kFailed
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/latest_objects.h"
#include "volumes/recheck.h"
#include "volumes/recorded_plan.h"
#include "volumes/switches.h"
#include "volumes/view.h"
#include "volumes/writes.h"

namespace berth::volumes {

class ItemWrite {
 public:
  enum class State : std::uint8_t { kPlanned, kWriting, kReading, kDone, kFailed };

  // Where a step takes place.
  struct Place {
    const RecordedPlan& plan;
    const View& view;
    const Switches& switches;
    const BindPolicy& policy;
    const LatestObjects& latest;
    Moment now{};
  };

  // The volume of a binding, or the claim of a provision, by its place in the plan. `was_touched`:
  // a process before this one may have written it.
  static ItemWrite of_binding(const RecordedPlan& plan, std::size_t index, bool was_touched);
  static ItemWrite of_provision(const RecordedPlan& plan, std::size_t index, bool was_touched);

  State state() const { return state_; }
  bool is_over() const { return state_ == State::kDone || state_ == State::kFailed; }
  const ObjectId& object() const { return object_; }
  // Of kFailed.
  const std::optional<BindProblem>& problem() const { return problem_; }
  // The version that the view has to show; that of the plan when nothing was written.
  const std::string& version() const { return version_; }
  // Something of ours may be on the object.
  bool is_touched() const { return is_touched_; }
  // Until when a write whose answer was lost may still be applied.
  Moment may_land_until() const { return may_land_until_; }

  // Whether the plan stands for this item, as far as the objects are known.
  std::optional<BindProblem> recheck(const Place& place, bool is_identity_only) const;
  // Objects without which recheck() cannot say anything, and which nobody has seen yet.
  std::vector<ObjectId> unknown_objects(const Place& place) const;

  // Sends the write, if there is something to send. `is_checked`: the objects are known and were
  // checked, so what is written follows from how they are now, not from the record.
  std::optional<BindAction> begin(const Place& place, bool is_checked);
  void take_written(const std::string& version);
  std::optional<BindAction> take_failure(const Error& error, const Place& place);
  // `latest` has the object; or there is none.
  std::optional<BindAction> take_read(const Place& place);
  void take_missing(const std::string& text);
  void take_read_failure(const Error& error);
  // The binding is ending: nothing more is sent, and it only matters whether this may be applied.
  void take_late_failure(const Error& error, const Place& place);
  // Nor is the answer waited for.
  void abandon(const Place& place);

 private:
  bool is_volume() const { return object_.kind == ObjectKind::kVolume; }
  const RecordedBinding& binding(const Place& place) const { return place.plan.bindings[index_]; }
  const RecordedProvision& provision(const Place& place) const {
    return place.plan.provisions[index_];
  }
  bool is_ours(const Place& place) const;
  Write recorded_write(const Place& place) const;
  // Nothing when the object is not known, or only as older than the record.
  std::optional<Write> current_write(const Place& place) const;
  VolumePtr known_volume(const RecordedObject& recorded, const Place& place) const;
  ClaimPtr known_claim(const RecordedObject& recorded, const Place& place) const;

  // Sends it, unless there is nothing to send or it is not ours to send.
  std::optional<BindAction> settle(Write write, const Place& place, bool is_checked);
  void note_lost(const Place& place);
  std::optional<BindAction> send(Write write);
  std::optional<BindAction> read();
  void finish(std::string version);
  void fail(BindVerdict verdict, std::string_view code, std::string text);
  void fail_for_now(const Error& error);
  void fail(BindProblem problem);
  BindReason reason_for(std::string_view code, std::string text) const;

  std::size_t index_ = 0;
  ObjectId object_;
  std::string claim_key_;
  std::string version_;
  State state_ = State::kPlanned;
  bool is_touched_ = false;
  Write sent_;
  int writes_ = 0;
  std::optional<Error> refusal_;  // why it is read again
  Moment may_land_until_{};
  std::optional<BindProblem> problem_;
};

}  // namespace berth::volumes
