#include "rt/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
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

}  // namespace

void Trace::add(Time time, std::string_view line) {
  const std::string text = fmt::format(
      "{:>14.6f} {}\n", std::chrono::duration<double>(time.time_since_epoch()).count(), line);
  for (const char byte : text) {  // FNV-1a
    hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  ++lines_;
  if (sink_) {
    sink_(text);
  }
}

Simulation::Simulation(std::uint64_t seed) : Simulation(Random(seed)) {}

Simulation::Simulation(Random random)
    : Runtime(reactor_), order_(random.fork()), random_(random.fork()) {
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
  if (reactor_.run_one()) {
    return true;
  }
  const Time next = reactor_.next_deadline();
  if (next == kNever || next > end) {
    return false;
  }
  reactor_.fire(std::max(next, now()));
  return true;
}

void Simulation::run_until(Time end) {
  while (step(end)) {
  }
  if (end > now() && end != kNever) {
    reactor_.fire(end);
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
  return !reactor_.has_ready() && reactor_.next_deadline() == kNever;
}

std::string Simulation::stuck_report() const {
  std::string report;
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
