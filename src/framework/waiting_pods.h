// Pods that Permit plugins hold back: a table, not a thread each.
//
// A pod waits for one or several plugins, each with a time of its own. It is released when all of
// them have allowed it, or rejected by the first that says so or whose time is over. The first
// decision counts; later ones are told that they came too late. While a pod waits it keeps what it
// reserved.
//
// One table serves all profiles of a process.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/runner_metrics.h"
#include "framework/snapshot.h"
#include "framework/status.h"
#include "rt/event.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::framework {

// Why a pod that waited was refused.
inline constexpr ReasonKind kPermitTimeout{
    .id = "PermitTimeout", .text = "rejected due to timeout after waiting {} at plugin {}"};
inline constexpr ReasonKind kPermitRejected{.id = "PermitRejected", .text = "{}"};

class WaitingPods {
 public:
  struct Awaited {
    std::string plugin;
    rt::Duration timeout{};  // at most kPermitWaitMax counts
  };

  // Both outlive it.
  WaitingPods(rt::Runtime& runtime, RunnerMetrics& metrics);
  WaitingPods(const WaitingPods&) = delete;
  WaitingPods& operator=(const WaitingPods&) = delete;
  ~WaitingPods();

  // From now on it waits; `plugins` is not empty. A pod of this uid that is there already is
  // rejected.
  void add(PodPtr pod, const std::vector<Awaited>& plugins);

  // The plugin has nothing against it any more. False when the pod does not wait for it.
  bool allow(std::string_view uid, std::string_view plugin);
  // The pod is unschedulable. True for the decision that counts. `plugin` is empty when none of
  // them says so.
  bool reject(std::string_view uid, std::string_view plugin, std::string_view message);
  // The place is taken from it: an error, it is tried again soon.
  bool preempt(std::string_view uid, std::string_view plugin, std::string_view message);

  bool is_waiting(std::string_view uid) const;
  // Those that wait, by uid.
  std::vector<PodPtr> pods() const;
  // Whom it still waits for; empty when it does not.
  std::vector<std::string> awaited_by(std::string_view uid) const;

  // Until it is decided: at once for a pod that is not in the table. One that is cancelled is an
  // error, and no longer in the table.
  rt::Task<Status> wait(std::string uid, rt::Until until);

 private:
  struct Entry;

  Entry* find(std::string_view uid) const;
  // The first decision counts.
  static bool decide(Entry& entry, Status status);
  // Those whose time is over have rejected it.
  void expire(Entry& entry) const;

  rt::Runtime& runtime_;
  RunnerMetrics& metrics_;
  // Decided ones stay until whoever waits for them has heard.
  std::map<std::string, std::shared_ptr<Entry>, std::less<>> entries_;
};

// As Go prints it: "1m30s", "250ms".
std::string duration_text(rt::Duration duration);

}  // namespace berth::framework
