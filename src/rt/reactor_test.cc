#include "rt/reactor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rt/cancel.h"
#include "rt/random.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::rt {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

// The heap of timers beside a multimap that is told the same.
class TimerModel {
 public:
  TimerModel(std::uint64_t seed, bool is_shuffled) : random_(seed), order_(seed) {
    reactor_.shuffle_with(is_shuffled ? &order_ : nullptr);
  }
  ~TimerModel() {
    waits_.clear();
    EXPECT_EQ(reactor_.next_deadline(), kNever);
  }
  TimerModel(const TimerModel&) = delete;
  TimerModel& operator=(const TimerModel&) = delete;

  void step() {
    const std::uint64_t choice = random_.below(100);
    if (choice < 50) {
      arm();
    } else if (choice < 70) {
      give_up();
    } else if (choice < 80) {
      cancel();
    } else {
      fire();
    }
    const Time expected = deadlines_.empty() ? kNever : deadlines_.begin()->first;
    ASSERT_EQ(reactor_.next_deadline(), expected);
  }

 private:
  struct Armed {
    explicit Armed(Reactor& reactor) : waiter(reactor, "a timer") {}
    CancelSource source;
    Waiter waiter;
  };
  using Waits = std::map<std::uint64_t, std::unique_ptr<Armed>>;

  void arm() {
    // Few different times, so that many are equal; some in the past.
    const Time deadline = reactor_.now() + Duration(random_.between(-3, 40));
    Armed& armed = *waits_.emplace(next_id_, std::make_unique<Armed>(reactor_)).first->second;
    armed.waiter.suspend(std::noop_coroutine(), armed.source.token(), deadline);
    deadlines_.emplace(deadline, next_id_++);
  }

  std::optional<Waits::iterator> any_wait() {
    if (waits_.empty()) {
      return std::nullopt;
    }
    return std::next(waits_.begin(), static_cast<std::ptrdiff_t>(random_.below(waits_.size())));
  }

  void forget_deadline_of(std::uint64_t id) {
    std::erase_if(deadlines_, [&](const auto& entry) { return entry.second == id; });
  }

  void give_up() {
    if (const auto wait = any_wait()) {
      forget_deadline_of((*wait)->first);
      waits_.erase(*wait);
    }
  }

  void cancel() {
    if (const auto wait = any_wait()) {
      forget_deadline_of((*wait)->first);
      (*wait)->second->source.cancel();
      EXPECT_EQ((*wait)->second->waiter.wake(), Wake::kCancelled);
      run_ready();
      waits_.erase(*wait);
    }
  }

  void fire() {
    const Time now = reactor_.now() + Duration(random_.between(0, 20));
    reactor_.fire(now);
    std::size_t fired = 0;
    for (; !deadlines_.empty() && deadlines_.begin()->first <= now; ++fired) {
      const std::uint64_t id = deadlines_.begin()->second;
      EXPECT_EQ(waits_.at(id)->waiter.wake(), Wake::kDeadline);
      deadlines_.erase(deadlines_.begin());
      due_.push_back(id);
    }
    EXPECT_EQ(run_ready(), fired);
    for (const std::uint64_t id : std::exchange(due_, {})) {
      waits_.erase(id);
    }
  }

  std::size_t run_ready() {
    std::size_t count = 0;
    while (reactor_.run_one()) {
      ++count;
    }
    return count;
  }

  Random random_;
  Random order_;
  Reactor reactor_;
  Waits waits_;
  std::multimap<Time, std::uint64_t> deadlines_;
  std::vector<std::uint64_t> due_;
  std::uint64_t next_id_ = 0;
};

TEST(Reactor, TimersFireAsASortedListWould) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TimerModel model(seed, seed % 2 == 0);
    for (int i = 0; i < 2000 && !testing::Test::HasFailure(); ++i) {
      model.step();
    }
  }
}

TEST(Reactor, EqualDeadlinesFireInTheOrderTheyWereArmed) {
  Reactor reactor;
  std::vector<std::unique_ptr<Waiter>> waiters;
  std::vector<int> order;
  struct Note {
    struct promise_type {
      Note get_return_object() {
        return {std::coroutine_handle<promise_type>::from_promise(*this)};
      }
      std::suspend_always initial_suspend() const noexcept { return {}; }
      std::suspend_never final_suspend() const noexcept { return {}; }
      void return_void() const {}
      void unhandled_exception() const {}
    };
    std::coroutine_handle<> coroutine;
  };
  const auto note = [](std::vector<int>* into, int number) -> Note {
    into->push_back(number);
    co_return;
  };
  for (int i = 0; i < 20; ++i) {
    waiters.push_back(std::make_unique<Waiter>(reactor, "a timer"));
    waiters.back()->suspend(note(&order, i).coroutine, {}, Time(seconds(1)));
  }
  reactor.fire(Time(seconds(1)));
  while (reactor.run_one()) {
  }
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(order.size(), 20U);
}

TEST(Reactor, TellsWhenThereIsWorkAgain) {
  Reactor reactor;
  int calls = 0;
  reactor.on_work([&] { ++calls; });
  Waiter first(reactor, "its turn");
  Waiter second(reactor, "its turn");
  first.suspend_ready(std::noop_coroutine());
  second.suspend_ready(std::noop_coroutine());
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(reactor.run_one());
  EXPECT_TRUE(reactor.run_one());
  EXPECT_FALSE(reactor.run_one());
  first.suspend_ready(std::noop_coroutine());
  EXPECT_EQ(calls, 2);
}

TEST(Reactor, AWaiterThatIsReadyAndGivenUpDoesNotRun) {
  Reactor reactor;
  {
    Waiter waiter(reactor, "its turn");
    waiter.suspend_ready(std::noop_coroutine());
    EXPECT_TRUE(reactor.has_ready());
  }
  EXPECT_FALSE(reactor.has_ready());
  EXPECT_FALSE(reactor.run_one());
}

Task<void> note_name(std::string* order, char name) {
  order->push_back(name);
  co_return;
}

TEST(Reactor, AShuffleReachesEveryOrderOfAFew) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Simulation simulation(seed);
    Scope scope(simulation, "test");
    std::string order;
    for (const char name : {'a', 'b', 'c', 'd'}) {
      scope.spawn("task", note_name(&order, name));
    }
    simulation.run_until(kNever);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 24U);
}

Task<void> spin(Simulation* simulation, CancelToken token) {
  while (!token.is_cancelled()) {
    co_await Yield(*simulation);
  }
}

Task<void> cancel_after_turns(Simulation* simulation, CancelSource* source, int turns) {
  for (int i = 0; i < turns; ++i) {
    co_await Yield(*simulation);
  }
  source->cancel();
}

TEST(Reactor, AShuffleStarvesNobody) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Simulation simulation(seed);
    CancelSource source;
    Scope scope(simulation, "test");
    for (int i = 0; i < 50; ++i) {
      scope.spawn("spinner", spin(&simulation, source.token()));
    }
    scope.spawn("last", cancel_after_turns(&simulation, &source, 10));
    int steps = 0;
    while (scope.size() > 0 && steps < 100'000) {
      simulation.step();
      ++steps;
    }
    EXPECT_LT(steps, 100'000) << seed;
  }
}

TEST(Reactor, ATaskThatWasWokenNoLongerWaits) {
  Simulation simulation(1);
  CancelSource source;
  Scope scope(simulation, "test");
  const auto sleeper = [](Simulation* in, CancelToken token) -> Task<void> {
    co_await sleep_for(*in, seconds(9), token);
  };
  scope.spawn("sleeper", sleeper(&simulation, source.token()));
  EXPECT_THAT(simulation.reactor().waiting_tasks(), ElementsAre("test/sleeper: could run"));
  simulation.run_for(seconds(1));
  EXPECT_THAT(simulation.reactor().waiting_tasks(),
              ElementsAre("test/sleeper: waits for a timer since 0.000s"));
  source.cancel();
  EXPECT_THAT(simulation.reactor().waiting_tasks(), ElementsAre("test/sleeper: could run"));
}

TEST(ReactorDeathTest, TimeDoesNotRunBackwards) {
  Reactor reactor;
  reactor.fire(Time(seconds(2)));
  EXPECT_DEATH(reactor.fire(Time(seconds(1))), "time does not run backwards");
}

Task<void> run_others(Simulation* simulation) {
  simulation->step();
  co_return;
}

TEST(ReactorDeathTest, ACoroutineDoesNotRunOthers) {
  Simulation simulation(1);
  Scope scope(simulation, "test");
  scope.spawn("task", run_others(&simulation));
  EXPECT_DEATH(simulation.step(), "a coroutine does not run others");
}

}  // namespace
}  // namespace berth::rt
