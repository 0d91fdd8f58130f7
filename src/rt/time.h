// The two kinds of time. Durations and deadlines are measured with the monotonic one; the wall
// clock only goes into objects other programs read.
#pragma once

#include <algorithm>
#include <chrono>

namespace berth::rt {

using Duration = std::chrono::nanoseconds;

// Counts from the start of the runtime. Which clock stands behind it is the runtime's affair.
struct MonotonicClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};

using Time = MonotonicClock::time_point;
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

inline constexpr Time kNever = Time::max();

// So much later, or never when that is beyond all times.
constexpr Time after(Time time, Duration duration) {
  return duration > kNever - std::max(time, Time{}) ? kNever : time + duration;
}

}  // namespace berth::rt
