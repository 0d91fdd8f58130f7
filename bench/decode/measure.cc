#include "decode/measure.h"

#include <fmt/format.h>
#include <mimalloc.h>
#include <time.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ostream>
#include <ratio>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "decode/modes.h"

namespace berth::bench {
namespace {

using Nanoseconds = std::chrono::duration<double, std::nano>;

Nanoseconds process_cpu_time() {
  timespec time{};
  // Cannot fail: the clock exists wherever this compiles.
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// A line such as "VmRSS:     1234 kB" of the process's status.
Result<std::int64_t> status_bytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == name) {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  }
  return Error(ErrorCode::kNotFound, fmt::format("no {} in /proc/self/status", name));
}

// getrusage's ru_maxrss would not do: it remembers the making of the input and even the memory of
// the process that started this one.
Result<void> reset_peak_rss() {
  // What the making of the input left free would hide as much of the decoding.
  mi_collect(true);
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5" << std::flush;
  if (!clear) {
    return Error(ErrorCode::kInvalid, "cannot write /proc/self/clear_refs");
  }
  return {};
}

}  // namespace

Result<Measurement> measure(const Work& work, const Limits& limits) {
  Measurement result;
  if (auto reset = reset_peak_rss(); !reset) {
    return std::move(reset).error();
  }
  BERTH_TRY(const std::int64_t before, status_bytes("VmRSS:"));
  BERTH_TRY(result.pods, work());
  BERTH_TRY(const std::int64_t peak, status_bytes("VmHWM:"));
  result.peak_rss_growth_bytes = peak - before;
  if (result.pods == 0) {
    return Error(ErrorCode::kInvalid, "the list is empty");
  }

  const auto begin = std::chrono::steady_clock::now();
  while (result.cpu_ns_per_pod.size() < limits.rounds ||
         std::chrono::steady_clock::now() - begin < limits.seconds) {
    const Nanoseconds start = process_cpu_time();
    BERTH_TRY(const std::size_t pods, work());
    const Nanoseconds spent = process_cpu_time() - start;
    if (pods != result.pods) {
      return Error(ErrorCode::kInvalid, "a round decoded another number of pods than the first");
    }
    result.cpu_ns_per_pod.push_back(spent.count() / static_cast<double>(pods));
  }
  return result;
}

}  // namespace berth::bench
