// A mutex whose use the compiler checks (-Wthread-safety): data marked BERTH_GUARDED_BY is touched
// only while its mutex is held. A class that has a Mutex says at it what it guards and which locks
// may be taken while it is held.
//
//   void add(Item item) {
//     const MutexLock lock(mutex_);
//     items_.push_back(std::move(item));
//   }
//   ...
//   mutable Mutex mutex_;
//   std::vector<Item> items_ BERTH_GUARDED_BY(mutex_);
#pragma once

#include <mutex>

#define BERTH_CAPABILITY(name) __attribute__((capability(name)))
#define BERTH_SCOPED_CAPABILITY __attribute__((scoped_lockable))
#define BERTH_GUARDED_BY(mutex) __attribute__((guarded_by(mutex)))
#define BERTH_REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define BERTH_EXCLUDES(...) __attribute__((locks_excluded(__VA_ARGS__)))
#define BERTH_ACQUIRE(...) __attribute__((acquire_capability(__VA_ARGS__)))
#define BERTH_RELEASE(...) __attribute__((release_capability(__VA_ARGS__)))

namespace berth {

class BERTH_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  ~Mutex() = default;

  void lock() BERTH_ACQUIRE() { mutex_.lock(); }
  void unlock() BERTH_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Holds a Mutex for as long as it lives.
class BERTH_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) BERTH_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() BERTH_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace berth
