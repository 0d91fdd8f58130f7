#include "volumes/bind_outcome.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "volumes/bind_reason.h"

namespace berth::volumes {

BindOutcome outcome_of(const std::vector<BindProblem>& problems,
                       std::string_view prefix,
                       std::string_view text) {
  BindOutcome outcome;
  if (problems.empty()) {
    return outcome;
  }
  for (const BindVerdict verdict :
       {BindVerdict::kGiveUpPod, BindVerdict::kGiveUpNode, BindVerdict::kRetryHere}) {
    for (const BindProblem& problem : problems) {
      if (problem.verdict == verdict) {
        outcome.verdict = std::max(outcome.verdict, verdict);
        outcome.retry_after = std::max(outcome.retry_after, problem.retry_after);
        outcome.reasons.push_back(problem.reason);
      }
    }
  }
  outcome.text = prefix;
  outcome.text += text.empty() ? outcome.reasons.front().text : text;
  return outcome;
}

}  // namespace berth::volumes
