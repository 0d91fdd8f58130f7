// Writes of leaders that land when somebody else leads already, and what became of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "world/faults.h"

namespace berth::sim {

enum class Late : std::uint8_t {
  kRefused,   // by a precondition, or because there was nothing to do any more
  kFirst,     // applied, and no later leader had written the object
  kHarmless,  // applied to an object that a later leader had written, where that does no harm
};
inline constexpr std::size_t kLate = 3;

class LateWrites {
 public:
  void add(world::WriteKind kind, Late what) { ++at(kind, what); }
  void add(const LateWrites& other);

  std::uint64_t of(world::WriteKind kind, Late what) const {
    return counts_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(what)];
  }
  std::uint64_t of(world::WriteKind kind) const;
  std::uint64_t total() const;

 private:
  std::uint64_t& at(world::WriteKind kind, Late what) {
    return counts_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(what)];
  }

  std::array<std::array<std::uint64_t, kLate>, world::kWriteKinds> counts_{};
};

// A line below the table of faults: "refused/first/harmless" for each kind of write.
std::string late_line(const LateWrites& writes, std::span<const world::WriteKind> kinds);

// Kinds of write of which none was ever late: "no binding landed late".
std::vector<std::string> missed_late_writes(const LateWrites& writes,
                                            std::span<const world::WriteKind> kinds);

}  // namespace berth::sim
