#include "rt/scope.h"

#include <coroutine>
#include <string>
#include <utility>

#include "base/assert.h"
#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::rt {

void internal::Root::promise_type::Final::await_suspend(
    std::coroutine_handle<promise_type> done) const noexcept {
  done.promise().scope->finished(done.promise());
}

Scope::Scope(Runtime& runtime, std::string name, CancelToken parent)
    : runtime_(runtime),
      name_(std::move(name)),
      cancel_(parent),
      drained_(runtime, "the last task of a scope") {}

Scope::~Scope() {
  close();
  while (!roots_.empty()) {
    Promise& root = roots_.front();
    BERTH_ASSERT(runtime_.reactor().current() != &root, "a task does not destroy its own scope");
    roots_.pop_front();
    std::coroutine_handle<Promise>::from_promise(root).destroy();
  }
}

bool Scope::spawn(const std::string& name, Task<void> task) {
  if (is_closed()) {
    return false;
  }
  const internal::Root root = run(std::move(task));
  Promise& promise = root.coroutine.promise();
  promise.scope = this;
  promise.name = name_ + "/" + name;
  roots_.push_back(promise);
  ++size_;
  runtime_.reactor().add(promise);
  promise.start.emplace(runtime_.reactor(), "its start");
  promise.start->start(root.coroutine, promise);
  return true;
}

void Scope::cancel() {
  close();
  cancel_.cancel();
}

Task<void> Scope::drain() {
  BERTH_ASSERT(is_closed(), "a scope that takes new work need never be empty");
  while (size_ > 0) {
    // No deadline: tasks end when they are cancelled, and a stuck one is named by the runtime.
    const Wake wake = co_await drained_.wait({});
    if (wake == Wake::kCancelled) {
      co_return;  // the scope is gone, and its tasks with it
    }
  }
}

internal::Root Scope::run(Task<void> task) {
  co_await std::move(task);
}

void Scope::finished(Promise& root) {
  --size_;
  std::coroutine_handle<Promise>::from_promise(root).destroy();
  if (size_ == 0) {
    drained_.notify_all();
  }
}

}  // namespace berth::rt
