#include "volumes/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/item_write.h"
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

bool all_done(const std::vector<ItemWrite>& items) {
  return std::ranges::all_of(
      items, [](const ItemWrite& item) { return item.state() == ItemWrite::State::kDone; });
}

std::vector<BindProblem> problems_of(const std::vector<ItemWrite>& items) {
  std::vector<BindProblem> problems;
  for (const ItemWrite& item : items) {
    if (item.problem()) {
      problems.push_back(*item.problem());
    }
  }
  return problems;
}

}  // namespace

Binding::Binding(RecordedPlan plan,
                 Origin origin,
                 const BindPolicy& policy,
                 const Switches& switches)
    : plan_(std::move(plan)), policy_(policy), switches_(switches) {
  const bool is_resumed = origin == Origin::kResumed;
  for (std::size_t i = 0; i < plan_.bindings.size(); ++i) {
    volumes_.push_back(ItemWrite::of_binding(plan_, i, is_resumed));
  }
  for (std::size_t i = 0; i < plan_.provisions.size(); ++i) {
    claims_.push_back(ItemWrite::of_provision(plan_, i, is_resumed));
  }
}

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
    read_unknown(place);
  }
  if (reads_.empty()) {
    verify(place);
  }
}

void Binding::on(const Written& written, const Place& place) {
  ItemWrite* item = find_item(written.object, ItemWrite::State::kWriting);
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
  ItemWrite* item = find_item(failed.object, ItemWrite::State::kWriting);
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
    take(waiting_.look(awaited(), waiting_place(place)));
    return;
  }
  ItemWrite* item = find_item(read.object, ItemWrite::State::kReading);
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
  ItemWrite* item = find_item(failed.object, ItemWrite::State::kReading);
  if (item != nullptr && phase_ != Phase::kEnding) {
    item->take_read_failure(failed.error);
    write(place);
  }
}

void Binding::on(const Look& /*look*/, const Place& place) {
  if (phase_ == Phase::kWaiting) {
    take(waiting_.look(awaited(), waiting_place(place)));
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
  for (std::vector<ItemWrite>* items : {&volumes_, &claims_}) {
    for (ItemWrite& item : *items) {
      if (!item.is_over()) {
        item.abandon(inside(place));
      }
    }
  }
  problems_.clear();
  prefix_ = {};
  end({{.verdict = BindVerdict::kRetryHere,
        .reason = {.code = bind_reason::kStopped, .text = "the process ends"}}});
}

// What to do then. ---------------------------------------------------------------------------

void Binding::read_unknown(const Place& place) {
  for (const std::vector<ItemWrite>* items : {&volumes_, &claims_}) {
    for (const ItemWrite& item : *items) {
      for (const ObjectId& object : item.unknown_objects(inside(place))) {
        read(object);
      }
    }
  }
}

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
    for (const std::vector<ItemWrite>* items : {&volumes_, &claims_}) {
      for (const ItemWrite& item : *items) {
        if (auto problem = item.recheck(inside(place), !switches_.undo)) {
          problems.push_back(*std::move(problem));
        }
      }
    }
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
    write(volumes_, place);
    if (phase_ == Phase::kVolumes && all_done(volumes_)) {
      phase_ = Phase::kClaims;
    }
  }
  if (phase_ == Phase::kClaims) {
    write(claims_, place);
    if (phase_ == Phase::kClaims && all_done(claims_)) {
      phase_ = Phase::kWaiting;
      prefix_ = "binding volumes: ";
      take(waiting_.begin(awaited(), waiting_place(place)));
    }
  }
}

void Binding::write(std::vector<ItemWrite>& items, const Place& place) {
  for (ItemWrite& item : items) {
    if (item.state() == ItemWrite::State::kPlanned) {
      act(item.begin(inside(place), is_checked()));
    }
    // One by one means: nothing behind one that is not done.
    if (!switches_.skip_noop_writes && item.state() != ItemWrite::State::kDone) {
      break;
    }
  }
  std::vector<BindProblem> problems = problems_of(items);
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

ItemWrite* Binding::find_item(const ObjectId& object, ItemWrite::State state) {
  std::vector<ItemWrite>& items = object.kind == ObjectKind::kVolume ? volumes_ : claims_;
  const auto found = std::ranges::find_if(items, [&object, state](const ItemWrite& item) {
    return item.object() == object && item.state() == state;
  });
  return found != items.end() ? &*found : nullptr;
}

bool Binding::has_writes_under_way() const {
  const auto is_writing = [](const ItemWrite& item) {
    return item.state() == ItemWrite::State::kWriting;
  };
  return std::ranges::any_of(volumes_, is_writing) || std::ranges::any_of(claims_, is_writing);
}

void Binding::act(std::optional<BindAction> action) {
  if (action) {
    actions_.push_back(*std::move(action));
  }
}

void Binding::read(const ObjectId& object) {
  if (reads_.insert(object).second) {
    actions_.emplace_back(ReadObject{object});
  }
}

void Binding::end(std::vector<BindProblem> problems, std::string text) {
  problems_ = std::move(problems);
  text_ = std::move(text);
  phase_ = Phase::kEnding;
  end_if_settled();
}

void Binding::end_if_settled() {
  if (has_writes_under_way()) {
    return;
  }
  phase_ = Phase::kEnded;
  BindOutcome outcome{.verdict = worst_of(problems_)};
  for (const BindVerdict verdict :
       {BindVerdict::kGiveUpPod, BindVerdict::kGiveUpNode, BindVerdict::kRetryHere}) {
    for (const BindProblem& problem : problems_) {
      if (problem.verdict == verdict) {
        outcome.reasons.push_back(problem.reason);
      }
    }
  }
  if (!outcome.reasons.empty()) {
    outcome.text = std::string(prefix_) + (text_.empty() ? outcome.reasons.front().text : text_);
  }
  const auto is_touched = [](const ItemWrite& item) { return item.is_touched(); };
  outcome.needs_undo =
      switches_.undo && is_giving_up(outcome.verdict) &&
      (std::ranges::any_of(volumes_, is_touched) || std::ranges::any_of(claims_, is_touched));
  outcome_ = std::move(outcome);
}

// What others want to know. ------------------------------------------------------------------

AwaitedVersions Binding::awaited() const {
  AwaitedVersions awaited;
  for (const ItemWrite& item : volumes_) {
    awaited.volumes.push_back(item.version());
  }
  for (const ItemWrite& item : claims_) {
    awaited.claims.push_back(item.version());
  }
  return awaited;
}

UndoScope Binding::undo_scope() const {
  UndoScope scope;
  for (const ItemWrite& item : volumes_) {
    scope.bindings.push_back(item.is_touched());
    scope.landed_by = std::max(scope.landed_by, item.may_land_until());
  }
  for (const ItemWrite& item : claims_) {
    scope.provisions.push_back(item.is_touched());
    scope.landed_by = std::max(scope.landed_by, item.may_land_until());
  }
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
