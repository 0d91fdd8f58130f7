// Whether an event can make a rejected pod schedulable.
#pragma once

#include <cstdint>

namespace berth::volumes {

enum class Hint : std::uint8_t { kSkip, kQueue };

inline Hint queue_if(bool helps) {
  return helps ? Hint::kQueue : Hint::kSkip;
}

}  // namespace berth::volumes
