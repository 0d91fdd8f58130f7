// Something that has happened or has not. Waiting for it after it has happened does not wait.
#pragma once

#include <string_view>

#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::rt {

class Event {
 public:
  // `what` names it in reports and outlives it.
  Event(Runtime& runtime, std::string_view what) : waiters_(runtime, what) {}

  bool is_set() const { return is_set_; }
  void set();
  // Who was woken by set() and has not run yet goes on waiting.
  void reset() { is_set_ = false; }

  // Wake::kNotified once it is set; Wake::kCancelled also when the event is destroyed.
  Task<Wake> wait(Until until);

 private:
  bool is_set_ = false;
  WaitQueue waiters_;
};

}  // namespace berth::rt
