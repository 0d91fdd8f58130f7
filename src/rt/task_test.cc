#include "rt/task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/time.h"

namespace berth::rt {
namespace {

static_assert(!std::is_copy_constructible_v<Task<int>>);
static_assert(std::is_nothrow_move_constructible_v<Task<int>>);
static_assert(std::is_nothrow_move_assignable_v<Task<int>>);

// Runs a task to its end and returns what it gave.
template <typename Value>
Task<void> keep(Task<Value> task, std::optional<Value>* kept) {
  kept->emplace(co_await std::move(task));
}

template <typename Value>
std::optional<Value> result_of(Task<Value> task) {
  std::optional<Value> kept;
  Simulation simulation(1);
  Scope scope(simulation, "test");
  scope.spawn("task", keep(std::move(task), &kept));
  simulation.run_until(kNever);
  return kept;
}

// No default constructor, cannot be copied.
struct Ticket {
  explicit Ticket(int its_number) : number(std::make_unique<int>(its_number)) {}
  std::unique_ptr<int> number;
};

Task<Ticket> make_ticket(int number) {
  Ticket ticket(number);
  co_return ticket;
}

TEST(Task, GivesAValueThatCanOnlyBeMoved) {
  const std::optional<Ticket> ticket = result_of(make_ticket(7));
  ASSERT_TRUE(ticket);
  EXPECT_EQ(*ticket->number, 7);
}

Task<Result<std::string>> name_of(bool is_known) {
  if (!is_known) {
    co_return Error(ErrorCode::kNotFound, "no such pod");
  }
  co_return std::string("web-0");
}

TEST(Task, GivesAResultFromAValueOrAnError) {
  const std::optional<Result<std::string>> known = result_of(name_of(true));
  const std::optional<Result<std::string>> unknown = result_of(name_of(false));
  ASSERT_TRUE(known && *known);
  EXPECT_EQ(**known, "web-0");
  ASSERT_TRUE(unknown && !*unknown);
  EXPECT_EQ(unknown->error().code(), ErrorCode::kNotFound);
}

Task<std::vector<int>> nothing() {
  co_return {};
}

TEST(Task, GivesAnEmptyValueForEmptyBraces) {
  const std::optional<std::vector<int>> values = result_of(nothing());
  ASSERT_TRUE(values);
  EXPECT_TRUE(values->empty());
}

template <typename Value, typename From>
concept Returnable =
    requires(typename Task<Value>::promise_type& promise) { promise.return_value(From{}); };
static_assert(Returnable<std::optional<int>, int>);
// `co_return 5` must not mean five elements.
static_assert(!Returnable<std::vector<int>, int>);

// Counts how many of its kind are alive.
class Alive {
 public:
  explicit Alive(int* count) : count_(count) { ++*count_; }
  Alive(Alive&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  Alive& operator=(Alive&&) = delete;
  ~Alive() {
    if (count_ != nullptr) {
      --*count_;
    }
  }

 private:
  int* count_;
};

Task<int> hold(Alive, int* runs) {
  ++*runs;
  co_return *runs;
}

TEST(Task, DoesNotStartBeforeItIsAwaited) {
  int alive = 0;
  int runs = 0;
  {
    const Task<int> task = hold(Alive(&alive), &runs);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(runs, 0);
}

TEST(Task, TheFrameFollowsTheTaskThatIsMoved) {
  int alive = 0;
  int runs = 0;
  {
    Task<int> first = hold(Alive(&alive), &runs);
    Task<int> second = hold(Alive(&alive), &runs);
    Task<int> third(std::move(first));
    EXPECT_EQ(alive, 2);
    second = std::move(third);
    third = hold(Alive(&alive), &runs);
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 0);
}

Task<void> await_and_count(Task<int> task, int* alive, std::vector<int>* seen) {
  co_await std::move(task);
  seen->push_back(*alive);
}

TEST(Task, AFrameIsFreedAsSoonAsItsValueIsTaken) {
  int alive = 0;
  int runs = 0;
  std::vector<int> seen;
  Simulation simulation(1);
  Scope scope(simulation, "test");
  scope.spawn("task", await_and_count(hold(Alive(&alive), &runs), &alive, &seen));
  simulation.run_until(kNever);
  EXPECT_EQ(seen, std::vector<int>{0});
}

Task<void> sleep_holding(Simulation* simulation, Alive, bool* is_done) {
  co_await sleep_for(*simulation, std::chrono::seconds(10), {});
  *is_done = true;
}

// The task is kept by somebody else than the one who awaits it.
Task<void> await_kept(Task<void>* kept) {
  co_await std::move(*kept);
}

TEST(Task, IsGivenUpWithWhoeverAwaitsItEvenIfKeptElsewhere) {
  int alive = 0;
  bool is_done = false;
  Simulation simulation(1);
  Task<void> kept = sleep_holding(&simulation, Alive(&alive), &is_done);
  {
    Scope scope(simulation, "test");
    scope.spawn("task", await_kept(&kept));
    simulation.run_for(std::chrono::seconds(1));
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
  simulation.run_until(kNever);
  EXPECT_FALSE(is_done);
}

Task<void> await_twice(Task<int>* task) {
  co_await std::move(*task);
  co_await std::move(*task);
}

TEST(TaskDeathTest, IsAwaitedOnce) {
  int alive = 0;
  int runs = 0;
  EXPECT_DEATH(
      {
        Simulation simulation(1);
        Task<int> task = hold(Alive(&alive), &runs);
        Scope scope(simulation, "test");
        scope.spawn("task", await_twice(&task));
        simulation.run_until(kNever);
      },
      "a task is awaited once");
}

Task<int> look_beyond(Simulation* simulation, Alive) {
  co_await Yield(*simulation);
  co_return std::vector<int>().at(1);
}

Task<void> catch_it(Simulation* simulation, int* alive, std::string* caught) {
  try {
    static_cast<void>(co_await look_beyond(simulation, Alive(alive)));
  } catch (const std::out_of_range&) {
    *caught = "out of range";
  }
}

TEST(Task, AnExceptionComesOutOfTheAwait) {
  int alive = 0;
  std::string caught;
  Simulation simulation(1);
  Scope scope(simulation, "test");
  scope.spawn("task", catch_it(&simulation, &alive, &caught));
  simulation.run_until(kNever);
  EXPECT_EQ(caught, "out of range");
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(scope.size(), 0U);
}

Task<void> let_it_pass(Simulation* simulation, int* alive) {
  static_cast<void>(co_await look_beyond(simulation, Alive(alive)));
}

TEST(TaskDeathTest, AnExceptionThatNobodyCatchesEndsTheProcess) {
  int alive = 0;
  EXPECT_DEATH(
      {
        Simulation simulation(1);
        Scope scope(simulation, "test");
        scope.spawn("task", let_it_pass(&simulation, &alive));
        simulation.run_until(kNever);
      },
      "");
}

TEST(Task, IsEmptyOnceItWasMovedFrom) {
  int alive = 0;
  int runs = 0;
  Task<int> task = hold(Alive(&alive), &runs);
  EXPECT_FALSE(task.is_empty());
  const Task<int> other = std::move(task);
  EXPECT_TRUE(task.is_empty());  // NOLINT(bugprone-use-after-move): that is what it is about
  EXPECT_FALSE(other.is_empty());
}

// Where the stack stands in here.
[[gnu::noinline]] std::uintptr_t stack_place() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

Task<std::uintptr_t> ready() {
  co_return stack_place();
}

Task<void> await_many(int count, std::size_t* span) {
  const std::uintptr_t first = co_await ready();
  for (int i = 1; i < count; ++i) {
    const std::uintptr_t now = co_await ready();
    const std::uintptr_t distance = now > first ? now - first : first - now;
    *span = std::max<std::size_t>(*span, distance);
  }
}

TEST(Task, AMillionAwaitsThatAreReadyDoNotGrowTheStack) {
  std::size_t span = 0;
  Simulation simulation(1);
  Scope scope(simulation, "test");
  scope.spawn("task", await_many(1'000'000, &span));
  simulation.run_until(kNever);
  EXPECT_EQ(scope.size(), 0U);
  EXPECT_LT(span, 4096U);
}

Task<int> depth(Simulation* simulation, int left) {
  if (left == 0) {
    co_await Yield(*simulation);
    co_return 0;
  }
  const int below = co_await depth(simulation, left - 1);
  co_return below + 1;
}

TEST(Task, AChainUnwindsWithoutGrowingTheStack) {
  // Built up by symmetric transfer, and each end goes on with the one above in the same way.
  Simulation simulation(1);
  Scope scope(simulation, "test");
  std::optional<int> reached;
  scope.spawn("task", keep(depth(&simulation, 20'000), &reached));
  simulation.run_until(kNever);
  EXPECT_EQ(reached, 20'000);
}

}  // namespace
}  // namespace berth::rt
