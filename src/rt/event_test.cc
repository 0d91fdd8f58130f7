#include "rt/event.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rt/cancel.h"
#include "rt/every_step.h"
#include "rt/reactor.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::rt {
namespace {

using std::chrono::seconds;

Task<void> wait_for(Event* event, Until until, std::vector<Wake>* wakes) {
  wakes->push_back(co_await event->wait(until));
}

TEST(Event, WakesAllWhoWait) {
  Simulation simulation(1);
  Event event(simulation, "a delivery");
  Scope scope(simulation, "test");
  std::vector<Wake> wakes;
  scope.spawn("a", wait_for(&event, {}, &wakes));
  scope.spawn("b", wait_for(&event, {}, &wakes));
  simulation.run_for(seconds(1));
  EXPECT_TRUE(wakes.empty());
  event.set();
  simulation.run_for(seconds(1));
  EXPECT_EQ(wakes, std::vector(2, Wake::kNotified));
}

TEST(Event, DoesNotWaitForWhatHasHappened) {
  Simulation simulation(1);
  Event event(simulation, "a delivery");
  event.set();
  CancelSource source;
  source.cancel();
  Scope scope(simulation, "test");
  std::vector<Wake> wakes;
  // Not even a token that is cancelled matters then.
  scope.spawn("a", wait_for(&event, {.token = source.token(), .deadline = Time()}, &wakes));
  simulation.run_for(seconds(0));
  EXPECT_EQ(wakes, std::vector{Wake::kNotified});
}

TEST(Event, TheWaitEndsByDeadlineOrToken) {
  Simulation simulation(1);
  Event event(simulation, "a delivery");
  CancelSource source;
  Scope scope(simulation, "test");
  std::vector<Wake> wakes;
  scope.spawn("a", wait_for(&event, {.deadline = Time(seconds(3))}, &wakes));
  scope.spawn("b", wait_for(&event, {.token = source.token()}, &wakes));
  simulation.run_for(seconds(3));
  EXPECT_EQ(wakes, std::vector{Wake::kDeadline});
  source.cancel();
  simulation.run_for(seconds(0));
  EXPECT_EQ(wakes, (std::vector{Wake::kDeadline, Wake::kCancelled}));
}

TEST(Event, AResetBeforeTheWaiterRunsKeepsItWaiting) {
  Simulation simulation(1);
  Event event(simulation, "a delivery");
  Scope scope(simulation, "test");
  std::vector<Wake> wakes;
  scope.spawn("a", wait_for(&event, {.deadline = Time(seconds(9))}, &wakes));
  simulation.run_for(seconds(1));
  event.set();
  event.reset();
  simulation.run_for(seconds(1));
  EXPECT_TRUE(wakes.empty());
  EXPECT_FALSE(event.is_set());
  event.set();
  simulation.run_for(seconds(1));
  EXPECT_EQ(wakes, std::vector{Wake::kNotified});
}

Task<void> set_later(Simulation* simulation, Event* event) {
  co_await sleep_for(*simulation, seconds(1), {});
  event->set();
}

struct Delivery {
  explicit Delivery(std::uint64_t seed) : simulation(seed) {
    others.spawn("a", wait_for(event.get(), {}, &wakes));
    others.spawn("b", wait_for(event.get(), {.deadline = Time(seconds(9))}, &wakes));
    victim->spawn("v", wait_for(event.get(), {.token = victim->token()}, &victim_wakes));
    setter->spawn("setter", set_later(&simulation, event.get()));
  }

  Simulation simulation;
  std::unique_ptr<Event> event = std::make_unique<Event>(simulation, "a delivery");
  std::vector<Wake> wakes;
  std::vector<Wake> victim_wakes;
  Scope others{simulation, "others"};
  std::unique_ptr<Scope> victim = std::make_unique<Scope>(simulation, "victim");
  std::unique_ptr<Scope> setter = std::make_unique<Scope>(simulation, "setter");
};

TEST(EventEveryStep, GivingUpAWaiterDoesNotTouchTheOthers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    at_every_step<Delivery>(
        {.seed = seed},
        [](Delivery& delivery) { delivery.victim.reset(); },
        [](Delivery& delivery, const std::string& when) {
          EXPECT_EQ(delivery.wakes, std::vector(2, Wake::kNotified)) << when;
        });
  }
}

TEST(EventEveryStep, ACancelledWaiterEnds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    at_every_step<Delivery>(
        {.seed = seed},
        [](Delivery& delivery) { delivery.victim->cancel(); },
        [](Delivery& delivery, const std::string& when) {
          EXPECT_EQ(delivery.wakes, std::vector(2, Wake::kNotified)) << when;
          EXPECT_EQ(delivery.victim_wakes.size(), 1U) << when;
        });
  }
}

TEST(EventEveryStep, WhenTheEventGoesEveryWaitEnds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::size_t cancelled = 0;
    at_every_step<Delivery>(
        {.seed = seed},
        [](Delivery& delivery) {
          // Who has not looked at the event yet would look at one that is gone.
          delivery.simulation.run_until(delivery.simulation.now());
          delivery.setter.reset();
          delivery.event.reset();
        },
        [&](Delivery& delivery, const std::string& when) {
          EXPECT_EQ(delivery.wakes.size(), 2U) << when;
          EXPECT_EQ(delivery.victim_wakes.size(), 1U) << when;
          cancelled +=
              static_cast<std::size_t>(std::ranges::count(delivery.wakes, Wake::kCancelled));
        });
    EXPECT_GT(cancelled, 0U);
  }
}

TEST(Event, MayGoBetweenBeingSetAndItsWaitersRunning) {
  Simulation simulation(1);
  auto event = std::make_unique<Event>(simulation, "a delivery");
  Scope scope(simulation, "test");
  std::vector<Wake> wakes;
  scope.spawn("a", wait_for(event.get(), {}, &wakes));
  simulation.run_for(seconds(1));
  event->set();
  event.reset();
  simulation.run_for(seconds(1));
  EXPECT_EQ(wakes, std::vector{Wake::kCancelled});
}

}  // namespace
}  // namespace berth::rt
