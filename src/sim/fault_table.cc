#include "sim/fault_table.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "sim/late_writes.h"
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

// What makes an object, or a leader: that it lands late and is applied all the same must be seen.
bool is_first_write(WriteKind kind) {
  return kind == WriteKind::kCreate || kind == WriteKind::kLeaseCreate ||
         kind == WriteKind::kLeasePatch;
}

// Kinds of write of which none ever landed late.
void add_never_late(const LateWrites& late, WriteKinds kinds, std::vector<std::string>& missed) {
  for (const WriteKind kind : kinds) {
    if (late.of(kind) == 0) {
      missed.push_back(fmt::format("no {} landed late", name_of(kind)));
    } else if (is_first_write(kind) && late.of(kind, Late::kFirst) == 0) {
      missed.push_back(fmt::format("no {} that landed late was applied", name_of(kind)));
    }
  }
}

std::string late_cell(const LateWrites& late, WriteKind kind) {
  return fmt::format("{}/{}/{}",
                     late.of(kind, Late::kRefused),
                     late.of(kind, Late::kFirst),
                     late.of(kind, Late::kHarmless));
}

std::vector<Fault> faults_of(const world::FaultSet& enabled) {
  std::vector<Fault> faults;
  for (std::size_t i = 0; i < world::kFaults; ++i) {
    if (enabled.has(static_cast<Fault>(i))) {
      faults.push_back(static_cast<Fault>(i));
    }
  }
  return faults;
}

}  // namespace

std::string fault_table(const world::FaultCounts& counts,
                        const LateWrites& late,
                        const world::FaultSet& enabled,
                        WriteKinds kinds) {
  std::string table = fmt::format("{:<18} {:>9}\n", "fault", "hits");
  std::string head = fmt::format("{:<13}", "write");
  for (const Fault fault : faults_of(enabled)) {
    table += fmt::format("{:<18} {:>9}\n", name_of(fault), counts.of(fault));
    if (hits_writes(fault)) {
      head += fmt::format(" {:>18}", name_of(fault));
    }
  }
  table += head + fmt::format(" {:>18}\n", "landed late");
  for (const WriteKind kind : kinds) {
    table += fmt::format("{:<13}", name_of(kind));
    for (const Fault fault : faults_of(enabled)) {
      if (hits_writes(fault)) {
        table += fmt::format(" {:>18}", cell_of(counts, fault, kind));
      }
    }
    table += fmt::format(" {:>18}\n", late_cell(late, kind));
  }
  return table +
         "(writes of the processes under test: hit before / during / after; landed late: refused / "
         "applied before any write of a later leader / applied after one and harmless)\n";
}

std::vector<std::string> missed_faults(const world::FaultCounts& counts,
                                       const LateWrites& late,
                                       const world::FaultSet& enabled,
                                       WriteKinds kinds) {
  std::vector<std::string> missed;
  for (const Fault fault : faults_of(enabled)) {
    if (counts.of(fault) == 0) {
      missed.push_back(fmt::format("{} never happened", name_of(fault)));
      continue;
    }
    for (const WriteKind kind : kinds) {
      add_missed(counts, fault, kind, missed);
    }
  }
  if (enabled.has(Fault::kLostAnswer)) {
    add_never_late(late, kinds, missed);
  }
  return missed;
}

}  // namespace berth::sim
