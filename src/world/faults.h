// What can go wrong between a process and its API servers, by name, drawn from a seed, and counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "rt/random.h"

namespace berth::world {

enum class Fault : std::uint8_t {
  kLatency,          // a request, its handling or its answer takes seconds
  kConflict,         // a write is refused as if another one had come first
  kTooManyRequests,  // refused before it is looked at, with a time to stay away
  kServerError,      // refused with an error of the server
  kLostAnswer,       // the caller never hears what became of its write
  kCrash,            // the process ends
  kCutWatch,         // a stream of events ends, in order or as a connection that is lost
  kStaleList,        // a list is as old as the request allows
  kOtherServer,      // the next request goes to another API server, which may know less
  kLateEvents,       // an API server hears of changes seconds after they were made
  kCoalescedEvents,  // a state of an object is skipped because a newer one is known
  kCompaction,       // history is forgotten
  kClockSkew,        // the clock of a process is wrong or runs too fast or too slow
};
inline constexpr std::size_t kFaults = 13;

// "lost-answer"
std::string_view name_of(Fault fault);
std::optional<Fault> find_fault(std::string_view name);

// What a process writes. Leases and Events are told apart from everything else: the toolkit writes
// them, and not who uses it.
enum class WriteKind : std::uint8_t {
  kCreate,
  kPatch,
  kStatus,
  kBinding,
  kEviction,
  kRemove,
  kLeaseCreate,
  kLeasePatch,
  kEventCreate,
  kEventPatch,
};
inline constexpr std::size_t kWriteKinds = 10;
std::string_view name_of(WriteKind kind);

// When a fault hits a write: before it reaches the server, while it is there, or when it has been
// applied and the answer is on its way. A lost answer "during" means that the write lands after its
// sender has been told that its fate is unknown.
enum class Phase : std::uint8_t { kBefore, kDuring, kAfter };
inline constexpr std::size_t kPhases = 3;

// "during"
std::string_view name_of(Phase phase);

// Whether the fault can hit a write in this phase; docs/reference/simulation.md says why where it
// cannot. Faults for which no phase is possible hit reads,
// watches or clocks.
bool can_hit(Fault fault, Phase phase);

class FaultCounts {
 public:
  void add(Fault fault, WriteKind kind, Phase phase);
  void add(Fault fault);
  void add(const FaultCounts& other);

  std::uint64_t of(Fault fault, WriteKind kind, Phase phase) const;
  // Hits on anything.
  std::uint64_t of(Fault fault) const { return all_[static_cast<std::size_t>(fault)]; }

 private:
  std::array<std::uint64_t, kFaults> all_{};
  std::array<std::array<std::array<std::uint64_t, kPhases>, kWriteKinds>, kFaults> writes_{};
};

// Which faults happen.
class FaultSet {
 public:
  static FaultSet none() { return FaultSet(0); }
  static FaultSet all() { return FaultSet((std::uint32_t{1} << kFaults) - 1); }
  // "crash,lost-answer"; "all" and "none" too. kInvalid names what is not a fault.
  static Result<FaultSet> parse(std::string_view list);

  bool has(Fault fault) const { return (bits_ >> static_cast<unsigned>(fault) & 1U) != 0; }
  std::string text() const;

 private:
  explicit FaultSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_;
};

// A crash at the k-th write, instead of all that would be drawn.
struct CrashAt {
  std::uint64_t write = 0;  // 1 is the first; 0: no crash at all
  Phase phase = Phase::kBefore;

  // "12:during"; kInvalid names what is no crash.
  static Result<CrashAt> parse(std::string_view text);
  std::string text() const;
  bool operator==(const CrashAt&) const = default;
};

// Draws the faults of a run and counts those that took effect.
class Faults {
 public:
  Faults(rt::Random random, FaultSet enabled, std::optional<CrashAt> crash_at = {});

  // From now on nothing goes wrong any more.
  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }
  bool has(Fault fault) const { return !is_stopped_ && enabled_.has(fault); }

  // Whether processes crash at times that are drawn, not enumerated.
  bool draws_crashes() const { return has(Fault::kCrash) && !crash_at_; }

  // Whether the fault happens now; counted if so.
  bool hits(Fault fault);
  // In which phase the fault is to hit a write, which has one chance of that. Whoever lets it
  // happen counts it: much can come in between. kCrash is asked for with draw_crash().
  std::optional<Phase> draw(Fault fault, WriteKind kind);
  // The process that sends its next write: when it is to crash, if it is.
  std::optional<Phase> draw_crash(WriteKind kind);
  // A write of a process that is tried was hit.
  void count(Fault fault, WriteKind kind, Phase phase) { counts_.add(fault, kind, phase); }
  // Anything else was.
  void count(Fault fault) { counts_.add(fault); }

  rt::Random& random() { return random_; }
  const FaultCounts& counts() const { return counts_; }
  // Writes of processes that can crash, until everything stopped going wrong.
  std::uint64_t writes() const { return writes_; }

 private:
  rt::Random random_;
  FaultSet enabled_;
  std::optional<CrashAt> crash_at_;
  bool is_stopped_ = false;
  std::uint64_t writes_ = 0;
  FaultCounts counts_;
};

}  // namespace berth::world
