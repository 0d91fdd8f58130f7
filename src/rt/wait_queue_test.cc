#include "rt/wait_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rt/cancel.h"
#include "rt/every_step.h"
#include "rt/reactor.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::rt {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Wakes = std::vector<std::pair<std::string, Wake>>;

Task<void> wait_once(WaitQueue* queue, Until until, std::string who, Wakes* wakes) {
  const Wake wake = co_await queue->wait(until);
  wakes->emplace_back(std::move(who), wake);
}

class WaitQueueTest : public testing::Test {
 protected:
  void spawn(Scope& scope, const std::string& who, const Until& until = {}) {
    scope.spawn(who, wait_once(queue_.get(), until, who, &wakes_));
    simulation_.run_for(seconds(0));
  }
  void settle() { simulation_.run_for(seconds(0)); }

  Simulation simulation_{1};
  Wakes wakes_;
  std::unique_ptr<WaitQueue> queue_ = std::make_unique<WaitQueue>(simulation_, "a bell");
  Scope scope_{simulation_, "test"};
};

TEST_F(WaitQueueTest, WakesThoseWhoWaitInTheOrderTheyCame) {
  spawn(scope_, "a");
  spawn(scope_, "b");
  spawn(scope_, "c");
  queue_->notify_one();
  settle();
  queue_->notify_one();
  settle();
  EXPECT_THAT(wakes_,
              ElementsAre(std::pair("a", Wake::kNotified), std::pair("b", Wake::kNotified)));
  EXPECT_TRUE(queue_->has_waiters());
}

TEST_F(WaitQueueTest, ANotificationNobodyWaitsForIsNotKept) {
  queue_->notify_one();
  queue_->notify_all();
  spawn(scope_, "a");
  EXPECT_THAT(wakes_, IsEmpty());
}

TEST_F(WaitQueueTest, NotifyAllWakesEverybodyOnce) {
  spawn(scope_, "a");
  spawn(scope_, "b", {.deadline = Time(seconds(5))});
  queue_->notify_all();
  queue_->notify_all();
  simulation_.run_for(seconds(10));
  EXPECT_THAT(
      wakes_,
      UnorderedElementsAre(std::pair("a", Wake::kNotified), std::pair("b", Wake::kNotified)));
}

Task<void> wait_twice(WaitQueue* queue, Wakes* wakes) {
  Wait wait = queue->wait({});  // NOLINT(misc-const-correctness): awaiting changes it
  const Wake first = co_await wait;
  wakes->emplace_back("first", first);
  const Wake second = co_await wait;
  wakes->emplace_back("second", second);
}

TEST_F(WaitQueueTest, AWaitCanBeUsedAgain) {
  scope_.spawn("a", wait_twice(queue_.get(), &wakes_));
  settle();
  queue_->notify_one();
  settle();
  EXPECT_TRUE(queue_->has_waiters());
  queue_->notify_one();
  settle();
  EXPECT_THAT(
      wakes_,
      ElementsAre(std::pair("first", Wake::kNotified), std::pair("second", Wake::kNotified)));
}

TEST_F(WaitQueueTest, ADeadlineEndsTheWaitAndLeavesTheNotificationToTheNext) {
  spawn(scope_, "a", {.deadline = Time(seconds(5))});
  spawn(scope_, "b");
  simulation_.run_for(seconds(5));
  queue_->notify_one();
  settle();
  EXPECT_THAT(wakes_,
              ElementsAre(std::pair("a", Wake::kDeadline), std::pair("b", Wake::kNotified)));
}

TEST_F(WaitQueueTest, ADeadlineThatHasPassedEndsTheWaitAtOnce) {
  simulation_.run_for(seconds(5));
  spawn(scope_, "a", {.deadline = Time(seconds(2))});
  EXPECT_THAT(wakes_, ElementsAre(std::pair("a", Wake::kDeadline)));
  EXPECT_EQ(simulation_.now(), Time(seconds(5)));
}

TEST_F(WaitQueueTest, ATokenEndsTheWaitAndLeavesTheNotificationToTheNext) {
  CancelSource source;
  spawn(scope_, "a", {.token = source.token()});
  spawn(scope_, "b");
  source.cancel();
  queue_->notify_one();
  settle();
  EXPECT_THAT(
      wakes_,
      UnorderedElementsAre(std::pair("a", Wake::kCancelled), std::pair("b", Wake::kNotified)));
}

TEST_F(WaitQueueTest, ATokenThatIsCancelledAlreadyMeansNoWait) {
  CancelSource source;
  source.cancel();
  spawn(scope_, "a", {.token = source.token()});
  EXPECT_THAT(wakes_, ElementsAre(std::pair("a", Wake::kCancelled)));
}

TEST_F(WaitQueueTest, TheFirstReasonCounts) {
  CancelSource source;
  spawn(scope_, "a", {.token = source.token(), .deadline = Time(seconds(1))});
  queue_->notify_one();
  source.cancel();
  simulation_.run_for(seconds(2));
  EXPECT_THAT(wakes_, ElementsAre(std::pair("a", Wake::kNotified)));
}

TEST_F(WaitQueueTest, ANotificationMovesOnWhenItsReceiverIsGivenUp) {
  spawn(scope_, "b");
  {
    Scope victim(simulation_, "victim");
    queue_->notify_one();  // b
    spawn(victim, "a");
    spawn(scope_, "c");
    queue_->notify_one();  // a, which does not run any more
    EXPECT_THAT(wakes_, ElementsAre(std::pair("b", Wake::kNotified)));
  }
  settle();
  EXPECT_THAT(wakes_,
              ElementsAre(std::pair("b", Wake::kNotified), std::pair("c", Wake::kNotified)));
}

TEST_F(WaitQueueTest, GivingUpOneThatWasNotNotifiedWakesNobody) {
  {
    Scope victim(simulation_, "victim");
    spawn(victim, "a");
    spawn(scope_, "b");
  }
  settle();
  EXPECT_THAT(wakes_, IsEmpty());
  EXPECT_TRUE(queue_->has_waiters());
}

TEST_F(WaitQueueTest, GivingUpOneWhoseDeadlineHasComeWakesNobody) {
  Scope victim(simulation_, "victim");
  spawn(victim, "a", {.deadline = Time(seconds(1))});
  spawn(scope_, "b");
  simulation_.reactor().fire(Time(seconds(1)));  // a is ready now
  EXPECT_TRUE(simulation_.reactor().has_ready());
  victim.cancel();
  settle();
  EXPECT_THAT(wakes_, ElementsAre(std::pair("a", Wake::kDeadline)));
}

TEST_F(WaitQueueTest, ANotificationMovesOnAlongALineThatIsGivenUp) {
  auto victims = std::make_unique<Scope>(simulation_, "victims");
  for (int i = 0; i < 100; ++i) {
    spawn(*victims, "v");
  }
  spawn(scope_, "last");
  queue_->notify_one();
  victims.reset();
  settle();
  EXPECT_THAT(wakes_, ElementsAre(std::pair("last", Wake::kNotified)));
}

TEST_F(WaitQueueTest, DestroyingTheQueueCancelsTheWaits) {
  spawn(scope_, "notified");
  spawn(scope_, "waiting");
  spawn(scope_, "with deadline", {.deadline = Time(seconds(1))});
  queue_->notify_one();
  queue_.reset();
  simulation_.run_for(seconds(2));
  EXPECT_THAT(wakes_,
              UnorderedElementsAre(std::pair("notified", Wake::kCancelled),
                                   std::pair("waiting", Wake::kCancelled),
                                   std::pair("with deadline", Wake::kCancelled)));
  EXPECT_EQ(scope_.size(), 0U);
}

TEST_F(WaitQueueTest, TheSourceOfATokenMayGoBeforeTheWait) {
  {
    CancelSource source;
    spawn(scope_, "a", {.token = source.token()});
  }
  queue_->notify_one();
  settle();
  EXPECT_THAT(wakes_, ElementsAre(std::pair("a", Wake::kNotified)));
}

Task<void> notify_twice(Simulation* simulation, WaitQueue* queue, bool is_at_once) {
  co_await sleep_for(*simulation, seconds(1), {});
  queue->notify_one();
  if (!is_at_once) {
    co_await sleep_for(*simulation, seconds(1), {});
  }
  queue->notify_one();
}

// Four wait, one of them with everything a wait can have, and two notifications come.
template <bool kIsAtOnce>
struct TwoBells {
  explicit TwoBells(std::uint64_t seed) : simulation(seed) {
    for (int i = 0; i < 3; ++i) {
      others.spawn("other", wait_once(&queue, {}, "other", &wakes));
    }
    victim->spawn("victim", wait_once(&queue, until(), "victim", &wakes));
    others.spawn("bell", notify_twice(&simulation, &queue, kIsAtOnce));
  }
  Until until() { return {.token = source.token(), .deadline = Time(seconds(10))}; }

  Simulation simulation;
  CancelSource source;
  Wakes wakes;
  WaitQueue queue{simulation, "a bell"};
  Scope others{simulation, "others"};
  std::unique_ptr<Scope> victim = std::make_unique<Scope>(simulation, "victim");
};

template <typename Scenario>
void give_up_at_every_step() {
  std::size_t steps = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    steps += at_every_step<Scenario>(
        {.seed = seed},
        [](Scenario& scenario) { scenario.victim.reset(); },
        [](Scenario& scenario, const std::string& when) {
          // Whoever is gone, both notifications found somebody.
          EXPECT_EQ(std::ranges::count(scenario.wakes, Wake::kNotified, &Wakes::value_type::second),
                    2)
              << when;
        });
    if (testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(steps, 50U * 7);
}

TEST(WaitQueueEveryStep, NoNotificationIsLostWhenAWaiterIsGivenUp) {
  give_up_at_every_step<TwoBells<true>>();
  give_up_at_every_step<TwoBells<false>>();
}

TEST(WaitQueueEveryStep, NoNotificationIsLostWhenAWaiterIsCancelled) {
  using Scenario = TwoBells<true>;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    at_every_step<Scenario>(
        {.seed = seed},
        [](Scenario& scenario) { scenario.source.cancel(); },
        [](Scenario& scenario, const std::string& when) {
          EXPECT_EQ(std::ranges::count(scenario.wakes, Wake::kNotified, &Wakes::value_type::second),
                    2)
              << when;
          EXPECT_EQ(scenario.victim->size(), 0U) << when;
        });
  }
}

TEST(WaitQueueEveryStep, TheQueueMayGoFirst) {
  struct Scenario {
    explicit Scenario(std::uint64_t seed) : simulation(seed) {
      for (int i = 0; i < 3; ++i) {
        scope.spawn("waiter", wait_once(queue.get(), {}, "waiter", &wakes));
      }
      simulation.run_for(seconds(0));
      queue->notify_one();
    }

    Simulation simulation;
    Wakes wakes;
    std::unique_ptr<WaitQueue> queue = std::make_unique<WaitQueue>(simulation, "a bell");
    Scope scope{simulation, "test"};
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    at_every_step<Scenario>(
        {.seed = seed},
        [](Scenario& scenario) { scenario.queue.reset(); },
        [](Scenario& scenario, const std::string& when) {
          EXPECT_EQ(scenario.scope.size(), 0U) << when;
          EXPECT_EQ(scenario.wakes.size(), 3U) << when;
        });
  }
}

}  // namespace
}  // namespace berth::rt
