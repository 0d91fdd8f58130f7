// Waiting for time to pass, and letting others run.
#pragma once

#include <coroutine>

#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::rt {

// Wake::kDeadline when the time has come, Wake::kCancelled when it was cut short.
inline Wait sleep_until(Runtime& runtime, Time time, CancelToken token) {
  return {runtime, nullptr, "a timer", {.token = token, .deadline = time}};
}
inline Wait sleep_for(Runtime& runtime, Duration duration, CancelToken token) {
  return sleep_until(runtime, after(runtime.now(), duration), token);
}

// Lets others run that are ready: all of them, or in a simulation those the draw puts before it.
// For long loops over work that completes at once.
class [[nodiscard]] Yield {
 public:
  explicit Yield(Runtime& runtime) : waiter_(runtime.reactor(), "its turn") {}

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> coroutine) { waiter_.suspend_ready(coroutine); }
  void await_resume() const {}

 private:
  Waiter waiter_;
};

}  // namespace berth::rt
