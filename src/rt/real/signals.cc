#include "rt/real/signals.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/system/error_code.hpp>
#include <deque>
#include <initializer_list>
#include <memory>

#include "base/assert.h"
#include "rt/reactor.h"
#include "rt/real/real_runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::rt {

// Shared with the handler that Asio still has when the owner is gone.
struct Signals::State {
  explicit State(RealRuntime& runtime) : set(runtime.context()), arrived(runtime, "a signal") {}

  boost::asio::signal_set set;
  std::deque<int> numbers;
  WaitQueue arrived;
};

Signals::Signals(RealRuntime& runtime, std::initializer_list<int> numbers)
    : state_(std::make_shared<State>(runtime)) {
  for (const int number : numbers) {
    boost::system::error_code error;
    state_->set.add(number, error);
    BERTH_ASSERT(!error, "only signals that can be caught are waited for");
  }
  listen(state_);
}

Signals::~Signals() {
  boost::system::error_code ignored;
  state_->set.clear(ignored);
  state_->set.cancel(ignored);
}

void Signals::listen(const std::shared_ptr<State>& state) {
  state->set.async_wait(
      [weak = std::weak_ptr(state)](const boost::system::error_code& error, int number) {
        const auto state = weak.lock();
        if (error || !state) {
          return;
        }
        state->numbers.push_back(number);
        state->arrived.notify_one();
        listen(state);
      });
}

Task<int> Signals::next(Until until) {
  const auto state = state_;
  while (state->numbers.empty()) {
    const Wake wake = co_await state->arrived.wait(until);
    if (wake != Wake::kNotified) {
      co_return 0;
    }
  }
  const int number = state->numbers.front();
  state->numbers.pop_front();
  co_return number;
}

}  // namespace berth::rt
