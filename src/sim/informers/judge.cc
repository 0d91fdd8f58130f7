#include "sim/informers/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/kind.h"
#include "api/objects/events_event.h"
#include "api/objects/lease.h"
#include "api/objects/meta.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/typed.h"
#include "rt/time.h"
#include "sim/informers/subject.h"
#include "sim/informers/wish.h"
#include "sim/late_writes.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/store.h"

namespace berth::sim::informers {
namespace {

// More are not told: one mistake breaks a run in a hundred places.
constexpr std::size_t kViolationsMax = 5;

api::ObjectMeta metadata_of(const world::Version& version) {
  auto head = kube::read_head({.bytes = world::text_of(version)});
  BERTH_ASSERT(head.has_value(), "the store holds objects with metadata");
  return std::move(head->metadata);
}

const std::string& body_of(const world::Write& write) {
  static const std::string nothing;
  if (const auto* create = std::get_if<kube::CreateRequest>(&write.request)) {
    return create->body;
  }
  const auto* patch = std::get_if<kube::PatchRequest>(&write.request);
  return patch != nullptr ? patch->body : nothing;
}

// Refused for a reason that has nothing to do with the write.
bool is_of_busy_server(const Error& error) {
  return error.code() == ErrorCode::kTooManyRequests || error.code() == ErrorCode::kServerError;
}

std::string series_of(const std::string& process,
                      const std::string& uid,
                      const std::string& reason) {
  return fmt::format("{} {} {}", process, uid, reason);
}

bool is_lease(const world::Write& write) {
  return write.object_kind() == api::Lease::kKind;
}

}  // namespace

std::uint64_t number_of(std::string_view resource_version) {
  std::uint64_t number = 0;
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  std::from_chars(
      resource_version.data(), resource_version.data() + resource_version.size(), number);
  return number;
}

Judge::Judge(world::Cluster& cluster)
    : cluster_(cluster),
      subscription_(cluster.store().on_change([this] { follow_log(); })),
      known_(cluster.store().resource_version()) {
  cluster_.observe(
      {.sent = [this](const world::Write& write) { sent(write); },
       .landed = [this](const world::Write& write,
                        const Result<std::string>& outcome) { landed(write, outcome); }});
}

Judge::~Judge() {
  cluster_.store().forget_observer(subscription_);
  cluster_.observe({});
}

void Judge::violation(std::string what) {
  cluster_.simulation().note("judge", "VIOLATION " + what);
  if (violations_.size() < kViolationsMax) {
    violations_.push_back(std::move(what));
  }
}

void Judge::stalled(std::string what) {
  if (!std::exchange(has_stalled_, true)) {
    what += "\n" + cluster_.simulation().stuck_report();
  }
  violation(std::move(what));
}

void Judge::note(const std::string& process, std::string_view what) {
  cluster_.simulation().note(process, what);
}

void Judge::follow_log() {
  while (const world::Change* change = cluster_.store().change_after(known_)) {
    known_ = change->resource_version;
    take(*change);
  }
}

void Judge::take(const world::Change& change) {
  if (*change.kind == api::Lease::kKind) {
    return;  // not followed
  }
  if (*change.kind == api::events::Event::kKind) {
    take_event(change);
    return;
  }
  const Subject subject{.kind = change.kind, .key = change.key};
  objects_[subject] = change.after;
  if (change.type == world::ChangeType::kDeleted) {
    gone_[metadata_of(*change.after).uid] = change.resource_version;
    truth_.erase(subject);
    created_.erase(subject);
    return;
  }
  truth_[subject] = {.uid = metadata_of(*change.after).uid, .version = change.resource_version};
  if (change.type == world::ChangeType::kAdded) {
    created_[subject] = change.resource_version;
  }
}

// A count never says more than happened. It may say less: a patch of an older count lands late, and
// what has no budget is told with the next that has.
void Judge::take_event(const world::Change& change) {
  const auto event = kube::decode<api::events::Event>({.bytes = world::text_of(*change.after)});
  BERTH_ASSERT(event.has_value(), "recorders write events that can be read");
  Occurrences& occurrences =
      events_[series_of(event->reporting_instance, event->regarding.uid, event->reason)];
  occurrences.said[{.kind = change.kind, .key = change.key}] =
      event->series ? static_cast<std::uint64_t>(event->series->count) : 1;
  std::uint64_t said = 0;
  for (const auto& [subject, count] : occurrences.said) {
    said += count;
  }
  if (said > occurrences.recorded) {
    violation(fmt::format("{}: {} of {} is said {} times and was recorded {} times",
                          event->reporting_instance,
                          event->reason,
                          event->regarding.name,
                          said,
                          occurrences.recorded));
  }
}

void Judge::recorded(const std::string& process,
                     const std::string& uid,
                     const std::string& reason) {
  ++events_[series_of(process, uid, reason)].recorded;
}

void Judge::told(const std::string& process, const Subject& subject, const Seen& now) {
  note(process, fmt::format("is told of {} version {}", subject.text(), now.version));
  Process& state = processes_[process];
  std::uint64_t& told = state.told[subject];
  if (now.version < told) {
    violation(fmt::format("{}: a handler was told of {} version {} after {}",
                          process,
                          subject.text(),
                          now.version,
                          told));
  }
  told = std::max(told, now.version);
  std::uint64_t& newest = state.newest[subject.kind->name];
  newest = std::max(newest, now.version);
}

void Judge::told_gone(const std::string& process,
                      const Subject& subject,
                      const std::string& uid,
                      std::uint64_t version) {
  note(process, fmt::format("is told that there is no {} at {}", subject.text(), version));
  // A uid is never given again, so what the log does not say to have gone lives.
  const auto gone = gone_.find(uid);
  if (gone == gone_.end() || gone->second > version) {
    violation(fmt::format("{}: a handler was told that {} was deleted, which lived at version {}",
                          process,
                          subject.text(),
                          version));
  }
  // An older state of it must not come back.
  std::uint64_t& told = processes_[process].told[subject];
  told = std::max(told, gone != gone_.end() ? gone->second : 0);
}

// Whatever has been there since before the process knew of its newest version is in every state it
// can have seen since.
void Judge::told_by_relist(const std::string& process, const api::Kind& kind, const State& holds) {
  const std::uint64_t newest = processes_[process].newest[kind.name];
  for (const auto& [subject, created] : created_) {
    if (*subject.kind == kind && created <= newest && !holds.contains(subject)) {
      violation(fmt::format("{}: a handler saw the store without {}, which was there all the time",
                            process,
                            subject.text()));
      return;
    }
  }
}

void Judge::begin_work(const std::string& process, const Subject& subject) {
  note(process, "handles " + subject.text());
  if (!processes_[process].in_work.insert(subject).second) {
    violation(fmt::format("{}: {} is handled by two workers", process, subject.text()));
  }
}

void Judge::end_work(const std::string& process, const Subject& subject, const Seen& handled) {
  note(process, fmt::format("has handled {} version {}", subject.text(), handled.version));
  Process& state = processes_[process];
  state.in_work.erase(subject);
  state.handled[subject] = handled;
}

std::uint64_t Judge::elected(const std::string& process) {
  note(process, fmt::format("leads as number {}", elections_ + 1));
  epochs_[process] = ++elections_;
  return elections_;
}

void Judge::fences_up(std::size_t count) {
  if (count > 1 && !std::exchange(has_told_of_fences_, true)) {
    violation(fmt::format("{} processes may act as the leader at once", count));
  }
}

void Judge::sent(const world::Write& write) {
  const auto found = processes_.find(write.sender);
  if (found == processes_.end() || is_lease(write)) {
    return;
  }
  if (write.sent >= deadline_of(write.sender)) {
    violation(fmt::format("{} sends {} after its renew deadline", write.sender, write.text()));
  }
}

rt::Time Judge::deadline_of(const std::string& process) const {
  const auto renewed = renewed_.find(process);
  return renewed == renewed_.end() ? rt::Time::min() : rt::after(renewed->second, kRenewDeadline);
}

void Judge::landed(const world::Write& write, const Result<std::string>& outcome) {
  if (!is_lease(write)) {
    const auto leader = epochs_.find(write.sender);
    if (leader != epochs_.end() && (outcome || !is_of_busy_server(outcome.error()))) {
      landed_of_leader(write, leader->second, outcome.has_value());
    }
    return;
  }
  late_writes_.add_lease(write, outcome.has_value(), kRenewDeadline);
  if (!outcome) {
    return;
  }
  const bool is_renewal = body_of(write).find('"' + write.sender + '"') != std::string::npos;
  if (is_renewal) {
    rt::Time& renewed = renewed_.try_emplace(write.sender, rt::Time::min()).first->second;
    renewed = std::max(renewed, write.sent);
  } else {
    renewed_.erase(write.sender);
  }
}

void Judge::landed_of_leader(const world::Write& write, std::uint64_t epoch, bool is_applied) {
  const Subject subject{.kind = &write.object_kind(), .key = write.key()};
  std::uint64_t& newest = written_by_[subject];
  if (epoch < elections_ || write.landed >= deadline_of(write.sender)) {
    Late what = Late::kRefused;
    if (is_applied) {
      what = epoch < newest ? Late::kHarmless : Late::kFirst;
    }
    if (what == Late::kHarmless && !is_harmless(write)) {
      violation(fmt::format(
          "{} of leader {} came over a write of leader {}", write.text(), epoch, newest));
    }
    late_writes_.add(write.kind, what);
  }
  if (is_applied) {
    newest = std::max(newest, epoch);
  }
}

bool Judge::is_harmless(const world::Write& write) const {
  switch (write.kind) {
    case world::WriteKind::kCreate:
      // A child that was wanted once. Who leads sees it come and removes it if it no longer is,
      // which is judged at the end.
      return true;
    case world::WriteKind::kEviction: {
      // Of the pod with the uid of the precondition; a pod that is to be evicted once is for ever.
      const auto pod = objects_.find({.kind = &write.object_kind(), .key = write.key()});
      return pod != objects_.end() && is_to_be_evicted(pod_of(*pod->second));
    }
    case world::WriteKind::kPatch:        // of a resourceVersion that is no more
    case world::WriteKind::kStatus:       // the same
    case world::WriteKind::kBinding:      // the pod is bound, or about to go
    case world::WriteKind::kRemove:       // of a child that is another one
    case world::WriteKind::kEventCreate:  // nobody else writes an Event of this name
    case world::WriteKind::kEventPatch:   // the same
    case world::WriteKind::kLeaseCreate:  // judged by who acts as the leader
    case world::WriteKind::kLeasePatch:
      return false;
  }
  return false;
}

void Judge::ended(const std::string& process) {
  processes_.erase(process);
}

void Judge::check_follower(const std::string& process, const State& holds) {
  const auto differs = [&](const Subject& subject, const Seen& truth, const Seen& held) {
    stalled(fmt::format("{}: at the end {} is version {} and the process holds {}",
                        process,
                        subject.text(),
                        truth.version,
                        held.version));
  };
  for (const auto& [subject, truth] : truth_) {
    const auto held = holds.find(subject);
    if (held == holds.end() || held->second != truth) {
      differs(subject, truth, held == holds.end() ? Seen{} : held->second);
    }
  }
  for (const auto& [subject, held] : holds) {
    if (!truth_.contains(subject)) {
      differs(subject, {}, held);
    }
  }
  check_handled(process);
}

void Judge::check_handled(const std::string& process) {
  const std::map<Subject, Seen>& handled = processes_[process].handled;
  for (const auto& [subject, truth] : truth_) {
    const auto found = handled.find(subject);
    if (found == handled.end()) {
      stalled(fmt::format("{}: {} was never handled", process, subject.text()));
    } else if (found->second != truth) {
      stalled(fmt::format("{}: {} was last handled at version {}, and is at {}",
                          process,
                          subject.text(),
                          found->second.version,
                          truth.version));
    }
  }
  for (const auto& [subject, seen] : handled) {
    if (!truth_.contains(subject) && seen != Seen{}) {
      stalled(fmt::format("{}: {} was last handled at version {}, and is gone",
                          process,
                          subject.text(),
                          seen.version));
    }
  }
}

void Judge::check_wishes() {
  Objects there;
  for (const auto& [subject, seen] : truth_) {
    there[subject] = objects_.at(subject);
  }
  for (const std::string& wish : unfulfilled_wishes(there)) {
    stalled("at the end " + wish);
  }
}

}  // namespace berth::sim::informers
