#include "rt/real/thread_pool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "base/assert.h"
#include "base/mutex.h"

namespace berth::rt {

ThreadPool::ThreadPool(unsigned threads) {
  BERTH_ASSERT(threads > 0, "the caller is one of them");
  for (unsigned i = 1; i < threads; ++i) {
    threads_.emplace_back([this] { serve(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void ThreadPool::for_each(std::size_t count, std::size_t chunk, const Pass& pass) {
  BERTH_ASSERT(chunk > 0, "a piece is not empty");
  Job job{.pass = &pass, .count = count, .chunk = chunk};
  if (count <= chunk || threads_.empty()) {
    work_on(job);
    return;
  }
  {
    const MutexLock lock(mutex_);
    BERTH_ASSERT(job_ == nullptr, "a pass does not start another one");
    job_ = &job;
    ++job_number_;
  }
  changed_.notify_all();
  work_on(job);
  const MutexLock lock(mutex_);
  job_ = nullptr;  // who has not joined yet finds nothing to do
  while (busy_ != 0) {
    changed_.wait(mutex_);
  }
}

void ThreadPool::work_on(Job& job) noexcept {
  while (true) {
    const std::size_t begin = job.next.fetch_add(job.chunk);
    if (begin >= job.count) {
      return;
    }
    (*job.pass)(begin, std::min(job.count, begin + job.chunk));
  }
}

void ThreadPool::serve() {
  std::uint64_t last = 0;
  while (Job* job = join_next(last)) {
    work_on(*job);
    leave();
  }
}

ThreadPool::Job* ThreadPool::join_next(std::uint64_t& last) {
  const MutexLock lock(mutex_);
  while (!is_stopping_ && (job_ == nullptr || job_number_ == last)) {
    changed_.wait(mutex_);
  }
  if (is_stopping_) {
    return nullptr;
  }
  last = job_number_;
  ++busy_;
  return job_;
}

void ThreadPool::leave() {
  const MutexLock lock(mutex_);
  if (--busy_ == 0) {
    changed_.notify_all();
  }
}

}  // namespace berth::rt
