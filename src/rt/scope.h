// Where tasks that run beside each other belong: no task outlives its scope.
//
//   Scope scope(runtime, "informers");
//   scope.spawn("pods", watch_pods(scope.token()));
//   ...
//   scope.cancel();                    // no new work; every wait below the token ends
//   co_await scope.drain();            // until the last task is done
//
// Destroying a scope gives up what still runs, each task at the await where it stands: that is how
// a crash looks in simulation. A process that ends in order cancels and drains first.
#pragma once

#include <boost/intrusive/list.hpp>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>

#include "rt/cancel.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::rt {

class Scope;

namespace internal {

// The outermost coroutine of a task, which lets go of its frame when it is done.
struct Root {
  struct promise_type;
  std::coroutine_handle<promise_type> coroutine;
};

struct Root::promise_type
    : TaskRecord,
      boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  struct Final {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<promise_type> done) const noexcept;
    void await_resume() const noexcept {}
  };

  Root get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  Final final_suspend() const noexcept { return {}; }
  void return_void() const {}
  [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }

  Scope* scope = nullptr;
  std::optional<Waiter> start;
};

}  // namespace internal

class Scope {
 public:
  // Cancelled when `parent` is.
  Scope(Runtime& runtime, std::string name, CancelToken parent = {});
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  // Not from within one of its own tasks.
  ~Scope();

  // Starts the task with the next turn of the reactor. False, and the task is gone, when the scope
  // is closed.
  bool spawn(const std::string& name, Task<void> task);

  // Refuses new work.
  void close() { is_closed_ = true; }
  // Closes, and asks what runs to end.
  void cancel();
  bool is_closed() const { return is_closed_ || cancel_.is_cancelled(); }

  CancelToken token() { return cancel_.token(); }
  std::size_t size() const { return size_; }

  // Waits until no task is left, or the scope is destroyed; close or cancel first.
  Task<void> drain();

 private:
  using Promise = internal::Root::promise_type;
  friend Promise;

  static internal::Root run(Task<void> task);
  void finished(Promise& root);

  Runtime& runtime_;
  std::string name_;
  CancelSource cancel_;
  bool is_closed_ = false;
  std::size_t size_ = 0;
  boost::intrusive::list<Promise, boost::intrusive::constant_time_size<false>> roots_;
  WaitQueue drained_;
};

}  // namespace berth::rt
