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
  const Subject subject{.kind = change.kind, .key = change.key};
  objects_[subject] = change.after;
  if (change.type == world::ChangeType::kDeleted) {
    truth_.erase(subject);
    created_.erase(subject);
    return;
  }
  truth_[subject] = {.uid = metadata_of(*change.after).uid, .version = change.resource_version};
  if (change.type == world::ChangeType::kAdded) {
    created_[subject] = change.resource_version;
  }
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
  const rt::Time renewed = found->second.renewed;
  if (renewed == rt::Time::min() || write.sent >= renewed + kRenewDeadline) {
    violation(fmt::format("{} sends {} after its renew deadline", write.sender, write.text()));
  }
}

void Judge::landed(const world::Write& write, const Result<std::string>& outcome) {
  if (!is_lease(write)) {
    const auto leader = epochs_.find(write.sender);
    if (leader != epochs_.end() && (outcome || !is_of_busy_server(outcome.error()))) {
      landed_of_leader(write, leader->second, outcome.has_value());
    }
    return;
  }
  const auto found = processes_.find(write.sender);
  if (found == processes_.end() || !outcome) {
    return;
  }
  const bool is_renewal = body_of(write).find('"' + write.sender + '"') != std::string::npos;
  found->second.renewed =
      is_renewal ? std::max(found->second.renewed, write.sent) : rt::Time::min();
}

void Judge::landed_of_leader(const world::Write& write, std::uint64_t epoch, bool is_applied) {
  const Subject subject{.kind = &write.object_kind(), .key = write.key()};
  std::uint64_t& newest = written_by_[subject];
  if (epoch < elections_) {
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
    case world::WriteKind::kPatch:    // of a resourceVersion that is no more
    case world::WriteKind::kStatus:   // the same
    case world::WriteKind::kBinding:  // the pod is bound, or about to go
    case world::WriteKind::kRemove:   // of a child that is another one
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
