#include "kube/elector_state.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include "api/objects/lease.h"
#include "api/time.h"
#include "base/assert.h"
#include "base/error.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::kube {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

std::int32_t whole_seconds(rt::Duration duration) {
  return static_cast<std::int32_t>(std::chrono::ceil<seconds>(duration).count());
}

}  // namespace

ElectorState::ElectorState(ElectorOptions options) : options_(std::move(options)) {
  BERTH_ASSERT(options_.lease_duration > options_.renew_deadline,
               "others wait longer than a leader goes on");
  BERTH_ASSERT(options_.renew_deadline > options_.retry_period,
               "a renewal can fail and be tried again");
  BERTH_ASSERT(options_.retry_period > rt::Duration{}, "there is a pause between tries");
  BERTH_ASSERT(!options_.identity.empty(), "a lease without a holder is free");
}

ElectorState::Action ElectorState::step(const Input& input,
                                        rt::Time now,
                                        api::MicroTime wall,
                                        rt::Random& random) {
  if (const auto* seen = std::get_if<LeaseRead>(&input)) {
    is_unsure_ = false;
    if (seen->lease) {
      learn(*seen->lease, now);
    }
  } else if (const auto* written = std::get_if<Written>(&input)) {
    is_unsure_ = false;
    learn(written->lease, now);
  }
  if (is_leader() && now >= leads_until()) {
    return end();
  }
  return std::visit([&](const auto& what) { return on(what, now, wall, random); }, input);
}

void ElectorState::learn(const api::Lease& lease, rt::Time now) {
  const bool is_same =
      lease_ && lease_->metadata.uid == lease.metadata.uid && lease_->spec == lease.spec;
  if (!is_same) {
    changed_at_ = now;
  }
  lease_ = lease;
  holder_ = lease.spec.holder_identity.value_or("");
  const Attempt* applied = find_attempt(lease);
  if (applied == nullptr) {
    return;
  }
  const rt::Time until = rt::after(applied->sent_at, options_.renew_deadline);
  if (is_leader() || now < until) {
    leads_until_ = until;
  }
  // What was sent before it can no longer be applied: the resourceVersion is another.
  while (attempts_.front().renew_time != *lease.spec.renew_time) {
    attempts_.pop_front();
  }
}

const ElectorState::Attempt* ElectorState::find_attempt(const api::Lease& lease) const {
  if (lease.spec.holder_identity != options_.identity || !lease.spec.renew_time) {
    return nullptr;
  }
  const auto found = std::ranges::find(attempts_, *lease.spec.renew_time, &Attempt::renew_time);
  return found != attempts_.end() ? &*found : nullptr;
}

bool ElectorState::is_free(rt::Time now) const {
  if (holder_.empty() || is_ours()) {
    return true;
  }
  // A record that promises nothing is judged as one of ours.
  const std::int32_t promised = lease_->spec.lease_duration_seconds.value_or(0);
  const rt::Duration duration = promised > 0 ? seconds(promised) : options_.lease_duration;
  return now - changed_at_ >= duration;
}

ElectorState::Action ElectorState::on(const Tick& /*tick*/,
                                      rt::Time now,
                                      api::MicroTime wall,
                                      rt::Random& /*random*/) {
  return is_leader() ? write(now, wall) : read(now);
}

ElectorState::Action ElectorState::on(const LeaseRead& read,
                                      rt::Time now,
                                      api::MicroTime wall,
                                      rt::Random& random) {
  if (is_stopping_) {
    return is_leader() && read.lease && is_ours() ? release(wall) : end();
  }
  if (is_leader()) {
    // A lease that somebody removed protects nobody: another process may make a new one any time.
    return read.lease && is_ours() ? renew_later(now, wall) : end();
  }
  if (!read.lease) {
    lease_.reset();
    holder_.clear();
    return write(now, wall);
  }
  return is_free(now) ? write(now, wall) : retry_later({}, now, random);
}

ElectorState::Action ElectorState::on(const Written& /*written*/,
                                      rt::Time now,
                                      api::MicroTime wall,
                                      rt::Random& random) {
  // Not leading means that the answer came too late to be of use.
  return is_leader() ? renew_later(now, wall) : retry_later({}, now, random);
}

ElectorState::Action ElectorState::on(const Failed& failed,
                                      rt::Time now,
                                      api::MicroTime /*wall*/,
                                      rt::Random& random) {
  is_unsure_ = is_unsure_ || failed.code == ErrorCode::kUnknownOutcome;
  if (is_stopping_) {
    return end();
  }
  const bool needs_look =
      failed.code == ErrorCode::kUnknownOutcome ||
      (is_leader() && (failed.code == ErrorCode::kConflict || failed.code == ErrorCode::kNotFound));
  return needs_look ? read(now) : retry_later(failed.retry_after, now, random);
}

ElectorState::Action ElectorState::on(const Stop& /*stop*/,
                                      rt::Time now,
                                      api::MicroTime wall,
                                      rt::Random& /*random*/) {
  is_stopping_ = true;
  if (!is_unsure_) {
    return is_leader() ? release(wall) : end();
  }
  const Action look = read(now);
  end();
  return look;
}

ElectorState::Action ElectorState::write(rt::Time now, api::MicroTime wall) {
  // Others see that we live by the record's change, so it changes even if our wall clock stands
  // still or goes back.
  if (!attempts_.empty()) {
    wall = std::max(wall, attempts_.back().renew_time + microseconds(1));
  }
  const bool goes_on = is_ours();
  if (!goes_on) {
    has_taken_over_ = !holder_.empty() || !lease_;
  }
  const std::int32_t transitions = lease_ ? lease_->spec.lease_transitions.value_or(0) : -1;
  const bool can_count = !goes_on && transitions < std::numeric_limits<std::int32_t>::max();
  const api::LeaseSpec spec{
      .holder_identity = options_.identity,
      .lease_duration_seconds = whole_seconds(options_.lease_duration),
      .acquire_time = goes_on ? lease_->spec.acquire_time : wall,
      .renew_time = wall,
      .lease_transitions = can_count ? transitions + 1 : transitions,
  };
  attempts_.push_back({.renew_time = wall, .sent_at = now});
  if (attempts_.size() > kAttemptsMax) {
    attempts_.pop_front();
  }
  if (lease_) {
    return Write{lease_->metadata.resource_version, spec, request_deadline(now)};
  }
  api::Lease lease{.spec = spec};
  lease.metadata.ns = options_.lease.ns;
  lease.metadata.name = options_.lease.name;
  return Create{std::move(lease), request_deadline(now)};
}

ElectorState::Action ElectorState::renew_later(rt::Time now, api::MicroTime wall) {
  const rt::Time due = leads_until() - options_.renew_deadline + options_.retry_period;
  return due <= now ? write(now, wall) : Sleep{due};
}

ElectorState::Action ElectorState::release(api::MicroTime wall) {
  const rt::Time deadline = leads_until();
  end();
  return Write{.resource_version = lease_->metadata.resource_version,
               .spec = {.lease_duration_seconds = 1,
                        .acquire_time = wall,
                        .renew_time = wall,
                        .lease_transitions = lease_->spec.lease_transitions},
               .deadline = deadline,
               .is_release = true};
}

ElectorState::Action ElectorState::retry_later(rt::Duration at_least,
                                               rt::Time now,
                                               rt::Random& random) const {
  // Those who wait for the same lease do not all come at once; client-go's factor is 1.2.
  const rt::Duration jitter =
      is_leader() ? rt::Duration{} : random.between(rt::Duration{}, options_.retry_period * 6 / 5);
  const rt::Time until = rt::after(now, std::max(at_least, options_.retry_period + jitter));
  // Awake when the deadline comes, to say so.
  return Sleep{is_leader() ? std::min(until, leads_until()) : until};
}

ElectorState::Action ElectorState::end() {
  leads_until_.reset();
  return End{};
}

rt::Time ElectorState::request_deadline(rt::Time now) const {
  // Half of it, so that a request that hangs leaves time for another.
  const rt::Time deadline = rt::after(now, options_.renew_deadline / 2);
  return is_leader() ? std::min(deadline, leads_until()) : deadline;
}

}  // namespace berth::kube
