#include "rt/pool.h"

#include <algorithm>
#include <cstddef>

#include "base/assert.h"

namespace berth::rt {

void SerialPool::for_each(std::size_t count, std::size_t chunk, const Pass& pass) {
  BERTH_ASSERT(chunk > 0, "a piece is not empty");
  for (std::size_t begin = 0; begin < count; begin += chunk) {
    pass(begin, std::min(count, begin + chunk));
  }
}

}  // namespace berth::rt
