#include "volumes/undo.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/objects/persistent_volume.h"
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

BindActions Undo::step(const Input& input, Moment now) {
  if (!outcome_) {
    std::visit([this, now](const auto& event) { on(event, now); }, input);
    end_if_over();
  }
  return std::exchange(actions_, {});
}

// What happened. -----------------------------------------------------------------------------

void Undo::on(const Begin& /*begin*/, Moment /*now*/) {
  for (Item& item : items_) {
    if (item.state == State::kNew) {
      read(item);
    }
  }
}

void Undo::on(const Written& written, Moment /*now*/) {
  if (Item* item = find_writing(written.object)) {
    item->state = State::kOver;
  }
}

void Undo::on(const WriteFailed& failed, Moment /*now*/) {
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

void Undo::on(const ObjectRead& read, Moment now) {
  Item* item = find_reading(read.object);
  if (item == nullptr) {
    return;
  }
  if (item->state == State::kReadingMade) {
    decide_claim(*item, read.volume.get(), now);
  } else {
    take_object(*item, read, now);
  }
}

void Undo::on(const ReadFailed& failed, Moment now) {
  if (failed.error.code() == ErrorCode::kNotFound) {
    on(ObjectRead{.object = failed.object}, now);
    return;
  }
  if (Item* item = find_reading(failed.object)) {
    leave(*item, failed.error.text());
  }
}

void Undo::on(const Look& /*look*/, Moment now) {
  bool is_landing = false;
  for (Item& item : items_) {
    if (item.state == State::kLanding && now >= landed_by_) {
      read(item);
    }
    is_landing = is_landing || item.state == State::kLanding;
  }
  if (is_landing) {
    actions_.emplace_back(WaitUntil{landed_by_});
  }
}

void Undo::on(const Stopped& /*stopped*/, Moment /*now*/) {
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

void Undo::take_object(Item& item, const ObjectRead& read, Moment now) {
  if (item.is_volume()) {
    if (read.volume == nullptr) {
      item.state = State::kOver;  // it is gone, and what was on it
      return;
    }
    take(item, undo_of(plan_.bindings[item.index], *read.volume), now);
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
    take(item, decision, now);
    return;
  }
  item.state = State::kReadingMade;
  actions_.emplace_back(ReadObject{made_volume(item)});
}

void Undo::decide_claim(Item& item, const api::PersistentVolume* made, Moment now) {
  take(item, undo_of(plan_.provisions[item.index], plan_.node.name, *item.claim, made), now);
}

void Undo::take(Item& item, UndoDecision decision, Moment now) {
  switch (decision.what) {
    case UndoDecision::What::kNothing:
      take_nothing(item, now);
      return;
    case UndoDecision::What::kHeld:
      item.held = std::move(decision.held);
      item.state = State::kOver;
      return;
    case UndoDecision::What::kWrite:
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

ObjectId Undo::made_volume(const Item& item) const {
  return volume_id(made_volume_name(plan_.provisions[item.index].claim));
}

Undo::Item* Undo::find_writing(const ObjectId& object) {
  const auto found = std::ranges::find_if(items_, [&object](const Item& item) {
    return item.state == State::kWriting && item.object == object;
  });
  return found != items_.end() ? &*found : nullptr;
}

Undo::Item* Undo::find_reading(const ObjectId& object) {
  const auto found = std::ranges::find_if(items_, [this, &object](const Item& item) {
    return (item.state == State::kReading && item.object == object) ||
           (item.state == State::kReadingMade && made_volume(item) == object);
  });
  return found != items_.end() ? &*found : nullptr;
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
