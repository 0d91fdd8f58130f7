// The heart of a runtime: which suspended coroutine runs next, and which wakes when.
//
// One thread owns a reactor and everything that waits on it. A coroutine that waits has a Waiter in
// its frame; destroying the frame takes it out of every list, so a task can be given up at any
// await. Who drives a reactor (Asio, or a simulation) calls fire() and run_one().
#pragma once

#include <boost/intrusive/list.hpp>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rt/cancel.h"
#include "rt/random.h"
#include "rt/time.h"

namespace berth::rt {

class Reactor;
class WaitQueue;
class Waiter;

// Why a wait ended.
enum class Wake : std::uint8_t { kNotified, kDeadline, kCancelled };

namespace internal {
struct ReadyTag;
struct QueueTag;
struct TasksTag;
template <typename Tag>
using Hook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<Tag>,
                                     boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
template <typename Item, typename Tag>
using List = boost::intrusive::
    list<Item, boost::intrusive::base_hook<Hook<Tag>>, boost::intrusive::constant_time_size<false>>;
}  // namespace internal

// One task of a scope, for those who ask what everybody waits for.
struct TaskRecord : internal::Hook<internal::TasksTag> {
  std::string name;
  const Waiter* waiting = nullptr;  // nullptr while it runs or is about to
  Time since{};                     // when it began to wait
};

// A coroutine that is suspended, or about to be. Lives in its frame and stays where it is.
class Waiter final : public internal::Hook<internal::ReadyTag>,
                     public internal::Hook<internal::QueueTag>,
                     private CancelHook {
 public:
  // `what` lives as long as the waiter: it names the thing waited for.
  Waiter(Reactor& reactor, std::string_view what) : reactor_(reactor), what_(what) {}
  ~Waiter() override;

  std::string_view what() const { return what_; }
  Wake wake() const { return wake_; }

  // Before suspending: who may end the wait, besides a queue. `deadline` is the reactor's time.
  void suspend(std::coroutine_handle<> coroutine, CancelToken token, Time deadline);
  // Runs again as soon as it is its turn.
  void suspend_ready(std::coroutine_handle<> coroutine);
  // Runs for the first time as soon as it is its turn.
  void start(std::coroutine_handle<> coroutine, TaskRecord& task);

 private:
  friend class Reactor;
  friend class WaitQueue;
  static constexpr std::size_t kNoTimer = ~std::size_t{0};

  void cancelled() override;

  Reactor& reactor_;
  std::string_view what_;
  std::coroutine_handle<> coroutine_;
  TaskRecord* task_ = nullptr;
  WaitQueue* queue_ = nullptr;
  std::size_t timer_ = kNoTimer;  // its place in the reactor's heap
  Wake wake_ = Wake::kNotified;
};

class Reactor {
 public:
  Reactor() = default;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;
  ~Reactor();

  // Draws the order in which coroutines run and equal deadlines fire, instead of first come, first
  // served: no code may depend on it, and a simulation tries many.
  void shuffle_with(Random* random) { shuffle_ = random; }
  // Called when something becomes ready while nothing was.
  void on_work(std::function<void()> wake_up) { wake_up_ = std::move(wake_up); }

  bool has_ready() const { return !ready_.empty(); }
  // Resumes one coroutine until it waits again. False when none is ready.
  bool run_one();
  // The earliest deadline anybody waits for, or kNever.
  Time next_deadline() const;
  // Ends the waits whose deadline has come and notes the time.
  void fire(Time now);
  Time now() const { return now_; }

  // The task that runs, or nullptr outside of run_one().
  const TaskRecord* current() const { return current_; }
  void add(TaskRecord& task) { tasks_.push_back(task); }

  // A line a task but the running one: for what it waits since when, or that it could run; by name.
  std::vector<std::string> waiting_tasks() const;

 private:
  friend class Waiter;
  friend class WaitQueue;

  using ReadyList = internal::List<Waiter, internal::ReadyTag>;

  struct Timer {
    Time deadline;
    std::uint64_t order;  // among equal deadlines
    Waiter* waiter;

    bool operator<(const Timer& other) const {
      return deadline != other.deadline ? deadline < other.deadline : order < other.order;
    }
  };

  void wake(Waiter& waiter, Wake reason);
  void make_ready(Waiter& waiter);
  ReadyList::iterator place_in_line();
  void arm(Waiter& waiter, Time deadline);
  void disarm(Waiter& waiter);
  void place(std::size_t index, const Timer& timer);
  void sift_up(std::size_t index);
  void sift_down(std::size_t index);

  Time now_{};
  ReadyList ready_;
  std::vector<Timer> timers_;  // a heap, earliest first
  std::uint64_t timers_armed_ = 0;
  internal::List<TaskRecord, internal::TasksTag> tasks_;
  TaskRecord* current_ = nullptr;
  Random* shuffle_ = nullptr;
  std::function<void()> wake_up_;
};

}  // namespace berth::rt
