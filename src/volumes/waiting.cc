#include "volumes/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "volumes/bind_policy.h"
#include "volumes/bind_reason.h"
#include "volumes/bind_steps.h"
#include "volumes/wait.h"
#include "volumes/writes.h"

namespace berth::volumes {
namespace {

constexpr std::string_view kDeadlineText = "context deadline exceeded";

// What a cache does not show, of a problem that is nothing else.
std::optional<ObjectId> gone_object(const BindReason& reason) {
  if (reason.code == bind_reason::kVolumeGone) {
    return volume_id(reason.volume);
  }
  if (reason.code == bind_reason::kClaimGone) {
    const std::size_t slash = reason.claim.find('/');
    return ObjectId{.kind = ObjectKind::kClaim,
                    .ns = reason.claim.substr(0, slash),
                    .name = reason.claim.substr(slash + 1)};
  }
  return std::nullopt;
}

}  // namespace

Waiting::Finding Waiting::begin(const AwaitedVersions& awaited, const Place& place) {
  since_ = place.now;
  if (shortest_timeout(place.plan, place.view, place.policy) == std::chrono::seconds(0)) {
    return {.is_over = true,
            .problems = {
                {.verdict = BindVerdict::kGiveUpNode,
                 .reason = {.code = bind_reason::kDeadline, .text = std::string(kDeadlineText)}}}};
  }
  return look(awaited, place);
}

Waiting::Finding Waiting::look(const AwaitedVersions& awaited, const Place& place) {
  WaitAnswer answer = check_bound(place.plan, awaited, place.pod, place.view, place.switches);
  named_volumes_ = std::move(answer.volumes);
  Finding finding;
  if (!answer.problems.empty() && are_certain(answer.problems, place, finding)) {
    return {.is_over = true, .problems = std::move(answer.problems)};
  }
  for (BindProblem& problem : answer.problems) {
    answer.pending.push_back(std::move(problem.reason));
  }
  if (answer.pending.empty()) {
    finding.is_over = true;
  } else {
    check_deadlines(answer.pending, place, finding);
  }
  return finding;
}

void Waiting::take_read(const ObjectId& object, const Place& place) {
  ask_again_[object] = place.now + place.policy.look_again;
}

bool Waiting::are_certain(const std::vector<BindProblem>& problems,
                          const Place& place,
                          Finding& finding) {
  if (!place.switches.undo) {
    return true;
  }
  std::vector<ObjectId> doubtful;
  for (const BindProblem& problem : problems) {
    auto object = gone_object(problem.reason);
    if (!object || missing_.contains(*object)) {
      return true;
    }
    doubtful.push_back(*std::move(object));
  }
  for (const ObjectId& object : doubtful) {
    Moment& ask_again = ask_again_.try_emplace(object, Moment::min()).first->second;
    if (ask_again <= place.now) {
      ask_again = place.now + place.policy.look_again;
      finding.actions.emplace_back(ReadObject{object});
    }
  }
  return false;
}

void Waiting::check_deadlines(const std::vector<BindReason>& pending,
                              const Place& place,
                              Finding& finding) {
  Moment next = place.now + place.policy.look_again;
  for (const BindReason& reason : pending) {
    const std::chrono::seconds timeout = timeout_of(reason.claim, place.view, place.policy);
    const Moment deadline = since_ + timeout;
    next = std::min(next, deadline);
    if (place.now >= deadline) {
      BindProblem late{.verdict = BindVerdict::kGiveUpNode, .reason = reason};
      late.reason.code = bind_reason::kDeadline;
      late.reason.text += fmt::format(" for {} s", timeout.count());
      finding.problems.push_back(std::move(late));
    }
  }
  if (!finding.problems.empty()) {
    finding.is_over = true;
    finding.text = kDeadlineText;
    return;
  }
  finding.actions.emplace_back(WaitUntil{next});
}

}  // namespace berth::volumes
