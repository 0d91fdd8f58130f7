// Keys of objects that need looking at, handed to workers: never one key to two of them at once.
//
//   WorkQueue<std::string> queue(runtime, {});
//   queue.add("default/web-0");                        // from a handler of an informer
//   ...
//   while (auto work = co_await queue.next(until)) {   // a worker
//     const bool is_ok = co_await handle(work->key());
//     is_ok ? work->done() : work->retry();
//   }
//
// A key added while it is handled is handled again afterwards. What is in line, delayed or handled
// is one entry a key, so the queue is bounded by the number of keys. It outlives whoever waits in
// next() and whatever Work it has handed out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "kube/work_queue_state.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube {

// `State` decides; another one than that of work_queue_state.h is for who wants it to decide
// otherwise.
template <typename Key, typename State = WorkQueueState<Key>>
class WorkQueue {
 public:
  // A key in the hands of a worker. Say what came of it; one that is dropped without a word,
  // because its worker was given up, goes back into the line. The queue outlives it.
  class Work {
   public:
    Work(Work&& other) noexcept
        : queue_(std::exchange(other.queue_, nullptr)), key_(std::move(other.key_)) {}
    Work& operator=(Work&& other) noexcept {
      std::swap(queue_, other.queue_);
      std::swap(key_, other.key_);
      return *this;
    }
    ~Work() {
      if (queue_ != nullptr) {
        end(Input::kGiveBack);
      }
    }

    const Key& key() const { return key_; }
    // Handled; earlier failures no longer count.
    void done() {
      BERTH_ASSERT(queue_ != nullptr, "work ends once");
      queue_->forget(key_);
      end(Input::kDone);
    }
    // Failed: to be handled again after its back-off.
    void retry() { end(Input::kRetry); }
    // Handled, and to be looked at again later.
    void again_after(rt::Duration delay) {
      BERTH_ASSERT(queue_ != nullptr, "work ends once");
      queue_->forget(key_);
      queue_->add_after(key_, delay);
      end(Input::kDone);
    }

   private:
    friend class WorkQueue;
    using Input = typename State::InputType;
    Work(WorkQueue* queue, Key key) : queue_(queue), key_(std::move(key)) {}
    void end(Input how) {
      BERTH_ASSERT(queue_ != nullptr, "work ends once");
      std::exchange(queue_, nullptr)->step({.type = how, .key = key_});
    }

    WorkQueue* queue_;
    Key key_;
  };

  WorkQueue(rt::Runtime& runtime, typename State::Options options)
      : runtime_(runtime), state_(std::move(options)), workers_(runtime, "work") {}

  void add(Key key) { step({.type = Input::kAdd, .key = std::move(key)}); }
  void add_after(Key key, rt::Duration delay) {
    step({.type = Input::kAddAfter, .key = std::move(key), .delay = delay});
  }
  void forget(const Key& key) { step({.type = Input::kForget, .key = key}); }
  // Refuses new keys and drops delayed ones; what is in line is still handed out.
  void shut_down() {
    step({.type = Input::kShutDown});
    workers_.notify_all();
  }

  // Nothing when the wait ended before there was work, or the queue is shut down and empty. Who is
  // cancelled gets nothing, also when there are keys in line: they are for others, or for later.
  rt::Task<std::optional<Work>> next(rt::Until until) {
    const PassOn pass_on{this};
    for (bool is_late = false; !until.token.is_cancelled();
         is_late = runtime_.now() >= until.deadline) {
      auto taken = state_.step({.type = Input::kTake}, runtime_.now());
      if (taken.key) {
        co_return Work(this, *std::move(taken.key));
      }
      if (is_late || state_.is_shut_down()) {
        co_return std::nullopt;
      }
      const rt::Wake wake = co_await workers_.wait(
          {.token = until.token, .deadline = std::min(state_.next_due(), until.deadline)});
      if (wake == rt::Wake::kCancelled) {
        co_return std::nullopt;
      }
    }
    co_return std::nullopt;
  }

  // Keys in line, delayed, handled, or remembered because they failed.
  std::size_t size() const { return state_.size(); }
  std::uint32_t failures(const Key& key) const { return state_.failures(key); }

 private:
  using Input = typename State::InputType;

  // One of those who wait knows when the next delayed key is due. Who stops waiting, for whatever
  // reason, hands that on.
  struct PassOn {
    WorkQueue* queue;
    ~PassOn() {
      if (queue->state_.has_waiting() || queue->state_.next_due() != rt::kNever) {
        queue->workers_.notify_one();
      }
    }
  };

  void step(const typename State::Input& input) {
    if (state_.step(input, runtime_.now()).has_news) {
      workers_.notify_one();
    }
  }

  rt::Runtime& runtime_;
  State state_;
  rt::WaitQueue workers_;
};

}  // namespace berth::kube
