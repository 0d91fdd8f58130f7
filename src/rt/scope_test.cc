#include "rt/scope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rt/cancel.h"
#include "rt/channel.h"
#include "rt/event.h"
#include "rt/every_step.h"
#include "rt/reactor.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::rt {
namespace {

using std::chrono::seconds;

// Does something when the frame it lives in goes.
class AtEnd {
 public:
  explicit AtEnd(std::function<void()> then) : then_(std::move(then)) {}
  AtEnd(AtEnd&& other) noexcept : then_(std::exchange(other.then_, nullptr)) {}
  AtEnd& operator=(AtEnd&&) = delete;
  ~AtEnd() {
    if (then_) {
      then_();
    }
  }

 private:
  std::function<void()> then_;
};

Task<void> sleep_then_end(Simulation* simulation, Duration duration, CancelToken token, AtEnd) {
  co_await sleep_for(*simulation, duration, token);
}

Task<void> at_once(int* runs) {
  ++*runs;
  co_return;
}

Task<void> drain_and_note(Scope* scope, bool* is_drained) {
  co_await scope->drain();
  *is_drained = true;
}

TEST(Scope, StartsATaskWithTheNextTurn) {
  Simulation simulation(1);
  Scope scope(simulation, "test");
  int runs = 0;
  EXPECT_TRUE(scope.spawn("task", at_once(&runs)));
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(scope.size(), 1U);
  simulation.run_until(kNever);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(scope.size(), 0U);
}

TEST(Scope, ATaskKnowsItsName) {
  Simulation simulation(1);
  Scope scope(simulation, "dock");
  std::string name;
  const auto look = [](Simulation* in, std::string* into) -> Task<void> {
    *into = in->reactor().current()->name;
    co_return;
  };
  scope.spawn("crane", look(&simulation, &name));
  simulation.run_until(kNever);
  EXPECT_EQ(name, "dock/crane");
  EXPECT_EQ(simulation.reactor().current(), nullptr);
}

TEST(Scope, AClosedOneRefusesNewWorkAndLetsTheOldEnd) {
  Simulation simulation(1);
  Scope scope(simulation, "test");
  int runs = 0;
  scope.spawn("old", at_once(&runs));
  scope.close();
  bool is_gone = false;
  EXPECT_FALSE(scope.spawn(
      "new", sleep_then_end(&simulation, seconds(1), {}, AtEnd([&] { is_gone = true; }))));
  EXPECT_TRUE(is_gone);
  simulation.run_until(kNever);
  EXPECT_EQ(runs, 1);
}

TEST(Scope, CancellingEndsTheWaitsBelowAndRefusesNewWork) {
  Simulation simulation(1);
  CancelSource parent;
  Scope scope(simulation, "test", parent.token());
  bool is_gone = false;
  scope.spawn(
      "sleeper",
      sleep_then_end(&simulation, seconds(99), scope.token(), AtEnd([&] { is_gone = true; })));
  simulation.run_for(seconds(1));
  parent.cancel();
  EXPECT_TRUE(scope.is_closed());
  int runs = 0;
  EXPECT_FALSE(scope.spawn("new", at_once(&runs)));
  simulation.run_for(seconds(0));
  EXPECT_TRUE(is_gone);
  EXPECT_EQ(scope.size(), 0U);
}

TEST(Scope, DestroyingItGivesUpWhatRunsInTheOrderItWasSpawned) {
  Simulation simulation(1);
  std::vector<int> ended;
  {
    Scope scope(simulation, "test");
    for (int i = 0; i < 3; ++i) {
      scope.spawn(
          "sleeper",
          sleep_then_end(&simulation, seconds(9), {}, AtEnd([&ended, i] { ended.push_back(i); })));
    }
    simulation.run_for(seconds(1));
    // One that never started.
    scope.spawn("late",
                sleep_then_end(&simulation, seconds(9), {}, AtEnd([&] { ended.push_back(3); })));
  }
  EXPECT_EQ(ended, (std::vector{0, 1, 2, 3}));
  EXPECT_TRUE(simulation.is_stuck());
}

TEST(Scope, DrainWaitsForTheLastTask) {
  Simulation simulation(1);
  Scope scope(simulation, "test");
  Scope outer(simulation, "outer");
  scope.spawn("short", sleep_then_end(&simulation, seconds(1), {}, AtEnd({})));
  scope.spawn("long", sleep_then_end(&simulation, seconds(5), {}, AtEnd({})));
  scope.close();
  bool is_drained = false;
  bool is_drained_too = false;
  outer.spawn("drainer", drain_and_note(&scope, &is_drained));
  outer.spawn("another", drain_and_note(&scope, &is_drained_too));
  simulation.run_for(seconds(4));
  EXPECT_FALSE(is_drained);
  simulation.run_for(seconds(1));
  EXPECT_TRUE(is_drained && is_drained_too);
}

TEST(Scope, DrainOfAnEmptyOneDoesNotWait) {
  Simulation simulation(1);
  Scope scope(simulation, "test");
  Scope outer(simulation, "outer");
  scope.cancel();
  bool is_drained = false;
  outer.spawn("drainer", drain_and_note(&scope, &is_drained));
  simulation.run_for(seconds(0));
  EXPECT_TRUE(is_drained);
}

TEST(Scope, ADestructorOfATaskMaySpawnAndCancel) {
  Simulation simulation(1);
  Scope other(simulation, "other");
  int runs = 0;
  std::vector<bool> is_taken;
  auto scope = std::make_unique<Scope>(simulation, "test");
  const auto spawn_in_both = [&, own = scope.get()] {
    is_taken.push_back(own->spawn("more", at_once(&runs)));
    is_taken.push_back(other.spawn("more", at_once(&runs)));
    own->cancel();
  };
  scope->spawn("a", sleep_then_end(&simulation, seconds(1), {}, AtEnd(spawn_in_both)));
  simulation.run_for(seconds(2));
  EXPECT_EQ(is_taken, (std::vector{true, true}));
  EXPECT_EQ(runs, 2);

  scope = std::make_unique<Scope>(simulation, "test");
  const auto spawn_again = [&, own = scope.get()] {
    is_taken.push_back(own->spawn("more", at_once(&runs)));
    is_taken.push_back(other.spawn("more", at_once(&runs)));
    own->cancel();
  };
  scope->spawn("a", sleep_then_end(&simulation, seconds(1), scope->token(), AtEnd(spawn_again)));
  scope->spawn("b", sleep_then_end(&simulation, seconds(1), scope->token(), AtEnd({})));
  simulation.run_for(seconds(0));
  scope.reset();
  simulation.run_for(seconds(1));
  EXPECT_EQ(is_taken, (std::vector{true, true, false, true}));
  EXPECT_EQ(runs, 3);
}

TEST(Scope, ATaskMayDestroyAnotherScope) {
  Simulation simulation(1);
  auto victim = std::make_unique<Scope>(simulation, "victim");
  Scope scope(simulation, "test");
  bool is_gone = false;
  victim->spawn("sleeper",
                sleep_then_end(&simulation, seconds(9), {}, AtEnd([&] { is_gone = true; })));
  const auto destroy = [](Simulation* in, std::unique_ptr<Scope>* which) -> Task<void> {
    co_await sleep_for(*in, seconds(1), {});
    which->reset();
    co_await sleep_for(*in, seconds(1), {});
  };
  scope.spawn("task", destroy(&simulation, &victim));
  simulation.run_for(seconds(5));
  EXPECT_TRUE(is_gone);
  EXPECT_EQ(scope.size(), 0U);
}

Task<void> destroy_own(std::unique_ptr<Scope>* scope) {
  scope->reset();
  co_return;
}

TEST(ScopeDeathTest, ATaskDoesNotDestroyItsOwnScope) {
  Simulation simulation(1);
  auto scope = std::make_unique<Scope>(simulation, "test");
  scope->spawn("task", destroy_own(&scope));
  EXPECT_DEATH(simulation.step(), "a task does not destroy its own scope");
}

TEST(ScopeDeathTest, NeitherDoesADestructorInItsFrame) {
  EXPECT_DEATH(
      {
        Simulation simulation(1);
        auto scope = std::make_unique<Scope>(simulation, "test");
        scope->spawn("task",
                     sleep_then_end(&simulation, seconds(0), {}, AtEnd([&] { scope.reset(); })));
        simulation.run_for(seconds(1));
      },
      "a task does not destroy its own scope");
}

TEST(ScopeDeathTest, DrainNeedsAnEnd) {
  Simulation simulation(1);
  Scope scope(simulation, "test");
  Scope outer(simulation, "outer");
  bool is_drained = false;
  outer.spawn("drainer", drain_and_note(&scope, &is_drained));
  EXPECT_DEATH(simulation.step(), "need never be empty");
}

TEST(ScopeDeathTest, ARuntimeDoesNotGoBeforeItsScopes) {
  EXPECT_DEATH(
      {
        auto simulation = std::make_unique<Simulation>(1);
        Scope scope(*simulation, "test");
        scope.spawn("sleeper", sleep_then_end(simulation.get(), seconds(1), {}, AtEnd({})));
        simulation.reset();
      },
      "scopes are gone before their reactor");
}

// A little of everything that waits: a parent that spawns, drains and is drained.
Task<void> leaf(Simulation* simulation, Event* go, Until until) {
  const Wake wake = co_await go->wait(until);
  if (wake == Wake::kNotified) {
    co_await sleep_for(*simulation, seconds(1), until.token);
  }
}

Task<void> parent(Simulation* simulation, Event* go, CancelToken token, int* finished) {
  Scope scope(*simulation, "inner", token);
  for (int i = 0; i < 2; ++i) {
    scope.spawn("leaf", leaf(simulation, go, {.token = scope.token()}));
  }
  co_await Yield(*simulation);
  scope.close();
  co_await scope.drain();
  ++*finished;
}

Task<void> set_after(Simulation* simulation, Event* go) {
  co_await sleep_for(*simulation, seconds(1), {});
  go->set();
}

struct Family {
  explicit Family(std::uint64_t seed) : simulation(seed) {
    first->spawn("parent", parent(&simulation, &go, first->token(), &finished_first));
    second->spawn("parent", parent(&simulation, &go, second->token(), &finished));
    second->spawn("setter", set_after(&simulation, &go));
    first->close();
    drainers.spawn("drainer", drain_and_note(first.get(), &is_drained));
  }

  Simulation simulation;
  int finished_first = 0;
  int finished = 0;
  bool is_drained = false;
  Event go{simulation, "a start"};
  std::unique_ptr<Scope> second = std::make_unique<Scope>(simulation, "second");
  std::unique_ptr<Scope> first = std::make_unique<Scope>(simulation, "first");
  Scope drainers{simulation, "drainers"};
};

TEST(ScopeEveryStep, GivingOneUpWithAllBelowLeavesTheOtherAlone) {
  std::size_t steps = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    steps += at_every_step<Family>(
        {.seed = seed},
        [](Family& family) {
          // The drainer looks at the scope when it starts.
          while (family.simulation.reactor().has_ready()) {
            family.simulation.step();
          }
          family.first.reset();
        },
        [](Family& family, const std::string& when) {
          EXPECT_EQ(family.finished, 1) << when;
          EXPECT_EQ(family.second->size(), 0U) << when;
          EXPECT_TRUE(family.is_drained) << when;
        });
  }
  EXPECT_GT(steps, 30U * 15);
}

TEST(ScopeEveryStep, ACancelledOneDrains) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    at_every_step<Family>(
        {.seed = seed},
        [](Family& family) { family.first->cancel(); },
        [](Family& family, const std::string& when) {
          EXPECT_EQ(family.finished_first, 1) << when;
          EXPECT_EQ(family.finished, 1) << when;
          EXPECT_TRUE(family.is_drained) << when;
          EXPECT_TRUE(family.simulation.is_stuck()) << when;
          EXPECT_EQ(family.simulation.stuck_report(), "") << when;
        });
  }
}

Task<void> produce(Channel<int>* channel, Event* go, Until until) {
  for (int i = 0; i < 4; ++i) {
    co_await channel->send(i, until);
    if (i == 1) {
      co_await go->wait(until);
    }
  }
}

Task<void> consume(Simulation* simulation, Channel<int>* channel, Event* go, Until until) {
  for (int i = 0; i < 4; ++i) {
    co_await channel->receive(until);
    if (i == 1) {
      co_await sleep_for(*simulation, seconds(1), until.token);
      go->set();
    }
  }
}

// Five things that refer to each other, to be destroyed in any order.
struct Pieces {
  static constexpr std::size_t kCount = 5;

  explicit Pieces(std::uint64_t seed) : simulation(seed) {
    const Until until{.token = source->token(), .deadline = Time(seconds(60))};
    producers->spawn("producer", produce(channel.get(), event.get(), until));
    producers->spawn("another", produce(channel.get(), event.get(), until));
    consumers->spawn("consumer", consume(&simulation, channel.get(), event.get(), until));
  }
  void destroy_all(const std::array<std::size_t, kCount>& order) {
    const std::array<std::function<void()>, kCount> all = {[&] { producers.reset(); },
                                                           [&] { consumers.reset(); },
                                                           [&] { channel.reset(); },
                                                           [&] { event.reset(); },
                                                           [&] { source.reset(); }};
    for (const std::size_t which : order) {
      all.at(which)();
    }
  }

  Simulation simulation;
  std::unique_ptr<CancelSource> source = std::make_unique<CancelSource>();
  std::unique_ptr<Event> event = std::make_unique<Event>(simulation, "a start");
  std::unique_ptr<Channel<int>> channel = std::make_unique<Channel<int>>(simulation, "numbers", 1);
  std::unique_ptr<Scope> producers = std::make_unique<Scope>(simulation, "producers");
  std::unique_ptr<Scope> consumers = std::make_unique<Scope>(simulation, "consumers");
};

TEST(ScopeEveryStep, ACrashedProcessIsTakenApartInAnyOrder) {
  std::array<std::size_t, Pieces::kCount> order{0, 1, 2, 3, 4};
  do {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      at_every_step<Pieces>(
          {.seed = seed},
          [&](Pieces& pieces) { pieces.destroy_all(order); },
          [](Pieces& pieces, const std::string& when) {
            EXPECT_TRUE(pieces.simulation.is_stuck()) << when;
            EXPECT_EQ(pieces.simulation.stuck_report(), "") << when;
          });
    }
  } while (std::ranges::next_permutation(order).found);
}

}  // namespace
}  // namespace berth::rt
