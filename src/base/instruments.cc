#include "base/instruments.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace berth {

std::size_t this_thread_shard() {
  // Process-wide because threads are. It decides where a number is kept, never what it is.
  static std::atomic<std::size_t> threads_seen{0};
  thread_local const std::size_t kShard =
      threads_seen.fetch_add(1, std::memory_order_relaxed) % kInstrumentShards;
  return kShard;
}

std::uint64_t Counter::value() const {
  std::uint64_t sum = 0;
  for (const Shard& shard : shards_) {
    sum += shard.value.load(std::memory_order_relaxed);
  }
  return sum;
}

Histogram::Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)) {
  BERTH_ASSERT(!bounds_.empty() && bounds_.size() <= kHistogramBoundsMax,
               "a histogram has between one bound and what its shards have room for");
  BERTH_ASSERT(
      std::all_of(bounds_.begin(), bounds_.end(), [](double b) { return std::isfinite(b); }),
      "the range above the last bound is implied");
  BERTH_ASSERT(
      std::adjacent_find(bounds_.begin(), bounds_.end(), std::greater_equal<>()) == bounds_.end(),
      "bounds ascend");
}

void Histogram::observe(double value) {
  BERTH_BUG(!std::isnan(value), "an observation is a number");
  if (std::isnan(value)) {
    return;
  }
  const auto range = static_cast<std::size_t>(
      std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin());
  Shard& shard = shards_[this_thread_shard()];
  shard.counts[range].fetch_add(1, std::memory_order_relaxed);
  shard.sum.fetch_add(value, std::memory_order_relaxed);
}

Histogram::Reading Histogram::read() const {
  Reading reading{.counts = std::vector<std::uint64_t>(bounds_.size() + 1, 0)};
  for (const Shard& shard : shards_) {
    for (std::size_t range = 0; range < reading.counts.size(); ++range) {
      reading.counts[range] += shard.counts[range].load(std::memory_order_relaxed);
    }
    reading.sum += shard.sum.load(std::memory_order_relaxed);
  }
  return reading;
}

}  // namespace berth
