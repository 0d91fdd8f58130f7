// Who leads, decided by a Lease. Decides only; elector.h reads and writes.
//
// Another process's lease is judged only by how long, on our own clock, its record has not changed:
// never by the times in it. A lease is taken and renewed under the resourceVersion it was read
// with, so of two who try one fails. We lead until the renew deadline, counted from when the last
// renewal that was applied was sent; then we do not, whatever happens. See fence.h.
//
// A record that bears our name counts as ours only if this object wrote it: an earlier process of
// the same name may still be running.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <variant>

#include "api/objects/lease.h"
#include "api/time.h"
#include "base/error.h"
#include "kube/object_key.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::kube {

// The numbers are client-go's.
struct ElectorOptions {
  ObjectKey lease;       // where the Lease is, or is to be
  std::string identity;  // of this process; no other has it
  rt::Duration lease_duration = std::chrono::seconds(15);
  rt::Duration renew_deadline = std::chrono::seconds(10);  // shorter than lease_duration
  rt::Duration retry_period = std::chrono::seconds(2);     // shorter than renew_deadline
};

class ElectorState {
 public:
  // What happened. ---------------------------------------------------------------------------

  // Begins, or the sleep is over.
  struct Tick {};
  // The lease as it is; nothing when there is none.
  struct LeaseRead {
    std::optional<api::Lease> lease;
  };
  // The lease as it is after our write.
  struct Written {
    api::Lease lease;
  };
  // The read or write failed.
  struct Failed {
    ErrorCode code = ErrorCode::kUnavailable;
    rt::Duration retry_after{};
  };
  // Leading, or trying to, is to end. Once.
  struct Stop {};
  using Input = std::variant<Tick, LeaseRead, Written, Failed, Stop>;

  // What to do. ------------------------------------------------------------------------------

  // Answered by LeaseRead or Failed.
  struct Read {
    rt::Time deadline{};
  };
  // Create `lease`. Answered by Written or Failed.
  struct Create {
    api::Lease lease;
    rt::Time deadline{};
  };
  // Patch the spec, if the resourceVersion still is this one. Answered by Written or Failed. With
  // `is_release` the answer does not matter: End follows.
  struct Write {
    std::string resource_version;
    api::LeaseSpec spec;
    rt::Time deadline{};
    bool is_release = false;
  };
  // Answered by Tick.
  struct Sleep {
    rt::Time until{};
  };
  // We no longer lead, or do not want to: nothing more is to be done. After Stop it may take a read
  // first: a lease that we hold without knowing it is to be given back too.
  struct End {};
  using Action = std::variant<Read, Create, Write, Sleep, End>;

  explicit ElectorState(ElectorOptions options);

  // `now` is when the input happened and the action is begun; `wall` only goes into the record.
  Action step(const Input& input, rt::Time now, api::MicroTime wall, rt::Random& random);

  bool is_leader() const { return leads_until_.has_value(); }
  // While leading: the first moment at which nothing may be sent.
  rt::Time leads_until() const { return leads_until_.value_or(rt::Time::min()); }
  // While leading: the lease was another's that ran out, not one that was free or given back. What
  // its holder sent before may still be under way.
  bool has_taken_over() const { return has_taken_over_; }
  // Who holds the lease as far as we have seen; empty: nobody.
  const std::string& holder() const { return holder_; }

 private:
  // A write of ours that was perhaps applied.
  struct Attempt {
    api::MicroTime renew_time;
    rt::Time sent_at{};
  };
  // More are forgotten; a record of a forgotten one counts as somebody else's.
  static constexpr std::size_t kAttemptsMax = 16;

  // What each input says about the lease. -----------------------------------------------------
  void learn(const api::Lease& lease, rt::Time now);
  // The record is a write of ours.
  const Attempt* find_attempt(const api::Lease& lease) const;
  bool is_ours() const { return lease_ && find_attempt(*lease_) != nullptr; }
  // Nobody who follows these rules leads by it.
  bool is_free(rt::Time now) const;

  // What to do then. --------------------------------------------------------------------------
  Action on(const Tick& tick, rt::Time now, api::MicroTime wall, rt::Random& random);
  Action on(const LeaseRead& read, rt::Time now, api::MicroTime wall, rt::Random& random);
  Action on(const Written& written, rt::Time now, api::MicroTime wall, rt::Random& random);
  Action on(const Failed& failed, rt::Time now, api::MicroTime wall, rt::Random& random);
  Action on(const Stop& stop, rt::Time now, api::MicroTime wall, rt::Random& random);

  Action read(rt::Time now) const { return Read{request_deadline(now)}; }
  Action write(rt::Time now, api::MicroTime wall);
  Action renew_later(rt::Time now, api::MicroTime wall);
  // Gives back what we hold.
  Action release(api::MicroTime wall);
  Action retry_later(rt::Duration at_least, rt::Time now, rt::Random& random) const;
  // Ends leading, if we lead; nothing is to be done any more.
  Action end();
  rt::Time request_deadline(rt::Time now) const;

  // Constant after construction.
  ElectorOptions options_;

  std::optional<api::Lease> lease_;  // as it was seen or written last
  rt::Time changed_at_{};            // when we first saw its spec as it is
  std::string holder_;
  std::deque<Attempt> attempts_;  // the one that was applied last, and all since
  std::optional<rt::Time> leads_until_;
  bool has_taken_over_ = false;
  bool is_unsure_ = false;    // a write of ours was perhaps applied, and nobody has looked since
  bool is_stopping_ = false;  // only looks whether there is something to give back
};

}  // namespace berth::kube
