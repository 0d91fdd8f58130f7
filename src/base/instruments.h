// What a metric counts with. Any thread may use an instrument at any time; counting takes no lock.
//
// A counter and a histogram are split into shards, one cache line or more each, so that threads
// which count the same thing do not take the line from each other; reading adds the shards up. What
// is read while others count is a value somewhere between before and after.
//
// Instruments belong to a MetricsRegistry (metrics.h), which hands out references.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth {

inline constexpr std::size_t kCacheLineBytes = 64;
// Enough that the worker pool of a large machine rarely shares a shard; a counter is 512 bytes.
inline constexpr std::size_t kInstrumentShards = 8;
// With the bucket for everything above, a shard's buckets fill four cache lines.
inline constexpr std::size_t kHistogramBoundsMax = 31;

// The shard of the calling thread: threads are numbered in the order in which they first count.
std::size_t this_thread_shard();

// Only goes up.
class Counter {
 public:
  void add(std::uint64_t amount = 1) {
    shards_[this_thread_shard()].value.fetch_add(amount, std::memory_order_relaxed);
  }
  std::uint64_t value() const;

 private:
  struct alignas(kCacheLineBytes) Shard {
    std::atomic<std::uint64_t> value{0};
  };
  std::array<Shard, kInstrumentShards> shards_;
};

// Goes up and down. Not sharded: set() must have one place to write to.
class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void add(double amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  alignas(kCacheLineBytes) std::atomic<double> value_{0};
};

// How often values fell into each of a few ranges, and their sum.
class Histogram {
 public:
  // The upper bounds of the ranges, each included in its own: finite, ascending, at least one and
  // at most kHistogramBoundsMax. Values above the last fall into one more range.
  explicit Histogram(std::vector<double> bounds);

  // NaN is a bug of the caller and not counted.
  void observe(double value);

  struct Reading {
    std::vector<std::uint64_t> counts;  // per range, the one above the last bound included
    double sum = 0;
  };
  Reading read() const;
  const std::vector<double>& bounds() const { return bounds_; }

 private:
  struct alignas(kCacheLineBytes) Shard {
    std::array<std::atomic<std::uint64_t>, kHistogramBoundsMax + 1> counts{};
    std::atomic<double> sum{0};
  };

  const std::vector<double> bounds_;
  std::array<Shard, kInstrumentShards> shards_;
};

}  // namespace berth
