#include "world/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/result.h"
#include "rt/random.h"

namespace berth::world {
namespace {

struct Description {
  std::string_view name;
  // Hits once in so many requests, events or changes.
  std::uint32_t one_in;
  // Of a write.
  bool before;
  bool during;
  bool after;
};

// In the order of the enumeration.
constexpr std::array<Description, kFaults> kDescriptions = {{
    {"latency", 8, true, true, true},
    {"conflict", 30, false, true, false},
    {"too-many-requests", 40, true, false, false},
    {"server-error", 40, true, false, false},
    {"lost-answer", 20, true, true, true},
    {"crash", 60, true, true, true},
    {"cut-watch", 60, false, false, false},
    {"stale-list", 2, false, false, false},
    {"other-server", 4, false, false, false},
    {"late-events", 6, false, false, false},
    {"coalesced-events", 3, false, false, false},
    {"compaction", 400, false, false, false},
    {"clock-skew", 2, false, false, false},
}};

constexpr std::array<std::string_view, kWriteKinds> kWriteNames = {"create",
                                                                   "patch",
                                                                   "status",
                                                                   "binding",
                                                                   "eviction",
                                                                   "delete",
                                                                   "lease-create",
                                                                   "lease-patch",
                                                                   "event-create",
                                                                   "event-patch"};

// A lease is created once a run: each of these writes is hit by each fault as often as once in so
// many, or none ever would be.
constexpr std::uint32_t kRareOneIn = 4;

constexpr std::array<std::string_view, kPhases> kPhaseNames = {"before", "during", "after"};

const Description& description(Fault fault) {
  return kDescriptions[static_cast<std::size_t>(fault)];
}

std::uint32_t one_in(Fault fault, WriteKind kind) {
  const std::uint32_t usual = description(fault).one_in;
  return kind == WriteKind::kLeaseCreate ? std::min(usual, kRareOneIn) : usual;
}

}  // namespace

std::string_view name_of(Fault fault) {
  return description(fault).name;
}

std::string_view name_of(WriteKind kind) {
  return kWriteNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

std::optional<Fault> find_fault(std::string_view name) {
  for (std::size_t i = 0; i < kFaults; ++i) {
    if (kDescriptions[i].name == name) {
      return static_cast<Fault>(i);
    }
  }
  return std::nullopt;
}

bool can_hit(Fault fault, Phase phase) {
  const Description& described = description(fault);
  switch (phase) {
    case Phase::kBefore:
      return described.before;
    case Phase::kDuring:
      return described.during;
    case Phase::kAfter:
      return described.after;
  }
  return false;
}

void FaultCounts::add(Fault fault, WriteKind kind, Phase phase) {
  add(fault);
  ++writes_[static_cast<std::size_t>(fault)][static_cast<std::size_t>(kind)]
           [static_cast<std::size_t>(phase)];
}

void FaultCounts::add(Fault fault) {
  ++all_[static_cast<std::size_t>(fault)];
}

void FaultCounts::add(const FaultCounts& other) {
  for (std::size_t fault = 0; fault < kFaults; ++fault) {
    all_[fault] += other.all_[fault];
    for (std::size_t kind = 0; kind < kWriteKinds; ++kind) {
      for (std::size_t phase = 0; phase < kPhases; ++phase) {
        writes_[fault][kind][phase] += other.writes_[fault][kind][phase];
      }
    }
  }
}

std::uint64_t FaultCounts::of(Fault fault, WriteKind kind, Phase phase) const {
  return writes_[static_cast<std::size_t>(fault)][static_cast<std::size_t>(kind)]
                [static_cast<std::size_t>(phase)];
}

Result<FaultSet> FaultSet::parse(std::string_view list) {
  if (list == "all") {
    return all();
  }
  if (list == "none") {
    return none();
  }
  std::uint32_t bits = 0;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    const auto fault = find_fault(name);
    if (!fault) {
      std::string known;
      for (const Description& described : kDescriptions) {
        known.append(known.empty() ? "" : ", ").append(described.name);
      }
      return Error(ErrorCode::kInvalid,
                   fmt::format("'{}' is no fault; there are all, none, {}", name, known));
    }
    bits |= std::uint32_t{1} << static_cast<unsigned>(*fault);
  }
  return FaultSet(bits);
}

std::string FaultSet::text() const {
  if (bits_ == all().bits_) {
    return "all";
  }
  std::string text;
  for (std::size_t i = 0; i < kFaults; ++i) {
    if (has(static_cast<Fault>(i))) {
      text.append(text.empty() ? "" : ",").append(kDescriptions[i].name);
    }
  }
  return text.empty() ? "none" : text;
}

Result<CrashAt> CrashAt::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view digits = text.substr(0, colon);
  CrashAt crash;
  const char* end = digits.data() + digits.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [rest, error] = std::from_chars(digits.data(), end, crash.write);
  if (colon != std::string_view::npos && error == std::errc() && rest == end) {
    for (std::size_t i = 0; i < kPhases; ++i) {
      if (text.substr(colon + 1) == kPhaseNames[i]) {
        crash.phase = static_cast<Phase>(i);
        return crash;
      }
    }
  }
  return Error(ErrorCode::kInvalid,
               fmt::format("'{}' is no crash; expected a number of a write and before, during or "
                           "after, such as 12:during",
                           text));
}

std::string CrashAt::text() const {
  return fmt::format("{}:{}", write, name_of(phase));
}

Faults::Faults(rt::Random random, FaultSet enabled, std::optional<CrashAt> crash_at)
    : random_(random), enabled_(enabled), crash_at_(crash_at) {}

bool Faults::hits(Fault fault) {
  if (!has(fault) || !random_.one_in(description(fault).one_in)) {
    return false;
  }
  counts_.add(fault);
  return true;
}

std::optional<Phase> Faults::draw(Fault fault, WriteKind kind) {
  if (!has(fault) || !random_.one_in(one_in(fault, kind))) {
    return std::nullopt;
  }
  auto phase = static_cast<Phase>(random_.below(kPhases));
  while (!can_hit(fault, phase)) {
    phase = static_cast<Phase>(random_.below(kPhases));
  }
  return phase;
}

std::optional<Phase> Faults::draw_crash(WriteKind kind) {
  if (is_stopped_) {
    return std::nullopt;
  }
  ++writes_;
  if (!crash_at_) {
    return draw(Fault::kCrash, kind);
  }
  return crash_at_->write == writes_ ? std::optional(crash_at_->phase) : std::nullopt;
}

}  // namespace berth::world
