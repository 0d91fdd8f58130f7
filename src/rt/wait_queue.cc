#include "rt/wait_queue.h"

#include <coroutine>

#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/time.h"

namespace berth::rt {

void Wait::await_suspend(std::coroutine_handle<> coroutine) {
  if (queue_ != nullptr) {
    queue_->join(waiter_);
  }
  const Time deadline = until_.deadline == kNever ? kNever : runtime_.reactor_time(until_.deadline);
  waiter_.suspend(coroutine, until_.token, deadline);
}

WaitQueue::~WaitQueue() {
  while (!notified_.empty()) {
    Waiter& waiter = notified_.front();
    left(waiter);
    waiter.wake_ = Wake::kCancelled;
  }
  while (!waiting_.empty()) {
    runtime_.reactor().wake(waiting_.front(), Wake::kCancelled);
  }
}

void WaitQueue::notify_one() {
  if (waiting_.empty()) {
    return;
  }
  Waiter& waiter = waiting_.front();
  waiting_.pop_front();
  notified_.push_back(waiter);
  runtime_.reactor().wake(waiter, Wake::kNotified);
}

void WaitQueue::notify_all() {
  while (!waiting_.empty()) {
    notify_one();
  }
}

void WaitQueue::join(Waiter& waiter) {
  waiter.queue_ = this;
  waiting_.push_back(waiter);
}

void WaitQueue::left(Waiter& waiter) {
  waiter.queue_ = nullptr;
  static_cast<internal::Hook<internal::QueueTag>&>(waiter).unlink();
}

void WaitQueue::resumed(Waiter& waiter) {
  left(waiter);
}

void WaitQueue::forget(Waiter& waiter) {
  // Only who was notified is both in the queue and ready.
  const bool was_notified = static_cast<internal::Hook<internal::ReadyTag>&>(waiter).is_linked();
  left(waiter);
  if (was_notified) {
    notify_one();
  }
}

}  // namespace berth::rt
