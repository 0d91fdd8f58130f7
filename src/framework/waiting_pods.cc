#include "framework/waiting_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/error.h"
#include "framework/plugin.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "rt/event.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::framework {
namespace {

Status rejected(std::string_view plugin, std::string_view message) {
  return Status::unschedulable(
             {.kind = kPermitRejected, .values = {{"message", std::string(message)}}})
      .from(plugin);
}

}  // namespace

struct WaitingPods::Entry {
  struct Timer {
    std::string plugin;
    rt::Duration timeout{};
    rt::Time deadline{};
  };

  Entry(rt::Runtime& runtime, PodPtr its_pod)
      : pod(std::move(its_pod)), since(runtime.now()), decided(runtime, "permission") {}

  rt::Time next_deadline() const {
    rt::Time next = rt::kNever;
    for (const Timer& timer : timers) {
      next = std::min(next, timer.deadline);
    }
    return next;
  }

  PodPtr pod;
  rt::Time since;
  std::vector<Timer> timers;  // of those that have not allowed it
  std::optional<Status> decision;
  rt::Event decided;
};

WaitingPods::WaitingPods(rt::Runtime& runtime, RunnerMetrics& metrics)
    : runtime_(runtime), metrics_(metrics) {}

WaitingPods::~WaitingPods() = default;

void WaitingPods::add(PodPtr pod, const std::vector<Awaited>& plugins) {
  BERTH_ASSERT(!plugins.empty(), "a pod waits for somebody");
  const std::string uid = pod->metadata.uid;
  auto entry = std::make_shared<Entry>(runtime_, std::move(pod));
  for (const Awaited& awaited : plugins) {
    const rt::Duration timeout = std::clamp(awaited.timeout, rt::Duration{}, kPermitWaitMax);
    entry->timers.push_back({.plugin = awaited.plugin,
                             .timeout = timeout,
                             .deadline = rt::after(runtime_.now(), timeout)});
  }
  std::shared_ptr<Entry>& place = entries_[uid];
  if (place != nullptr) {
    decide(*place, rejected("", "replaced by a later attempt"));
  }
  place = std::move(entry);
}

bool WaitingPods::allow(std::string_view uid, std::string_view plugin) {
  Entry* entry = find(uid);
  if (entry == nullptr) {
    return false;
  }
  const std::size_t freed = std::erase_if(
      entry->timers, [plugin](const Entry::Timer& timer) { return timer.plugin == plugin; });
  if (entry->timers.empty()) {
    decide(*entry, Status::success());
  }
  return freed > 0;
}

bool WaitingPods::reject(std::string_view uid, std::string_view plugin, std::string_view message) {
  Entry* entry = find(uid);
  return entry != nullptr && decide(*entry, rejected(plugin, message));
}

bool WaitingPods::preempt(std::string_view uid, std::string_view plugin, std::string_view message) {
  Entry* entry = find(uid);
  return entry != nullptr &&
         decide(*entry,
                Status::error(Error(ErrorCode::kCancelled, std::string(message))).from(plugin));
}

bool WaitingPods::is_waiting(std::string_view uid) const {
  return find(uid) != nullptr;
}

std::vector<PodPtr> WaitingPods::pods() const {
  std::vector<PodPtr> pods;
  for (const auto& [uid, entry] : entries_) {
    if (!entry->decision) {
      pods.push_back(entry->pod);
    }
  }
  return pods;
}

std::vector<std::string> WaitingPods::awaited_by(std::string_view uid) const {
  std::vector<std::string> plugins;
  if (const Entry* entry = find(uid)) {
    for (const Entry::Timer& timer : entry->timers) {
      plugins.push_back(timer.plugin);
    }
  }
  return plugins;
}

rt::Task<Status> WaitingPods::wait(std::string uid, rt::Until until) {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) {
    co_return Status::success();
  }
  const std::shared_ptr<Entry> entry = found->second;
  for (;;) {
    expire(*entry);
    if (entry->decision) {
      break;
    }
    const rt::Time next = std::min(until.deadline, entry->next_deadline());
    const rt::Wake wake = co_await entry->decided.wait({.token = until.token, .deadline = next});
    const bool is_late = runtime_.now() >= until.deadline;
    if (wake == rt::Wake::kCancelled || (wake == rt::Wake::kDeadline && is_late)) {
      decide(*entry, Status::error(Error(ErrorCode::kCancelled, "the wait for permission ended")));
    }
  }
  // Another attempt of the pod may have come meanwhile.
  const auto now = entries_.find(uid);
  if (now != entries_.end() && now->second == entry) {
    entries_.erase(now);
  }
  metrics_.permit_wait_seconds.series({name_of(entry->decision->code())})
      .observe(std::chrono::duration<double>(runtime_.now() - entry->since).count());
  co_return *entry->decision;
}

WaitingPods::Entry* WaitingPods::find(std::string_view uid) const {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) {
    return nullptr;
  }
  // A time that is over counts even where nobody has looked since.
  expire(*found->second);
  return found->second->decision ? nullptr : found->second.get();
}

bool WaitingPods::decide(Entry& entry, Status status) {
  if (entry.decision) {
    return false;
  }
  entry.decision = std::move(status);
  entry.decided.set();
  return true;
}

void WaitingPods::expire(Entry& entry) const {
  const auto first = std::ranges::min_element(entry.timers, {}, &Entry::Timer::deadline);
  if (first == entry.timers.end() || runtime_.now() < first->deadline) {
    return;
  }
  decide(entry,
         Status::unschedulable(
             {.kind = kPermitTimeout,
              .values = {{"wait", duration_text(first->timeout)}, {"plugin", first->plugin}}})
             .from(first->plugin));
}

std::string duration_text(rt::Duration duration) {
  using std::chrono::duration_cast;
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  if (duration < rt::Duration{}) {
    return "-" + duration_text(-duration);
  }
  if (duration < seconds(1)) {
    const double ms = std::chrono::duration<double, std::milli>(duration).count();
    return duration == rt::Duration{} ? "0s" : fmt::format("{:g}ms", ms);
  }
  const auto whole_hours = duration_cast<hours>(duration);
  const auto whole_minutes = duration_cast<minutes>(duration - whole_hours);
  const double rest = std::chrono::duration<double>(duration - whole_hours - whole_minutes).count();
  std::string text;
  if (whole_hours.count() > 0) {
    text += fmt::format("{}h", whole_hours.count());
  }
  if (!text.empty() || whole_minutes.count() > 0) {
    text += fmt::format("{}m", whole_minutes.count());
  }
  return text + fmt::format("{:g}s", rest);
}

}  // namespace berth::framework
