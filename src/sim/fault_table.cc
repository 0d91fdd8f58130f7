#include "sim/fault_table.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "world/faults.h"

namespace berth::sim {
namespace {

using world::Fault;
using world::Phase;
using world::WriteKind;

template <typename Visit>
void for_each_phase(const Visit& visit) {
  for (std::size_t i = 0; i < world::kPhases; ++i) {
    visit(static_cast<Phase>(i));
  }
}

bool hits_writes(Fault fault) {
  bool hits = false;
  for_each_phase([&](Phase phase) { hits = hits || world::can_hit(fault, phase); });
  return hits;
}

// "3/1/-": how often the fault hit that kind of write before, during and after it.
std::string cell_of(const world::FaultCounts& counts, Fault fault, WriteKind kind) {
  std::string cell;
  for_each_phase([&](Phase phase) {
    cell.append(cell.empty() ? "" : "/");
    cell += world::can_hit(fault, phase) ? fmt::format("{}", counts.of(fault, kind, phase))
                                         : std::string("-");
  });
  return cell;
}

void add_missed(const world::FaultCounts& counts,
                Fault fault,
                WriteKind kind,
                std::vector<std::string>& missed) {
  for_each_phase([&](Phase phase) {
    if (world::can_hit(fault, phase) && counts.of(fault, kind, phase) == 0) {
      missed.push_back(
          fmt::format("{} never hit a {} {}", name_of(fault), name_of(kind), name_of(phase)));
    }
  });
}

}  // namespace

std::string fault_table(const world::FaultCounts& counts,
                        const world::FaultSet& enabled,
                        WriteKinds kinds) {
  std::string table = fmt::format("{:<18} {:>9}", "fault", "hits");
  for (const WriteKind kind : kinds) {
    table += fmt::format(" {:>18}", name_of(kind));
  }
  table += "\n";
  for (std::size_t i = 0; i < world::kFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    if (!enabled.has(fault)) {
      continue;
    }
    table += fmt::format("{:<18} {:>9}", name_of(fault), counts.of(fault));
    if (hits_writes(fault)) {
      for (const WriteKind kind : kinds) {
        table += fmt::format(" {:>18}", cell_of(counts, fault, kind));
      }
    }
    table += "\n";
  }
  return table + "(writes: before / during / after)\n";
}

std::vector<std::string> missed_faults(const world::FaultCounts& counts,
                                       const world::FaultSet& enabled,
                                       WriteKinds kinds) {
  std::vector<std::string> missed;
  for (std::size_t i = 0; i < world::kFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    if (!enabled.has(fault)) {
      continue;
    }
    if (counts.of(fault) == 0) {
      missed.push_back(fmt::format("{} never happened", name_of(fault)));
      continue;
    }
    for (const WriteKind kind : kinds) {
      add_missed(counts, fault, kind, missed);
    }
  }
  return missed;
}

}  // namespace berth::sim
