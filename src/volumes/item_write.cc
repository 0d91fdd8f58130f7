#include "volumes/item_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/recheck.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/versions.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

// Not applied, and nothing was said against it: the same write may work later.
bool is_trouble(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnauthorized:
    case ErrorCode::kTooManyRequests:
    case ErrorCode::kServerError:
    case ErrorCode::kTimeout:
    case ErrorCode::kCancelled:
      return true;
    default:
      return false;
  }
}

}  // namespace

ItemWrite ItemWrite::of_binding(const RecordedPlan& plan, std::size_t index, bool was_touched) {
  const RecordedBinding& binding = plan.bindings[index];
  ItemWrite item;
  item.index_ = index;
  item.object_ = volume_id(binding.volume.name);
  item.claim_key_ = claim_key(binding.claim.ns, binding.claim.name);
  item.version_ = binding.volume.version;
  item.is_touched_ = was_touched && binding.is_ours();
  return item;
}

ItemWrite ItemWrite::of_provision(const RecordedPlan& plan, std::size_t index, bool was_touched) {
  const RecordedProvision& provision = plan.provisions[index];
  ItemWrite item;
  item.index_ = index;
  item.object_ = claim_id(provision.claim);
  item.claim_key_ = claim_key(provision.claim.ns, provision.claim.name);
  item.version_ = provision.claim.version;
  item.is_touched_ = was_touched && provision.is_ours;
  return item;
}

bool ItemWrite::is_ours(const Place& place) const {
  return is_volume() ? binding(place).is_ours() : provision(place).is_ours;
}

Write ItemWrite::recorded_write(const Place& place) const {
  return is_volume() ? write_of(binding(place)) : write_of(provision(place), place.plan.node.name);
}

// What is older than the record says nothing about it: the cache is behind whoever planned.
VolumePtr ItemWrite::known_volume(const RecordedObject& recorded, const Place& place) const {
  VolumePtr volume = place.latest.volume(recorded.name, place.view);
  return volume != nullptr && has_seen(volume->metadata.resource_version, recorded.version)
             ? volume
             : nullptr;
}

ClaimPtr ItemWrite::known_claim(const RecordedObject& recorded, const Place& place) const {
  ClaimPtr claim = place.latest.claim(claim_key_, place.view);
  return claim != nullptr && has_seen(claim->metadata.resource_version, recorded.version) ? claim
                                                                                          : nullptr;
}

std::optional<Write> ItemWrite::current_write(const Place& place) const {
  if (is_volume()) {
    const VolumePtr volume = known_volume(binding(place).volume, place);
    return volume != nullptr ? std::optional(write_of(binding(place), volume)) : std::nullopt;
  }
  const ClaimPtr claim = known_claim(provision(place).claim, place);
  return claim != nullptr ? std::optional(write_of(provision(place), *claim, place.plan))
                          : std::nullopt;
}

std::vector<ObjectId> ItemWrite::unknown_objects(const Place& place) const {
  std::vector<ObjectId> unknown;
  if (is_volume() && place.latest.volume(object_.name, place.view) == nullptr) {
    unknown.push_back(object_);
  }
  if (place.latest.claim(claim_key_, place.view) == nullptr) {
    unknown.push_back(claim_id(is_volume() ? binding(place).claim : provision(place).claim));
  }
  return unknown;
}

std::optional<BindProblem> ItemWrite::recheck(const Place& place, bool is_identity_only) const {
  const RecheckPlace where{.plan = place.plan,
                           .view = place.view,
                           .switches = place.switches,
                           .is_identity_only = is_identity_only};
  if (!is_volume()) {
    const ClaimPtr claim = known_claim(provision(place).claim, place);
    return claim != nullptr ? recheck_claim(provision(place), *claim, where) : std::nullopt;
  }
  const RecordedBinding& planned = binding(place);
  const ClaimPtr claim = known_claim(planned.claim, place);
  if (claim != nullptr) {
    if (auto problem = recheck_claim(planned, *claim, where)) {
      return problem;
    }
  }
  const VolumePtr volume = known_volume(planned.volume, place);
  return volume != nullptr ? recheck_volume(planned, *volume, claim.get(), where) : std::nullopt;
}

std::optional<BindAction> ItemWrite::begin(const Place& place, bool is_checked) {
  // Others were written since all items were verified, and the world has moved.
  if (is_checked) {
    if (auto problem = recheck(place, /*is_identity_only=*/false)) {
      fail(*std::move(problem));
      return std::nullopt;
    }
  }
  auto current = is_checked ? current_write(place) : std::nullopt;
  return settle(current ? *std::move(current) : recorded_write(place), place, is_checked);
}

std::optional<BindAction> ItemWrite::settle(Write write, const Place& place, bool is_checked) {
  if (write.changes.empty() && place.switches.skip_noop_writes) {
    finish(write.resource_version);
    return std::nullopt;
  }
  // It was as wanted when it was planned. Whoever changed it had a reason, and what is written now
  // would belong to nobody.
  if (is_checked && !write.changes.empty() && !is_ours(place)) {
    fail(BindVerdict::kGiveUpNode,
         is_volume() ? bind_reason::kReferenceReset : bind_reason::kProvisioningFailed,
         is_volume() ? fmt::format("ClaimRef got reset for pv \"{}\"", object_.name)
                     : fmt::format("provisioning failed for PVC \"{}\"", object_.name));
    return std::nullopt;
  }
  return send(std::move(write));
}

std::optional<BindAction> ItemWrite::send(Write write) {
  ++writes_;
  state_ = State::kWriting;
  sent_ = std::move(write);
  return sent_;
}

std::optional<BindAction> ItemWrite::read() {
  state_ = State::kReading;
  return ReadObject{object_};
}

void ItemWrite::finish(std::string version) {
  state_ = State::kDone;
  may_land_until_ = Moment{};  // the version has moved on
  version_ = std::move(version);
}

void ItemWrite::fail(BindProblem problem) {
  state_ = State::kFailed;
  problem_ = std::move(problem);
}

BindReason ItemWrite::reason_for(std::string_view code, std::string text) const {
  return {.code = code,
          .text = std::move(text),
          .claim = claim_key_,
          .volume = is_volume() ? object_.name : ""};
}

void ItemWrite::fail(BindVerdict verdict, std::string_view code, std::string text) {
  fail({.verdict = verdict, .reason = reason_for(code, std::move(text))});
}

void ItemWrite::fail_for_now(const Error& error) {
  fail({.verdict = BindVerdict::kRetryHere,
        .reason = reason_for(bind_reason::kTrouble, error.text()),
        .retry_after = error.retry_after()});
}

void ItemWrite::take_written(const std::string& version) {
  is_touched_ = is_touched_ || !sent_.changes.empty();
  finish(version);
}

void ItemWrite::note_lost(const Place& place) {
  is_touched_ = is_touched_ || !sent_.changes.empty();
  may_land_until_ = place.now + place.policy.landing_max;
}

std::optional<BindAction> ItemWrite::take_failure(const Error& error, const Place& place) {
  const ErrorCode code = error.code();
  if (code == ErrorCode::kUnknownOutcome) {
    note_lost(place);
    refusal_ = error;
    return read();
  }
  // A uid that is another one's is an invalid change of it, to a server.
  const bool is_conflict = code == ErrorCode::kConflict || code == ErrorCode::kInvalid;
  if (is_conflict && place.switches.retry_conflicts) {
    refusal_ = error;
    return read();
  }
  if (is_conflict) {
    fail(BindVerdict::kGiveUpNode, bind_reason::kConflict, error.text());
  } else if (code == ErrorCode::kNotFound) {
    take_missing(error.text());
  } else if (is_trouble(code)) {
    fail_for_now(error);
  } else {
    fail(BindVerdict::kGiveUpNode, bind_reason::kRefused, error.text());
  }
  return std::nullopt;
}

std::optional<BindAction> ItemWrite::take_read(const Place& place) {
  if (auto problem = recheck(place, /*is_identity_only=*/false)) {
    fail(*std::move(problem));
    return std::nullopt;
  }
  auto write = current_write(place);
  if (!write) {
    // Older than what was planned on: this server is behind, and nothing can be said yet.
    fail(BindVerdict::kRetryHere, bind_reason::kTrouble, refusal_ ? refusal_->text() : "");
    return std::nullopt;
  }
  const bool is_unchanged = write->resource_version == sent_.resource_version;
  if (!is_unchanged) {
    may_land_until_ = Moment{};  // what was sent under the version before is refused from now on
  }
  if (write->changes.empty()) {
    finish(write->resource_version);
    return std::nullopt;
  }
  if (refusal_ && refusal_->code() == ErrorCode::kInvalid && is_unchanged) {
    fail(BindVerdict::kGiveUpNode, bind_reason::kRefused, refusal_->text());
    return std::nullopt;
  }
  if (writes_ >= place.policy.writes_max) {
    const bool is_lost = refusal_ && refusal_->code() == ErrorCode::kUnknownOutcome;
    fail(BindVerdict::kRetryHere,
         is_lost ? bind_reason::kTrouble : bind_reason::kConflict,
         refusal_ ? refusal_->text() : "");
    return std::nullopt;
  }
  return settle(*std::move(write), place, /*is_checked=*/true);
}

void ItemWrite::take_missing(const std::string& text) {
  if (is_volume()) {
    fail(BindVerdict::kGiveUpNode, bind_reason::kVolumeGone, text);
  } else {
    fail(BindVerdict::kGiveUpPod, bind_reason::kClaimGone, text);
  }
}

void ItemWrite::take_read_failure(const Error& error) {
  fail_for_now(error);
}

void ItemWrite::take_late_failure(const Error& error, const Place& place) {
  if (error.code() == ErrorCode::kUnknownOutcome) {
    note_lost(place);
  }
  state_ = State::kFailed;
}

void ItemWrite::abandon(const Place& place) {
  if (state_ == State::kWriting) {
    note_lost(place);
  }
  state_ = State::kFailed;
}

}  // namespace berth::volumes
