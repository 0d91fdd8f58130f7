// What a decoder costs: processor time a pod, and memory at the highest point.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "decode/modes.h"

namespace berth::bench {

struct Limits {
  // Both are lower bounds of the timed part.
  std::size_t rounds = 5;
  std::chrono::duration<double> seconds{0};
};

struct Measurement {
  std::size_t pods = 0;
  // Of the whole process, a pod, one value for each round.
  std::vector<double> cpu_ns_per_pod;
  // By how much the first round raised the resident memory above what the input takes.
  std::int64_t peak_rss_growth_bytes = 0;
};

// Runs `work` once for the memory and to warm up, then as often as `limits` asks for. The memory is
// right only for the first call in a process: later ones find memory the first has left behind.
Result<Measurement> measure(const Work& work, const Limits& limits);

}  // namespace berth::bench
