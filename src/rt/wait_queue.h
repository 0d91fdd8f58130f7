// Coroutines that wait for the same thing to happen. The building block of events and channels;
// whoever waits looks again after waking, since the world has moved on.
#pragma once

#include <coroutine>
#include <string_view>

#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/time.h"

namespace berth::rt {

// What may end a wait before the thing waited for happens.
struct Until {
  CancelToken token = {};
  Time deadline = kNever;
};

// co_await gives the Wake. Suspends, unless the token is cancelled already.
class [[nodiscard]] Wait {
 public:
  // `queue` may be nullptr: then only the deadline or the token end it.
  Wait(Runtime& runtime, WaitQueue* queue, std::string_view what, const Until& until)
      : runtime_(runtime), queue_(queue), until_(until), waiter_(runtime.reactor(), what) {}

  bool await_ready() { return is_refused_ = until_.token.is_cancelled(); }
  void await_suspend(std::coroutine_handle<> coroutine);
  Wake await_resume() const { return is_refused_ ? Wake::kCancelled : waiter_.wake(); }

 private:
  Runtime& runtime_;
  WaitQueue* queue_;
  Until until_;
  Waiter waiter_;
  bool is_refused_ = false;
};

class WaitQueue {
 public:
  // `what` names what is waited for and outlives the queue.
  WaitQueue(Runtime& runtime, std::string_view what) : runtime_(runtime), what_(what) {}
  WaitQueue(const WaitQueue&) = delete;
  WaitQueue& operator=(const WaitQueue&) = delete;
  // What is waited for can no longer come: the waits end with Wake::kCancelled, also those that
  // were notified and have not run yet.
  ~WaitQueue();

  Wait wait(const Until& until) { return {runtime_, this, what_, until}; }

  // Wakes one that waits. Should it be given up before it runs, another one is woken in its place,
  // so that no notification is lost.
  void notify_one();
  void notify_all();
  bool has_waiters() const { return !waiting_.empty(); }

 private:
  friend class Wait;
  friend class Waiter;
  friend class Reactor;

  void join(Waiter& waiter);
  // Its wait ended by deadline or token.
  void left(Waiter& waiter);
  // It was notified and runs now.
  void resumed(Waiter& waiter);
  // It is destroyed in the middle of its wait.
  void forget(Waiter& waiter);

  using List = internal::List<Waiter, internal::QueueTag>;

  Runtime& runtime_;
  std::string_view what_;
  List waiting_;
  List notified_;  // and not resumed yet
};

}  // namespace berth::rt
