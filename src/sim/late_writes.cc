#include "sim/late_writes.h"

#include <cstddef>
#include <cstdint>

#include "rt/time.h"
#include "world/cluster.h"
#include "world/faults.h"

namespace berth::sim {

using world::WriteKind;

void LateWrites::add(const LateWrites& other) {
  for (std::size_t kind = 0; kind < world::kWriteKinds; ++kind) {
    for (std::size_t what = 0; what < kLate; ++what) {
      counts_[kind][what] += other.counts_[kind][what];
    }
  }
}

void LateWrites::add_lease(const world::Write& write,
                           bool is_applied,
                           rt::Duration renew_deadline) {
  if (write.landed >= write.sent + renew_deadline) {
    add(write.kind, is_applied ? Late::kFirst : Late::kRefused);
  }
}

std::uint64_t LateWrites::of(WriteKind kind) const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts_[static_cast<std::size_t>(kind)]) {
    sum += count;
  }
  return sum;
}

std::uint64_t LateWrites::total() const {
  std::uint64_t sum = 0;
  for (std::size_t kind = 0; kind < world::kWriteKinds; ++kind) {
    sum += of(static_cast<WriteKind>(kind));
  }
  return sum;
}

}  // namespace berth::sim
