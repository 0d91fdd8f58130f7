#include "kube/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kube/work_queue_state.h"
#include "rt/cancel.h"
#include "rt/every_step.h"
#include "rt/reactor.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;

class WorkQueueStateTest : public ::testing::Test {
 public:
  using State = WorkQueueState<std::string>;
  using Type = State::InputType;

  State::Output step(Type type, std::string key = "", rt::Duration delay = {}) {
    return state.step({type, std::move(key), delay}, now);
  }
  std::string take() { return step(Type::kTake).key.value_or(""); }

  State state{{}};
  rt::Time now{seconds(100)};
};

TEST_F(WorkQueueStateTest, HandsKeysOutOnceInTheOrderTheyCame) {
  for (const char* key : {"b", "a", "b", "c"}) {
    step(Type::kAdd, key);
  }
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(take(), "c");
  EXPECT_EQ(take(), "");
}

TEST_F(WorkQueueStateTest, AKeyAddedWhileHandledIsHandledAgainAfterwards) {
  step(Type::kAdd, "a");
  EXPECT_EQ(take(), "a");
  EXPECT_FALSE(step(Type::kAdd, "a").has_news);
  EXPECT_EQ(take(), "");
  EXPECT_TRUE(step(Type::kDone, "a").has_news);
  EXPECT_EQ(take(), "a");
  EXPECT_FALSE(step(Type::kDone, "a").has_news);
  EXPECT_EQ(state.size(), 0U);
}

TEST_F(WorkQueueStateTest, AKeyThatKeepsComingBackDoesNotStarveOthers) {
  step(Type::kAdd, "a");
  step(Type::kAdd, "b");
  EXPECT_EQ(take(), "a");
  step(Type::kAdd, "a");
  step(Type::kDone, "a");
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), "a");
}

TEST_F(WorkQueueStateTest, RetriesWaitTwiceAsLongEachTimeUpToTheMaximum) {
  rt::Duration expected = milliseconds(5);
  for (int i = 0; i < 25; ++i) {
    step(Type::kAdd, "a");
    ASSERT_EQ(take(), "a");
    step(Type::kRetry, "a");
    EXPECT_EQ(state.next_due() - now, std::min<rt::Duration>(expected, seconds(1000)));
    expected *= 2;
    now = state.next_due();
    ASSERT_EQ(take(), "a");
    step(Type::kDone, "a");
  }
  EXPECT_EQ(state.failures("a"), 25U);
  step(Type::kForget, "a");
  EXPECT_EQ(state.failures("a"), 0U);
  EXPECT_EQ(state.size(), 0U);
}

TEST_F(WorkQueueStateTest, OfTwoDelaysTheEarlierCounts) {
  EXPECT_TRUE(step(Type::kAddAfter, "a", seconds(5)).has_news);
  EXPECT_FALSE(step(Type::kAddAfter, "a", seconds(9)).has_news);
  EXPECT_EQ(state.next_due(), now + seconds(5));
  EXPECT_TRUE(step(Type::kAddAfter, "a", seconds(2)).has_news);
  EXPECT_EQ(state.next_due(), now + seconds(2));
  now += seconds(2);
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(state.next_due(), rt::kNever);
}

TEST_F(WorkQueueStateTest, ADelayOutlivesAnEarlierHandling) {
  step(Type::kAddAfter, "a", seconds(5));
  step(Type::kAdd, "a");
  EXPECT_EQ(take(), "a");
  step(Type::kDone, "a");
  now += seconds(5);
  EXPECT_EQ(take(), "a");
}

TEST_F(WorkQueueStateTest, ADelayThatNeverEndsDoesNot) {
  step(Type::kAddAfter, "a", rt::Duration::max());
  EXPECT_EQ(state.next_due(), rt::kNever);
}

TEST_F(WorkQueueStateTest, ShutDownDrainsTheLineAndRefusesTheRest) {
  step(Type::kAdd, "a");
  step(Type::kAdd, "b");
  step(Type::kAddAfter, "c", seconds(1));
  EXPECT_EQ(take(), "a");
  step(Type::kAdd, "a");
  step(Type::kShutDown);
  step(Type::kAdd, "d");
  EXPECT_EQ(take(), "b");
  step(Type::kRetry, "b");
  now += minutes(1);
  EXPECT_EQ(take(), "");
  step(Type::kDone, "a");
  EXPECT_EQ(take(), "a");
}

TEST_F(WorkQueueStateTest, AKeyThatIsGivenBackIsNotLost) {
  step(Type::kAdd, "a");
  EXPECT_EQ(take(), "a");
  EXPECT_TRUE(step(Type::kGiveBack, "a").has_news);
  EXPECT_EQ(take(), "a");
}

using Queue = WorkQueue<std::string>;

// Workers that take some time for each key.
struct Workers {
  explicit Workers(std::uint64_t seed)
      : simulation(seed), queue(simulation, {}), scope(std::in_place, simulation, "test") {
    for (int i = 0; i < 2; ++i) {
      scope->spawn("worker", work(this, scope->token()));
    }
    others.emplace(simulation, "others");
    others->spawn("survivor", work(this, {}));
    queue.add("a");
    queue.add("b");
    queue.add_after("c", seconds(1));
    queue.add_after("d", milliseconds(10));
    others->spawn("adder", add(this));
  }

  static rt::Task<void> add(Workers* workers) {
    co_await rt::sleep_for(workers->simulation, milliseconds(1500), {});
    workers->queue.add_after("e", milliseconds(100));
    workers->queue.add("a");
  }

  static rt::Task<void> work(Workers* workers, rt::CancelToken token) {
    for (;;) {
      auto item = co_await workers->queue.next({.token = token});
      if (!item) {
        co_return;
      }
      EXPECT_TRUE(workers->handled_now.insert(item->key()).second) << "two workers on one key";
      const Guard guard{workers, item->key()};
      const rt::Wake wake = co_await rt::sleep_for(workers->simulation, milliseconds(20), token);
      if (wake == rt::Wake::kCancelled) {
        co_return;
      }
      if (++workers->handled[item->key()] == 1 && item->key() == "b") {
        item->retry();
      } else {
        item->done();
      }
    }
  }
  // Also when its worker is given up.
  struct Guard {
    Workers* workers;
    std::string key;
    ~Guard() { workers->handled_now.erase(key); }
  };

  rt::Simulation simulation;
  Queue queue;
  std::set<std::string> handled_now;
  std::map<std::string, int> handled;
  std::optional<rt::Scope> others;
  std::optional<rt::Scope> scope;
};

void expect_all_handled(Workers& workers, const std::string& when) {
  EXPECT_GE(workers.handled["a"], 1) << when;
  EXPECT_EQ(workers.handled["b"], 2) << when;
  for (const char* key : {"c", "d", "e"}) {
    EXPECT_EQ(workers.handled[key], 1) << when << " " << key;
  }
  EXPECT_EQ(workers.queue.size(), 0U) << when;
}

TEST(WorkQueue, WorkersGivenUpAtAnyAwaitLoseNoKey) {
  std::set<std::string> waits;
  rt::at_every_step<Workers>(
      {.seed = 5, .waits = &waits, .victim = "test/"},
      [](Workers& workers) { workers.scope.reset(); },
      expect_all_handled);
  EXPECT_THAT(waits, ElementsAre("test/worker: waits for a timer", "test/worker: waits for work"));
}

TEST(WorkQueue, WorkersCancelledAtAnyAwaitLoseNoKey) {
  rt::at_every_step<Workers>(
      {.seed = 6},
      [](Workers& workers) { workers.scope->cancel(); },
      [](Workers& workers, const std::string& when) {
        EXPECT_EQ(workers.scope->size(), 0U) << when;
        expect_all_handled(workers, when);
      });
}

rt::Task<void> end_twice(Queue* queue, bool is_again) {
  auto item = co_await queue->next({});
  item->done();
  is_again ? item->again_after(seconds(1)) : item->done();
}

TEST(WorkQueueDeathTest, WorkEndsOnce) {
  for (const bool is_again : {false, true}) {
    rt::Simulation simulation(1);
    Queue queue(simulation, {});
    rt::Scope scope(simulation, "test");
    queue.add("a");
    scope.spawn("worker", end_twice(&queue, is_again));
    EXPECT_DEATH(simulation.run_for(seconds(1)), "work ends once");
  }
}

rt::Task<void> take_one(Queue* queue, rt::Until until, std::vector<std::string>* taken) {
  auto item = co_await queue->next(until);
  taken->push_back(item ? item->key() : "-");
  if (item) {
    item->done();
  }
}

TEST(WorkQueue, NextEndsAtItsDeadlineOrWithTheKeyDueThen) {
  rt::Simulation simulation(1);
  Queue queue(simulation, {});
  rt::Scope scope(simulation, "test");
  std::vector<std::string> taken;
  scope.spawn("early", take_one(&queue, {.deadline = rt::Time(seconds(1))}, &taken));
  simulation.run_for(seconds(2));
  EXPECT_THAT(taken, ElementsAre("-"));
  queue.add_after("a", seconds(3));
  scope.spawn("just", take_one(&queue, {.deadline = rt::Time(seconds(5))}, &taken));
  simulation.run_for(seconds(10));
  EXPECT_THAT(taken, ElementsAre("-", "a"));
}

TEST(WorkQueue, WhoIsCancelledGetsNoneOfTheKeysInLine) {
  rt::Simulation simulation(1);
  Queue queue(simulation, {});
  rt::CancelSource cancel;
  rt::Scope scope(simulation, "test");
  std::vector<std::string> taken;
  queue.add("a");
  queue.add("b");
  cancel.cancel();
  scope.spawn("cancelled", take_one(&queue, {.token = cancel.token()}, &taken));
  simulation.run_for(seconds(1));
  EXPECT_THAT(taken, ElementsAre("-"));
  EXPECT_EQ(queue.size(), 2U);
  scope.spawn("other", take_one(&queue, {}, &taken));
  simulation.run_for(seconds(1));
  EXPECT_THAT(taken, ElementsAre("-", "a"));
}

TEST(WorkQueue, ShutDownEndsThoseWhoWait) {
  rt::Simulation simulation(1);
  Queue queue(simulation, {});
  rt::Scope scope(simulation, "test");
  std::vector<std::string> taken;
  scope.spawn("one", take_one(&queue, {}, &taken));
  scope.spawn("two", take_one(&queue, {}, &taken));
  simulation.run_for(seconds(1));
  queue.shut_down();
  simulation.run_for(seconds(1));
  EXPECT_THAT(taken, ElementsAre("-", "-"));
}

}  // namespace
}  // namespace berth::kube
