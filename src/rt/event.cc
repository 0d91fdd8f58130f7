#include "rt/event.h"

#include "rt/reactor.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::rt {

void Event::set() {
  is_set_ = true;
  waiters_.notify_all();
}

Task<Wake> Event::wait(Until until) {
  while (!is_set_) {
    const Wake wake = co_await waiters_.wait(until);
    if (wake != Wake::kNotified) {
      co_return wake;
    }
  }
  co_return Wake::kNotified;
}

}  // namespace berth::rt
