// Passes over immutable data on several threads. One thread's worth is done by the caller.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "rt/pool.h"

namespace berth::rt {

class ThreadPool final : public Pool {
 public:
  // `threads` in all, the caller's included. A pass that throws ends the process.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool() override;

  void for_each(std::size_t count, std::size_t chunk, const Pass& pass) override;

 private:
  // One call of for_each: whoever has time takes the next piece.
  struct Job {
    const Pass* pass;
    std::size_t count;
    std::size_t chunk;
    std::atomic<std::size_t> next{0};
  };

  static void work_on(Job& job) noexcept;
  void serve();
  // Waits for a job that is not `last` and joins it; nullptr when there is no more work.
  Job* join_next(std::uint64_t& last);
  void leave();

  // A worker joins a job once, and the caller waits until all have left. No other lock is taken
  // while it is held, and no pass runs.
  Mutex mutex_;
  std::condition_variable_any changed_;
  Job* job_ BERTH_GUARDED_BY(mutex_) = nullptr;
  std::uint64_t job_number_ BERTH_GUARDED_BY(mutex_) = 0;
  unsigned busy_ BERTH_GUARDED_BY(mutex_) = 0;
  bool is_stopping_ BERTH_GUARDED_BY(mutex_) = false;

  std::vector<std::thread> threads_;  // constant after construction
};

}  // namespace berth::rt
