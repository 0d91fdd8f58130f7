#include "rt/reactor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "rt/cancel.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::rt {
namespace {

constexpr std::uint64_t kShuffleSteps = 8;

}  // namespace

Waiter::~Waiter() {
  reactor_.disarm(*this);
  if (queue_ != nullptr) {
    queue_->forget(*this);
  }
}

void Waiter::suspend(std::coroutine_handle<> coroutine, CancelToken token, Time deadline) {
  coroutine_ = coroutine;
  task_ = reactor_.current_;
  if (task_ != nullptr) {
    task_->waiting = this;
    task_->since = reactor_.now_;
  }
  token.add(*this);
  if (deadline != kNever) {
    reactor_.arm(*this, deadline);
  }
}

void Waiter::suspend_ready(std::coroutine_handle<> coroutine) {
  suspend(coroutine, CancelToken(), kNever);
  reactor_.wake(*this, Wake::kNotified);
}

void Waiter::start(std::coroutine_handle<> coroutine, TaskRecord& task) {
  coroutine_ = coroutine;
  task_ = &task;
  reactor_.make_ready(*this);
}

void Waiter::cancelled() {
  reactor_.wake(*this, Wake::kCancelled);
}

Reactor::~Reactor() {
  BERTH_ASSERT(tasks_.empty(), "scopes are gone before their reactor");
}

bool Reactor::run_one() {
  BERTH_ASSERT(current_ == nullptr, "a coroutine does not run others: it awaits them");
  if (ready_.empty()) {
    return false;
  }
  Waiter& waiter = ready_.front();
  ready_.pop_front();
  if (waiter.queue_ != nullptr) {
    waiter.queue_->resumed(waiter);
  }
  current_ = waiter.task_;
  // The waiter, and with it the task, may be gone when this returns.
  waiter.coroutine_.resume();
  current_ = nullptr;
  return true;
}

void Reactor::wake(Waiter& waiter, Wake reason) {
  waiter.wake_ = reason;
  if (waiter.task_ != nullptr) {
    waiter.task_->waiting = nullptr;
  }
  disarm(waiter);
  static_cast<CancelHook&>(waiter).unlink();
  if (reason != Wake::kNotified && waiter.queue_ != nullptr) {
    waiter.queue_->left(waiter);
  }
  make_ready(waiter);
}

void Reactor::make_ready(Waiter& waiter) {
  const bool was_idle = ready_.empty();
  ready_.insert(place_in_line(), waiter);
  if (was_idle && wake_up_) {
    wake_up_();
  }
}

// Behind all others, or where the draw says: some steps from either end, so that every order of a
// few is possible, at a cost that does not grow with the line.
Reactor::ReadyList::iterator Reactor::place_in_line() {
  if (shuffle_ == nullptr) {
    return ready_.end();
  }
  const bool is_front = shuffle_->one_in(2);
  std::uint64_t steps = shuffle_->below(kShuffleSteps);
  ReadyList::iterator place = is_front ? ready_.begin() : ready_.end();
  const ReadyList::iterator stop = is_front ? ready_.end() : ready_.begin();
  for (; steps > 0 && place != stop; --steps) {
    is_front ? ++place : --place;
  }
  return place;
}

Time Reactor::next_deadline() const {
  return timers_.empty() ? kNever : timers_.front().deadline;
}

void Reactor::fire(Time now) {
  BERTH_ASSERT(now >= now_, "time does not run backwards");
  now_ = now;
  while (!timers_.empty() && timers_.front().deadline <= now) {
    wake(*timers_.front().waiter, Wake::kDeadline);
  }
}

void Reactor::arm(Waiter& waiter, Time deadline) {
  const std::uint64_t order = shuffle_ != nullptr ? shuffle_->next() : ++timers_armed_;
  timers_.push_back({.deadline = deadline, .order = order, .waiter = &waiter});
  waiter.timer_ = timers_.size() - 1;
  sift_up(waiter.timer_);
}

void Reactor::disarm(Waiter& waiter) {
  const std::size_t index = std::exchange(waiter.timer_, Waiter::kNoTimer);
  if (index == Waiter::kNoTimer) {
    return;
  }
  const Timer last = timers_.back();
  timers_.pop_back();
  if (index < timers_.size()) {
    place(index, last);
    sift_up(index);
    sift_down(last.waiter->timer_);
  }
}

void Reactor::place(std::size_t index, const Timer& timer) {
  timers_[index] = timer;
  timer.waiter->timer_ = index;
}

void Reactor::sift_up(std::size_t index) {
  const Timer timer = timers_[index];
  while (index > 0 && timer < timers_[(index - 1) / 2]) {
    place(index, timers_[(index - 1) / 2]);
    index = (index - 1) / 2;
  }
  place(index, timer);
}

void Reactor::sift_down(std::size_t index) {
  const Timer timer = timers_[index];
  while (true) {
    std::size_t child = 2 * index + 1;
    if (child >= timers_.size()) {
      break;
    }
    if (child + 1 < timers_.size() && timers_[child + 1] < timers_[child]) {
      ++child;
    }
    if (!(timers_[child] < timer)) {
      break;
    }
    place(index, timers_[child]);
    index = child;
  }
  place(index, timer);
}

std::vector<std::string> Reactor::waiting_tasks() const {
  std::vector<std::string> lines;
  for (const TaskRecord& task : tasks_) {
    if (task.waiting == nullptr) {
      if (&task != current_) {
        lines.push_back(task.name + ": could run");
      }
      continue;
    }
    const std::chrono::duration<double> since = task.since.time_since_epoch();
    lines.push_back(fmt::format(
        "{}: waits for {} since {:.3f}s", task.name, task.waiting->what(), since.count()));
  }
  std::ranges::sort(lines);
  return lines;
}

}  // namespace berth::rt
