// Writes that land late, and what became of them: those of a leader when its renew deadline has
// passed or somebody else leads already, and those of a lease when its renew deadline, counted from
// when they were sent, has passed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rt/time.h"
#include "world/cluster.h"
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
  // If the write of a lease is late. One that is applied met the lease as it was when it was sent,
  // or found none: nobody else had written it.
  void add_lease(const world::Write& write, bool is_applied, rt::Duration renew_deadline);

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

}  // namespace berth::sim
