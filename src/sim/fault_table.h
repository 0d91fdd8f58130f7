// How often each fault hit each kind of write, for people.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "world/faults.h"

namespace berth::sim {

using WriteKinds = std::span<const world::WriteKind>;

// A row a fault, "before/during/after" for each of these kinds of write; a dash where a fault
// cannot hit. Faults that do not hit writes have their number of hits only.
std::string fault_table(const world::FaultCounts& counts,
                        const world::FaultSet& enabled,
                        WriteKinds kinds);

// What was enabled, could have happened and did not: "crash never hit a binding during".
std::vector<std::string> missed_faults(const world::FaultCounts& counts,
                                       const world::FaultSet& enabled,
                                       WriteKinds kinds);

}  // namespace berth::sim
