#include "volumes/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "volumes/bind_outcome.h"
#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/item_write.h"
#include "volumes/plan_items.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/undo_scope.h"
#include "volumes/wait.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

std::string key_of(const RecordedObject& object) {
  return claim_key(object.ns, object.name);
}

std::string not_found_text(const ObjectId& object) {
  return object.kind == ObjectKind::kVolume
             ? fmt::format("persistentvolumes \"{}\" not found", object.name)
             : fmt::format("persistentvolumeclaims \"{}\" not found", object.name);
}

BindProblem missing(const ObjectId& object) {
  const bool is_volume = object.kind == ObjectKind::kVolume;
  return {.verdict = is_volume ? BindVerdict::kGiveUpNode : BindVerdict::kGiveUpPod,
          .reason = {.code = is_volume ? bind_reason::kVolumeGone : bind_reason::kClaimGone,
                     .text = not_found_text(object),
                     .claim = is_volume ? "" : claim_key(object.ns, object.name),
                     .volume = is_volume ? object.name : ""}};
}

bool is_giving_up(BindVerdict verdict) {
  return verdict == BindVerdict::kGiveUpNode || verdict == BindVerdict::kGiveUpPod;
}

}  // namespace

Binding::Binding(RecordedPlan plan,
                 const UndoScope& before,
                 const BindPolicy& policy,
                 const Switches& switches)
    : plan_(std::move(plan)),
      landed_by_(before.landed_by),
      policy_(policy),
      switches_(switches),
      items_(plan_, before) {}

BindActions Binding::step(const Input& input, const Place& place) {
  if (phase_ != Phase::kEnded) {
    std::visit([this, &place](const auto& event) { on(event, place); }, input);
  }
  return std::exchange(actions_, {});
}

ItemWrite::Place Binding::inside(const Place& place) const {
  return {.plan = plan_,
          .view = place.view,
          .switches = switches_,
          .policy = policy_,
          .latest = latest_,
          .now = place.now};
}

Waiting::Place Binding::waiting_place(const Place& place) const {
  return {.plan = plan_,
          .policy = policy_,
          .switches = switches_,
          .view = place.view,
          .pod = place.pod,
          .now = place.now};
}

// What happened. -----------------------------------------------------------------------------

void Binding::on(const Begin& /*begin*/, const Place& place) {
  if (phase_ != Phase::kNew) {
    return;
  }
  phase_ = Phase::kVerifying;
  if (is_checked()) {
    for (const ObjectId& object : items_.unknown_objects(inside(place))) {
      if (reads_.insert(object).second) {
        actions_.emplace_back(ReadObject{object});
      }
    }
  }
  if (reads_.empty()) {
    verify(place);
  }
}

void Binding::on(const Written& written, const Place& place) {
  ItemWrite* item = items_.find(written.object, ItemWrite::State::kWriting);
  if (item == nullptr) {
    return;
  }
  if (written.volume != nullptr) {
    latest_.note(written.volume);
    item->take_written(written.volume->metadata.resource_version);
  } else if (written.claim != nullptr) {
    latest_.note(written.claim);
    item->take_written(written.claim->metadata.resource_version);
  } else {
    on(WriteFailed{.object = written.object,
                   .error = Error(ErrorCode::kUnknownOutcome, "an answer without its object")},
       place);
    return;
  }
  phase_ == Phase::kEnding ? end_if_settled() : write(place);
}

void Binding::on(const WriteFailed& failed, const Place& place) {
  ItemWrite* item = items_.find(failed.object, ItemWrite::State::kWriting);
  if (item == nullptr) {
    return;
  }
  if (phase_ == Phase::kEnding) {
    item->take_late_failure(failed.error, inside(place));
    end_if_settled();
    return;
  }
  act(item->take_failure(failed.error, inside(place)));
  write(place);
}

void Binding::on(const ObjectRead& read, const Place& place) {
  const bool is_there = read.volume != nullptr || read.claim != nullptr;
  if (read.volume != nullptr) {
    latest_.note(read.volume);
  }
  if (read.claim != nullptr) {
    latest_.note(read.claim);
  }
  if (phase_ == Phase::kVerifying) {
    reads_.erase(read.object);
    if (!is_there) {
      missing_.insert(read.object);
    }
    if (reads_.empty()) {
      verify(place);
    }
    return;
  }
  if (phase_ == Phase::kWaiting) {
    is_there ? waiting_.take_read(read.object, waiting_place(place))
             : waiting_.take_missing(read.object);
    take(waiting_.look(items_.awaited(), waiting_place(place)));
    return;
  }
  ItemWrite* item = items_.find(read.object, ItemWrite::State::kReading);
  if (item == nullptr || phase_ == Phase::kEnding) {
    return;
  }
  if (is_there) {
    act(item->take_read(inside(place)));
  } else {
    item->take_missing(not_found_text(read.object));
  }
  write(place);
}

void Binding::on(const ReadFailed& failed, const Place& place) {
  if (failed.error.code() == ErrorCode::kNotFound) {
    on(ObjectRead{.object = failed.object}, place);
    return;
  }
  if (phase_ == Phase::kVerifying) {
    end({{.verdict = BindVerdict::kRetryHere,
          .reason = {.code = bind_reason::kTrouble, .text = failed.error.text()}}});
    return;
  }
  ItemWrite* item = items_.find(failed.object, ItemWrite::State::kReading);
  if (item != nullptr && phase_ != Phase::kEnding) {
    item->take_read_failure(failed.error);
    write(place);
  }
}

void Binding::on(const Look& /*look*/, const Place& place) {
  if (phase_ == Phase::kWaiting) {
    take(waiting_.look(items_.awaited(), waiting_place(place)));
  }
}

void Binding::on(const Preempted& preempted, const Place& /*place*/) {
  if (phase_ != Phase::kEnding) {
    prefix_ = {};
    end({{.verdict = BindVerdict::kGiveUpNode,
          .reason = {.code = bind_reason::kPreempted, .text = "preempted by " + preempted.by}}});
  }
}

void Binding::on(const Stopped& /*stopped*/, const Place& place) {
  items_.abandon(inside(place));
  problems_.clear();
  prefix_ = {};
  end({{.verdict = BindVerdict::kRetryHere,
        .reason = {.code = bind_reason::kStopped, .text = "the process ends"}}});
}

// What to do then. ---------------------------------------------------------------------------

void Binding::verify(const Place& place) {
  std::vector<BindProblem> problems;
  if (switches_.undo) {
    RecordedPlan head = plan_;
    head.bindings.clear();
    head.provisions.clear();
    problems = check_bound(head, {}, place.pod, place.view, switches_).problems;
    for (const ObjectId& object : missing_) {
      problems.push_back(missing(object));
    }
  }
  if (switches_.undo || switches_.verify_uids || switches_.refuse_deleted_claims) {
    std::ranges::move(items_.recheck(inside(place), !switches_.undo), std::back_inserter(problems));
  }
  if (!problems.empty()) {
    end(std::move(problems));
    return;
  }
  phase_ = Phase::kVolumes;
  write(place);
}

void Binding::write(const Place& place) {
  if (phase_ == Phase::kVolumes) {
    write(items_.volumes(), place);
    if (phase_ == Phase::kVolumes && PlanItems::all_done(items_.volumes())) {
      phase_ = Phase::kClaims;
    }
  }
  if (phase_ == Phase::kClaims) {
    write(items_.claims(), place);
    if (phase_ == Phase::kClaims && PlanItems::all_done(items_.claims())) {
      phase_ = Phase::kWaiting;
      prefix_ = "binding volumes: ";
      take(waiting_.begin(items_.awaited(), waiting_place(place)));
    }
  }
}

void Binding::write(std::vector<ItemWrite>& items, const Place& place) {
  for (ItemWrite& item : items) {
    if (item.state() == ItemWrite::State::kPlanned) {
      act(item.begin(inside(place), is_checked()));
    }
    if (item.state() == ItemWrite::State::kFailed) {
      break;
    }
    // One by one means: nothing behind one that is not done.
    if (!switches_.skip_noop_writes && item.state() != ItemWrite::State::kDone) {
      break;
    }
  }
  std::vector<BindProblem> problems = PlanItems::problems_of(items);
  if (!problems.empty()) {
    end(std::move(problems));
  }
}

void Binding::take(Waiting::Finding finding) {
  if (finding.is_over) {
    end(std::move(finding.problems), std::move(finding.text));
    return;
  }
  for (BindAction& action : finding.actions) {
    actions_.push_back(std::move(action));
  }
}

void Binding::act(std::optional<BindAction> action) {
  if (action) {
    actions_.push_back(*std::move(action));
  }
}

void Binding::end(std::vector<BindProblem> problems, std::string text) {
  problems_ = std::move(problems);
  text_ = std::move(text);
  phase_ = Phase::kEnding;
  end_if_settled();
}

void Binding::end_if_settled() {
  if (items_.is_any_writing()) {
    return;
  }
  phase_ = Phase::kEnded;
  BindOutcome outcome = outcome_of(problems_, prefix_, text_);
  outcome.needs_undo = switches_.undo && is_giving_up(outcome.verdict) && items_.is_any_touched();
  outcome_ = std::move(outcome);
}

// What others want to know. ------------------------------------------------------------------

UndoScope Binding::undo_scope() const {
  UndoScope scope = items_.undo_scope();
  scope.landed_by = std::max(scope.landed_by, landed_by_);
  return scope;
}

std::vector<Binding::Watched> Binding::watched() const {
  std::vector<Watched> watched{{WatchedKind::kPod, key_of(plan_.pod)},
                               {WatchedKind::kNode, plan_.node.name},
                               {WatchedKind::kCsiNode, plan_.node.name}};
  for (const RecordedBinding& binding : plan_.bindings) {
    watched.emplace_back(WatchedKind::kVolume, binding.volume.name);
    watched.emplace_back(WatchedKind::kClaim, key_of(binding.claim));
  }
  for (const RecordedProvision& provision : plan_.provisions) {
    watched.emplace_back(WatchedKind::kClaim, key_of(provision.claim));
  }
  for (const std::string& name : waiting_.named_volumes()) {
    watched.emplace_back(WatchedKind::kVolume, name);
  }
  return watched;
}

bool Binding::is_watching(WatchedKind kind, std::string_view key) const {
  return std::ranges::any_of(watched(), [kind, key](const Watched& each) {
    return each.first == kind && each.second == key;
  });
}

}  // namespace berth::volumes
