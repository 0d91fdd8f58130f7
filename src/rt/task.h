// A coroutine that computes a Value and is awaited by one other.
//
//   Task<Result<Pod>> find(ObjectKey key);
//
//   auto pod = co_await find(key);
//
// Lazy: it starts when it is awaited and runs on the thread that awaits it. The frame belongs to
// the Task, and from the await on to the coroutine that awaits. Destroying either gives the work up
// at the await where it stands, with everything it awaits.
//
// Errors are values. An exception that leaves a coroutine comes out of the await of whoever awaits
// it, so that one who runs code of others can make a value of it; where nobody does, the process
// ends.
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "base/assert.h"

namespace berth::rt {

template <typename Value>
class Task;

namespace internal {

class TaskPromiseBase {
 public:
  std::suspend_always initial_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { thrown_ = std::current_exception(); }

  // Goes on with whoever awaits, without growing the stack.
  struct Final {
    bool await_ready() const noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) const noexcept {
      return done.promise().continuation;
    }
    void await_resume() const noexcept {}
  };
  Final final_suspend() const noexcept { return {}; }

  std::coroutine_handle<> continuation;

 protected:
  void pass_on() const {
    if (thrown_) [[unlikely]] {
      std::rethrow_exception(thrown_);
    }
  }

 private:
  std::exception_ptr thrown_;
};

template <typename Value>
class TaskPromise : public TaskPromiseBase {
 public:
  Task<Value> get_return_object();
  // What a function could `return`: no conversion that must be asked for by name.
  template <typename From = Value>
    requires std::convertible_to<From&&, Value>
  void return_value(From&& value) {
    value_.emplace(std::forward<From>(value));
  }
  Value take() {
    pass_on();
    return *std::move(value_);
  }

 private:
  std::optional<Value> value_;
};

template <>
class TaskPromise<void> : public TaskPromiseBase {
 public:
  Task<void> get_return_object();
  void return_void() const {}
  void take() const { pass_on(); }
};

}  // namespace internal

template <typename Value>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::TaskPromise<Value>;

  Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Task() {
    if (coroutine_) {
      coroutine_.destroy();
    }
  }

  // It was moved from, or awaited already.
  bool is_empty() const { return !coroutine_; }

  // The awaiter takes the frame over, so that whoever awaits can never be outlived by it.
  auto operator co_await() && {
    struct Awaiter {
      Task task;

      bool await_ready() const { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> continuation) const {
        task.coroutine_.promise().continuation = continuation;
        return task.coroutine_;
      }
      Value await_resume() const { return task.coroutine_.promise().take(); }
    };
    BERTH_ASSERT(coroutine_, "a task is awaited once");
    return Awaiter{std::move(*this)};
  }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}

  std::coroutine_handle<promise_type> coroutine_;
};

template <typename Value>
Task<Value> internal::TaskPromise<Value>::get_return_object() {
  return Task<Value>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

inline Task<void> internal::TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

}  // namespace berth::rt
