#include "volumes/bind_reason.h"

#include <algorithm>
#include <vector>

namespace berth::volumes {

BindVerdict worst_of(const std::vector<BindProblem>& problems) {
  BindVerdict worst = BindVerdict::kDone;
  for (const BindProblem& problem : problems) {
    worst = std::max(worst, problem.verdict);
  }
  return worst;
}

}  // namespace berth::volumes
