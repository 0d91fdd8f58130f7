#include "framework/cycle_state.h"

#include <cstddef>

namespace berth::framework {

CycleState CycleState::clone() const {
  CycleState copy{StateLayout()};
  copy.skips_filter = skips_filter;
  copy.skips_score = skips_score;
  copy.values_.resize(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] != nullptr) {
      copy.values_[i] = values_[i]->clone();
    }
  }
  return copy;
}

}  // namespace berth::framework
