#include "rt/real/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::rt {
namespace {

// How often a pass came to each index.
std::vector<int> visits_of(ThreadPool& pool, std::size_t count, std::size_t chunk) {
  // Not atomic on purpose: every index is one thread's own, and all are done on return.
  std::vector<int> visits(count);
  pool.for_each(count, chunk, [&](std::size_t begin, std::size_t end) {
    ASSERT_LE(end - begin, chunk);
    for (std::size_t i = begin; i < end; ++i) {
      ++visits[i];
    }
  });
  return visits;
}

TEST(ThreadPool, HandlesEachIndexOnce) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    for (const std::size_t count : {0U, 1U, 7U, 64U, 1000U}) {
      for (const std::size_t chunk : {1U, 3U, 64U, 5000U}) {
        EXPECT_EQ(visits_of(pool, count, chunk), std::vector<int>(count, 1))
            << count << "/" << chunk;
      }
    }
  }
}

TEST(ThreadPool, ManyShortPassesInTurnDoNotMix) {
  ThreadPool pool(4);
  std::vector<std::uint64_t> values(32);
  for (std::uint64_t round = 1; round <= 3000; ++round) {
    pool.for_each(values.size(), 1, [&values, round](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        values[i] += round;
      }
    });
  }
  EXPECT_EQ(values, std::vector<std::uint64_t>(32, 3000ULL * 3001 / 2));
}

TEST(ThreadPool, SeveralThreadsWorkOnOnePass) {
  ThreadPool pool(2);
  // Each of the two pieces ends only when the other has begun.
  std::atomic<int> begun = 0;
  pool.for_each(2, 1, [&](std::size_t, std::size_t) {
    ++begun;
    begun.notify_all();
    for (int seen = begun; seen < 2; seen = begun) {
      begun.wait(seen);
    }
  });
  EXPECT_EQ(begun, 2);
}

TEST(ThreadPool, MayGoWithoutEverHavingWorked) {
  for (int i = 0; i < 50; ++i) {
    const ThreadPool pool(3);
  }
}

TEST(ThreadPoolDeathTest, APassDoesNotStartAnother) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        ThreadPool pool(2);
        pool.for_each(4, 1, [&](std::size_t, std::size_t) {
          pool.for_each(4, 1, [](std::size_t, std::size_t) {});
        });
      },
      "a pass does not start another one");
}

}  // namespace
}  // namespace berth::rt
