#include "sim/binding/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec.h"
#include "api/objects/bind_request.h"
#include "api/objects/lease.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/elector_state.h"
#include "rt/time.h"
#include "sim/late_writes.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/store.h"

namespace berth::sim::binding {
namespace {

// More are not told: one mistake breaks a run in a hundred places.
constexpr std::size_t kViolationsMax = 5;
// So late a binder may still not know that its order was taken back.
constexpr rt::Duration kNewsMax = std::chrono::minutes(2);

template <typename Object>
Object read(const world::VersionPtr& version) {
  return *api::from_json<Object>(world::text_of(*version));
}

// As the specification has it, and not as the code under test does.
bool is_closed(const api::BindRequest& order) {
  const auto& limit = order.spec.backoff_limit;
  return order.status.phase == "Succeeded" ||
         (order.status.phase == "Failed" && (!limit || order.status.failed_attempts >= *limit));
}

std::string name_of(const api::BindRequest& order) {
  return fmt::format(
      "order {} ({} to {})", order.metadata.name, order.spec.pod_name, order.spec.selected_node);
}

}  // namespace

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

void Judge::elected(const std::string& process) {
  epochs_[process] = ++elections_;
  note(process, fmt::format("leads as number {}", elections_));
}

void Judge::leaders(std::size_t count) {
  if (count > 1 && !std::exchange(has_told_of_leaders_, true)) {
    violation(fmt::format("{} processes may act as the leader at once", count));
  }
}

void Judge::follow_log() {
  while (const world::Change* change = cluster_.store().change_after(known_)) {
    known_ = change->resource_version;
    take(*change);
  }
}

void Judge::take(const world::Change& change) {
  const Presence presence{.is_there = change.type != world::ChangeType::kDeleted,
                          .since = change.resource_version};
  if (*change.kind == api::BindRequest::kKind) {
    take_order(change);
  } else if (*change.kind == api::Pod::kKind) {
    take_pod(change);
    if (change.type != world::ChangeType::kModified) {
      pod_names_[change.key.name] = presence;
    }
  } else if (*change.kind == api::Node::kKind && change.type != world::ChangeType::kModified) {
    node_names_[change.key.name] = presence;
  }
}

void Judge::take_order(const world::Change& change) {
  auto after = read<api::BindRequest>(change.after);
  Order& order = orders_[after.metadata.uid];
  switch (change.type) {
    case world::ChangeType::kAdded:
      order.created = change.resource_version;
      break;
    case world::ChangeType::kModified:
      check_step(order.object, after);
      break;
    case world::ChangeType::kDeleted:
      order.gone = cluster_.simulation().now();
      break;
  }
  order.object = std::move(after);
}

void Judge::take_pod(const world::Change& change) {
  auto pod = read<api::Pod>(change.after);
  if (change.type == world::ChangeType::kDeleted) {
    removed_[pod.metadata.uid] = change.resource_version;
    pods_.erase(pod.metadata.name);
    return;
  }
  if (!pod.spec.node_name.empty()) {
    bound_[pod.metadata.uid] = pod;
  }
  pods_[pod.metadata.name] = std::move(pod);
}

bool Judge::was_there(const Names& names, const std::string& name, std::uint64_t since) {
  const auto found = names.find(name);
  return found != names.end() && found->second.is_there && found->second.since <= since;
}

void Judge::check_step(const api::BindRequest& before, const api::BindRequest& after) {
  if (before.status == after.status) {
    return;
  }
  if (is_closed(before)) {
    violation(fmt::format("{} was closed as {} and is now {}",
                          name_of(after),
                          before.status.phase,
                          after.status.phase));
  }
  if (after.status.phase == "Succeeded") {
    check_success(after);
  } else {
    check_failure(after);
    const std::int32_t attempts = before.spec.backoff_limit ? before.status.failed_attempts + 1
                                                            : before.status.failed_attempts;
    if (after.status.failed_attempts != attempts) {
      violation(fmt::format("{} has failed {} times and counts {}",
                            name_of(after),
                            attempts,
                            after.status.failed_attempts));
    }
  }
}

void Judge::check_success(const api::BindRequest& order) {
  const std::uint64_t created = orders_.at(order.metadata.uid).created;
  for (const auto& [uid, pod] : bound_) {
    const auto removed = removed_.find(uid);
    if (means(order, pod) && (removed == removed_.end() || removed->second > created)) {
      return;
    }
  }
  violation(name_of(order) + " says Succeeded, and its pod was never bound");
}

void Judge::check_failure(const api::BindRequest& order) {
  if (!is_true(order)) {
    violation(
        fmt::format("{} says Failed: {}; which was never so", name_of(order), order.status.reason));
  }
  const api::Pod* pod = pod_of(order);
  if (pod == nullptr) {
    return;
  }
  const auto ours = bound_by_us_.find(pod->metadata.uid);
  if (ours != bound_by_us_.end() && ours->second == order.spec.selected_node) {
    violation(name_of(order) + " says Failed, and we have bound its pod");
  }
}

bool Judge::is_true(const api::BindRequest& order) const {
  const std::uint64_t created = orders_.at(order.metadata.uid).created;
  const std::string& reason = order.status.reason;
  if (reason.starts_with("Node ")) {
    return !was_there(node_names_, order.spec.selected_node, created);
  }
  if (reason.starts_with("Pod ")) {
    return !was_there(pod_names_, order.spec.pod_name, created);
  }
  if (reason.find("previous instance") != std::string::npos) {
    return pod_of(order) == nullptr;
  }
  // Conflicts that the network made up, for longer than a binder doubts them.
  return reason.starts_with("failed to bind pod");
}

void Judge::check_binding(const world::Write& write) {
  const api::Pod& pod = pods_.at(write.key().name);
  bound_by_us_[pod.metadata.uid] = pod.spec.node_name;
  const rt::Time sent = last_sent_[write.sender + write.text()];
  std::string by = "no order";
  for (const auto& [uid, order] : orders_) {
    if (order.object.spec.selected_node != pod.spec.node_name || !means(order.object, pod)) {
      continue;
    }
    if (order.object.status.phase == "Failed" && is_closed(order.object)) {
      by = "an order that had failed";
    } else if (order.gone && sent > *order.gone + kNewsMax) {
      by = "an order that was taken back long before";
    } else {
      return;
    }
  }
  violation(fmt::format("{} was bound to {} by {}", pod.metadata.name, pod.spec.node_name, by));
}

void Judge::sent(const world::Write& write) {
  last_sent_[write.sender + write.text()] = cluster_.simulation().now();
}

void Judge::landed(const world::Write& write, const Result<std::string>& outcome) {
  if (write.object_kind() == api::Lease::kKind) {
    late_writes_.add_lease(write, outcome.has_value(), kube::ElectorOptions{}.renew_deadline);
    return;
  }
  if (!epochs_.contains(write.sender)) {
    violation(fmt::format("{} writes without having been elected: {}", write.sender, write.text()));
    return;
  }
  follow_log();
  if (outcome && write.kind == world::WriteKind::kBinding) {
    check_binding(write);
  }
  const bool is_busy = !outcome && (outcome.error().code() == ErrorCode::kTooManyRequests ||
                                    outcome.error().code() == ErrorCode::kServerError);
  if (!is_busy) {
    landed_late(write, outcome.has_value());
  }
}

void Judge::landed_late(const world::Write& write, bool is_applied) {
  const std::uint64_t epoch = epochs_.at(write.sender);
  std::uint64_t& newest =
      written_by_[fmt::format("{} {}", write.object_kind().name, write.key().text())];
  if (epoch < elections_) {
    Late what = Late::kRefused;
    if (is_applied) {
      what = epoch < newest ? Late::kHarmless : Late::kFirst;
    }
    // A binding may come late to a pod of the same name that is another one: there its uid guards
    // it, so what is applied was meant. A status is guarded by its version.
    if (what == Late::kHarmless && write.kind == world::WriteKind::kStatus) {
      violation(fmt::format(
          "{} of leader {} came over a write of leader {}", write.text(), epoch, newest));
    }
    late_writes_.add(write.kind, what);
  }
  if (is_applied) {
    newest = std::max(newest, epoch);
  }
}

bool Judge::means(const api::BindRequest& order, const api::Pod& pod) {
  if (order.spec.pod_name != pod.metadata.name) {
    return false;
  }
  const auto& owners = order.metadata.owner_references;
  return owners.empty() || owners.front().uid == pod.metadata.uid;
}

const api::Pod* Judge::pod_of(const api::BindRequest& order) const {
  const auto found = pods_.find(order.spec.pod_name);
  return found != pods_.end() && means(order, found->second) ? &found->second : nullptr;
}

void Judge::check_end() {
  for (const auto& [uid, order] : orders_) {
    if (!order.gone && !is_closed(order.object)) {
      stalled("at the end " + name_of(order.object) + " is still open");
    }
  }
  if (bound_by_us_.empty()) {
    violation("in the whole run no pod was bound by an order");
  }
}

}  // namespace berth::sim::binding
