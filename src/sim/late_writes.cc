#include "sim/late_writes.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

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

std::string late_line(const LateWrites& writes, std::span<const WriteKind> kinds) {
  std::string line = fmt::format("{:<18} {:>9}", "late writes", writes.total());
  for (const WriteKind kind : kinds) {
    line += fmt::format(" {:>18}",
                        fmt::format("{}/{}/{}",
                                    writes.of(kind, Late::kRefused),
                                    writes.of(kind, Late::kFirst),
                                    writes.of(kind, Late::kHarmless)));
  }
  return line +
         "\n(late writes, of a leader while a later one leads: refused / applied before any write "
         "of a later one / applied after one and harmless)\n";
}

std::vector<std::string> missed_late_writes(const LateWrites& writes,
                                            std::span<const WriteKind> kinds) {
  std::vector<std::string> missed;
  for (const WriteKind kind : kinds) {
    if (writes.of(kind) == 0) {
      missed.push_back(fmt::format("no {} of an earlier leader landed late", name_of(kind)));
    }
  }
  return missed;
}

}  // namespace berth::sim
