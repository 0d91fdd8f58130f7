#include "rt/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "rt/random.h"
#include "rt/runtime.h"
#include "rt/time.h"

namespace berth::rt {
namespace {

// When simulations begin: far from today, so that a real clock that slipped in is seen.
constexpr WallTime kBeginning{std::chrono::sys_days{std::chrono::January / 1 / 2040}};

constexpr std::int64_t kMillion = 1'000'000;

// Products of a time and a rate.
__extension__ using Wide = __int128;

// How a clock that runs `ppm` too fast shows the time: truth * (1 + ppm / 1,000,000), rounded down.
std::int64_t shown(std::int64_t truth, std::int64_t ppm) {
  return static_cast<std::int64_t>(Wide{truth} * (kMillion + ppm) / kMillion);
}

// The first true time at which such a clock shows `local`, or kNever when that is too far away.
Time first_shown(std::int64_t local, std::int64_t ppm) {
  const std::int64_t rate = kMillion + ppm;
  const Wide truth = (Wide{local} * kMillion + (rate - 1)) / rate;
  const Wide last = kNever.time_since_epoch().count();
  return Time(Duration(static_cast<std::int64_t>(std::min(truth, last))));
}

// FNV-1a, eight bytes at a time.
std::uint64_t hashed(std::uint64_t hash, std::string_view text) {
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = std::min(text.size(), sizeof(word));
    std::memcpy(&word, text.data(), size);
    hash = (hash ^ word) * 0x100000001b3;
    // The product carries upwards only.
    hash ^= hash >> 32U;
    text.remove_prefix(size);
  }
  return hash;
}

}  // namespace

void Trace::add(Time time, std::string_view line) {
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  fmt::memory_buffer text;
  fmt::format_to(
      std::back_inserter(text), "{:>7}.{:06} {}\n", micros / kMillion, micros % kMillion, line);
  hash_ = hashed(hash_, {text.data(), text.size()});
  ++lines_;
  if (sink_) {
    sink_({text.data(), text.size()});
  }
}

Simulation::Simulation(std::uint64_t seed, std::uint64_t steps_per_moment_max)
    : Simulation(Random(seed), steps_per_moment_max) {}

Simulation::Simulation(Random random, std::uint64_t steps_per_moment_max)
    : Runtime(reactor_),
      order_(random.fork()),
      random_(random.fork()),
      steps_per_moment_max_(steps_per_moment_max) {
  reactor_.shuffle_with(&order_);
}

Simulation::~Simulation() {
  reactor_.shuffle_with(nullptr);
}

WallTime Simulation::wall_now() const {
  return kBeginning + std::chrono::floor<std::chrono::microseconds>(now().time_since_epoch());
}

void Simulation::note(std::string_view who, std::string_view what) {
  trace_.add(now(), fmt::format("{}: {}", who, what));
}

bool Simulation::step(Time end) {
  if (has_moment_without_end()) {
    return false;
  }
  if (reactor_.run_one()) {
    ++steps_in_moment_;
    return true;
  }
  const Time next = reactor_.next_deadline();
  if (next == kNever || next > end) {
    return false;
  }
  fire(std::max(next, now()));
  return true;
}

void Simulation::fire(Time time) {
  if (time > now()) {
    steps_in_moment_ = 0;
  }
  reactor_.fire(time);
}

void Simulation::run_until(Time end) {
  while (step(end)) {
  }
  if (end > now() && end != kNever && !has_moment_without_end()) {
    fire(end);
  }
}

bool Simulation::run_until(const std::function<bool()>& is_done, Time end) {
  while (!is_done()) {
    if (!step(end)) {
      return false;
    }
  }
  return true;
}

bool Simulation::is_stuck() const {
  return has_moment_without_end() || (!reactor_.has_ready() && reactor_.next_deadline() == kNever);
}

std::string Simulation::stuck_report() const {
  std::string report;
  if (has_moment_without_end()) {
    report = fmt::format("{} steps and time does not move\n", steps_in_moment_);
  }
  for (const std::string& line : reactor_.waiting_tasks()) {
    report += line + "\n";
  }
  return report;
}

SimulatedProcess::SimulatedProcess(Simulation& simulation, Clock clock)
    : Runtime(simulation.reactor()),
      simulation_(simulation),
      clock_(clock),
      random_(simulation.random().fork()) {
  BERTH_ASSERT(clock.ppm > -kMillion, "a clock does not stand still");
}

Time SimulatedProcess::now() const {
  return Time(Duration(shown(simulation_.now().time_since_epoch().count(), clock_.ppm)));
}

WallTime SimulatedProcess::wall_now() const {
  return kBeginning +
         std::chrono::floor<std::chrono::microseconds>(now().time_since_epoch() + clock_.offset);
}

Time SimulatedProcess::reactor_time(Time local) const {
  // All clocks began at zero; what lies before has been.
  return first_shown(std::max<std::int64_t>(0, local.time_since_epoch().count()), clock_.ppm);
}

}  // namespace berth::rt
