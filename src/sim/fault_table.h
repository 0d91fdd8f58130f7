// How often each fault hit each kind of write of the processes under test, and what became of the
// writes of theirs that landed late, for people.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/late_writes.h"
#include "world/faults.h"

namespace berth::sim {

using WriteKinds = std::span<const world::WriteKind>;

// A line a fault with all its hits; then a row for each of these kinds of write, with
// "before/during/after" for each fault that hits writes, a dash where it cannot, and
// "refused/first/harmless" of those that landed late.
std::string fault_table(const world::FaultCounts& counts,
                        const LateWrites& late,
                        const world::FaultSet& enabled,
                        WriteKinds kinds);

// What was enabled, could have happened and did not: "crash never hit a binding during".
std::vector<std::string> missed_faults(const world::FaultCounts& counts,
                                       const LateWrites& late,
                                       const world::FaultSet& enabled,
                                       WriteKinds kinds);

}  // namespace berth::sim
