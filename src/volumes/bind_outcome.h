// What came of a binding.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "volumes/bind_reason.h"

namespace berth::volumes {

struct BindOutcome {
  BindVerdict verdict = BindVerdict::kDone;
  std::vector<BindReason> reasons;  // what weighs most first; none when it is done
  // For people, and for those who know upstream's; empty when it is done.
  std::string text;
  // The server wants to be left alone for so long; zero when it said nothing.
  std::chrono::milliseconds retry_after{};
  // It may have written something that is to be taken back. What another plan wrote and left to
  // this one is known to Reliance::give_up() alone.
  bool needs_undo = false;
};

// That of these problems; done when there are none. `text` instead of the first reason's, behind
// `prefix`.
BindOutcome outcome_of(const std::vector<BindProblem>& problems,
                       std::string_view prefix,
                       std::string_view text);

}  // namespace berth::volumes
