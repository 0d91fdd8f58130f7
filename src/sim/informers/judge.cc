#include "sim/informers/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/kind.h"
#include "api/objects/lease.h"
#include "api/objects/meta.h"
#include "base/assert.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/typed.h"
#include "world/cluster.h"
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

std::uint64_t epoch_of(const api::ObjectMeta& metadata) {
  const auto found = metadata.annotations.find(Judge::kEpoch);
  return found == metadata.annotations.end() ? 0 : number_of(found->second);
}

const std::string& body_of(const world::Write& write) {
  static const std::string nothing;
  if (const auto* create = std::get_if<kube::CreateRequest>(&write.request)) {
    return create->body;
  }
  const auto* patch = std::get_if<kube::PatchRequest>(&write.request);
  return patch != nullptr ? patch->body : nothing;
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
  if (change.type == world::ChangeType::kDeleted) {
    truth_.erase(subject);
    created_.erase(subject);
    return;
  }
  const api::ObjectMeta metadata = metadata_of(*change.after);
  truth_[subject] = {.uid = metadata.uid, .version = change.resource_version};
  if (change.type == world::ChangeType::kAdded) {
    created_[subject] = change.resource_version;
    return;
  }
  const std::uint64_t before = epoch_of(metadata_of(*change.before));
  const std::uint64_t after = epoch_of(metadata);
  if (after < before) {
    violation(fmt::format(
        "{}: a write of leader {} came over one of leader {}", subject.text(), after, before));
  }
}

void Judge::told(const std::string& process, const Subject& subject, const Seen& now) {
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
  if (!processes_[process].in_work.insert(subject).second) {
    violation(fmt::format("{}: {} is handled by two workers", process, subject.text()));
  }
}

void Judge::end_work(const std::string& process, const Subject& subject, const Seen& handled) {
  Process& state = processes_[process];
  state.in_work.erase(subject);
  state.handled[subject] = handled;
}

std::uint64_t Judge::elected(const std::string& process) {
  cluster_.simulation().note(process, fmt::format("leads as number {}", elections_ + 1));
  return ++elections_;
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
  const auto found = processes_.find(write.sender);
  if (found == processes_.end() || !is_lease(write) || !outcome) {
    return;
  }
  const bool is_renewal = body_of(write).find('"' + write.sender + '"') != std::string::npos;
  found->second.renewed =
      is_renewal ? std::max(found->second.renewed, write.sent) : rt::Time::min();
}

void Judge::ended(const std::string& process) {
  processes_.erase(process);
}

void Judge::check_follower(const std::string& process, const State& holds) {
  const auto differs = [&](const Subject& subject, const Seen& truth, const Seen& held) {
    violation(fmt::format("{}: at the end {} is version {} and the process holds {}",
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
  for (const auto& [subject, handled] : processes_[process].handled) {
    const auto truth = truth_.find(subject);
    const Seen expected = truth == truth_.end() ? Seen{} : truth->second;
    if (handled != expected) {
      violation(fmt::format("{}: {} was last handled at version {}, and is at {}",
                            process,
                            subject.text(),
                            handled.version,
                            expected.version));
    }
  }
}

}  // namespace berth::sim::informers
