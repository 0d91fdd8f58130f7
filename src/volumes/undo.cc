#include "volumes/undo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
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

Undo::Undo(RecordedPlan plan, const UndoScope& scope, const BindPolicy& policy)
    : plan_(std::move(plan)), policy_(policy), landed_by_(scope.landed_by) {
  for (std::size_t i = 0; i < plan_.provisions.size(); ++i) {
    const RecordedObject& claim = plan_.provisions[i].claim;
    if (scope.has_provision(i) && plan_.provisions[i].is_ours) {
      items_.push_back(
          {.object = claim_id(claim), .index = i, .claim_key = claim_key(claim.ns, claim.name)});
    }
  }
  for (std::size_t i = 0; i < plan_.bindings.size(); ++i) {
    const RecordedBinding& binding = plan_.bindings[i];
    if (scope.has_binding(i) && binding.is_ours()) {
      items_.push_back({.object = volume_id(binding.volume.name),
                        .index = i,
                        .claim_key = claim_key(binding.claim.ns, binding.claim.name)});
    }
  }
}

BindActions Undo::step(const Input& input, const Place& place) {
  if (!outcome_) {
    std::visit([this, &place](const auto& event) { on(event, place); }, input);
    end_if_over();
  }
  return std::exchange(actions_, {});
}

// What happened. -----------------------------------------------------------------------------

void Undo::on(const Begin& /*begin*/, const Place& /*place*/) {
  for (Item& item : items_) {
    if (item.state == State::kNew) {
      read(item);
    }
  }
}

void Undo::on(const Written& written, const Place& /*place*/) {
  if (Item* item = find_writing(written.object)) {
    item->state = State::kOver;
  }
}

void Undo::on(const WriteFailed& failed, const Place& /*place*/) {
  Item* item = find_writing(failed.object);
  if (item == nullptr) {
    return;
  }
  switch (failed.error.code()) {
    case ErrorCode::kNotFound:
      item->state = State::kOver;
      return;
    case ErrorCode::kConflict:
    case ErrorCode::kInvalid:  // another object has the name now
    case ErrorCode::kUnknownOutcome:
      // Whether it was applied or not, the object says.
      if (item->writes < policy_.writes_max) {
        read(*item);
        return;
      }
      break;
    default:
      break;
  }
  leave(*item, failed.error.text());
}

void Undo::on(const ObjectRead& read, const Place& place) {
  for (Item& item : items_) {
    if (!is_reading(item, read.object)) {
      continue;
    }
    if (item.state == State::kReadingMade) {
      take_made(item, read, place);
    } else {
      take_object(item, read, place);
    }
  }
}

void Undo::on(const ReadFailed& failed, const Place& place) {
  if (failed.error.code() == ErrorCode::kNotFound) {
    on(ObjectRead{.object = failed.object}, place);
    return;
  }
  for (Item& item : items_) {
    if (is_reading(item, failed.object)) {
      leave(item, failed.error.text());
    }
  }
}

void Undo::on(const Look& /*look*/, const Place& place) {
  bool is_landing = false;
  for (Item& item : items_) {
    if (item.state == State::kLanding && place.now >= landed_by_) {
      read(item);
    }
    is_landing = is_landing || item.state == State::kLanding;
  }
  if (is_landing) {
    actions_.emplace_back(WaitUntil{landed_by_});
  }
}

void Undo::on(const Stopped& /*stopped*/, const Place& /*place*/) {
  for (Item& item : items_) {
    if (item.state != State::kOver) {
      leave(item, "the process ends");
    }
  }
}

// What to do then. ---------------------------------------------------------------------------

void Undo::read(Item& item) {
  item.state = State::kReading;
  item.claim = nullptr;
  actions_.emplace_back(ReadObject{item.object});
}

void Undo::take_object(Item& item, const ObjectRead& read, const Place& place) {
  if (item.is_volume()) {
    if (read.volume == nullptr) {
      item.state = State::kOver;  // it is gone, and what was on it
      return;
    }
    take(item, undo_of(plan_.bindings[item.index], *read.volume), place);
    return;
  }
  if (read.claim == nullptr) {
    item.state = State::kOver;
    return;
  }
  item.claim = read.claim;
  const UndoDecision decision =
      undo_of(plan_.provisions[item.index], plan_.node.name, *item.claim, nullptr);
  if (decision.what != UndoDecision::What::kWrite) {
    take(item, decision, place);
    return;
  }
  read_made(item, place);
}

// A provisioner makes the volume before the claim shows it. It goes by the usual name, or by any
// other: then the cache may know it by the claim it refers to.
void Undo::read_made(Item& item, const Place& place) {
  item.state = State::kReadingMade;
  item.unread = {volume_id(made_volume_name(plan_.provisions[item.index].claim))};
  for (const VolumeEntryPtr& entry : place.view.volumes_naming(item.claim_key)) {
    const ObjectId volume = volume_id(entry->stored->metadata.name);
    if (std::ranges::find(item.unread, volume) == item.unread.end()) {
      item.unread.push_back(volume);
    }
  }
  for (const ObjectId& volume : item.unread) {
    actions_.emplace_back(ReadObject{volume});
  }
}

void Undo::take_made(Item& item, const ObjectRead& read, const Place& place) {
  std::erase(item.unread, read.object);
  UndoDecision decision =
      undo_of(plan_.provisions[item.index], plan_.node.name, *item.claim, read.volume.get());
  // One that was made is enough; that none was made takes all of them.
  if (decision.what != UndoDecision::What::kWrite || item.unread.empty()) {
    take(item, std::move(decision), place);
  }
}

void Undo::take(Item& item, UndoDecision decision, const Place& place) {
  switch (decision.what) {
    case UndoDecision::What::kNothing:
      take_nothing(item, place.now);
      return;
    case UndoDecision::What::kHeld:
      item.held = std::move(decision.held);
      item.state = State::kOver;
      return;
    case UndoDecision::What::kWrite:
      if (const auto pod = place.reliance.find_user(need_of_item(item))) {
        hold_for(item, *pod);
        return;
      }
      if (decision.write.resource_version.empty()) {
        leave(item, "the server's answer has no version");
        return;
      }
      ++item.writes;
      item.state = State::kWriting;
      actions_.emplace_back(std::move(decision.write));
      return;
  }
}

// A write whose answer was lost may come after our look. Once we have written ourselves it cannot:
// the version it was sent under is past.
void Undo::take_nothing(Item& item, Moment now) {
  if (now >= landed_by_ || item.writes > 0) {
    item.state = State::kOver;
    return;
  }
  item.state = State::kLanding;
  actions_.emplace_back(WaitUntil{landed_by_});
}

void Undo::leave(Item& item, const std::string& text) {
  item.state = State::kOver;
  item.unfinished = BindReason{.code = bind_reason::kTrouble,
                               .text = text,
                               .claim = item.claim_key,
                               .volume = item.is_volume() ? item.object.name : ""};
}

// Whoever relies on it takes it back if nothing comes of that either.
void Undo::hold_for(Item& item, const std::string& pod) {
  const std::string what =
      item.is_volume()
          ? fmt::format("pv \"{}\" is kept for PVC \"{}\"", item.object.name, item.claim_key)
          : fmt::format("PVC \"{}\" keeps asking for node \"{}\"", item.claim_key, plan_.node.name);
  item.state = State::kOver;
  item.held = BindReason{.code = bind_reason::kHeldForPod,
                         .text = fmt::format("{}: pod \"{}\" relies on it", what, pod),
                         .claim = item.claim_key,
                         .volume = item.is_volume() ? item.object.name : ""};
}

Need Undo::need_of_item(const Item& item) const {
  return item.is_volume() ? need_of(plan_.bindings[item.index])
                          : need_of(plan_.provisions[item.index], plan_.node.name);
}

Undo::Item* Undo::find_writing(const ObjectId& object) {
  const auto found = std::ranges::find_if(items_, [&object](const Item& item) {
    return item.state == State::kWriting && item.object == object;
  });
  return found != items_.end() ? &*found : nullptr;
}

bool Undo::is_reading(const Item& item, const ObjectId& object) {
  return (item.state == State::kReading && item.object == object) ||
         (item.state == State::kReadingMade &&
          std::ranges::find(item.unread, object) != item.unread.end());
}

void Undo::end_if_over() {
  if (!std::ranges::all_of(items_, [](const Item& item) { return item.state == State::kOver; })) {
    return;
  }
  outcome_.emplace();
  for (Item& item : items_) {
    if (item.held) {
      outcome_->held.push_back(*std::move(item.held));
    }
    if (item.unfinished) {
      outcome_->unfinished.push_back(*std::move(item.unfinished));
    }
  }
}

}  // namespace berth::volumes
