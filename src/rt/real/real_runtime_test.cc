#include "rt/real/real_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rt/cancel.h"
#include "rt/channel.h"
#include "rt/event.h"
#include "rt/reactor.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::rt {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::ElementsAre;

Task<void> nap(RealRuntime* runtime,
               Duration duration,
               std::string who,
               std::vector<std::string>* log) {
  const Time begin = runtime->now();
  const Wake wake = co_await sleep_for(*runtime, duration, {});
  EXPECT_EQ(wake, Wake::kDeadline);
  EXPECT_GE(runtime->now(), begin + duration);
  log->push_back(std::move(who));
}

Task<void> stop_after(RealRuntime* runtime, Duration duration) {
  co_await sleep_for(*runtime, duration, {});
  runtime->stop();
}

Task<void> note_at(RealRuntime* runtime,
                   Time time,
                   std::string who,
                   std::vector<std::string>* log) {
  co_await sleep_until(*runtime, time, {});
  log->push_back(std::move(who));
}

TEST(RealRuntime, TimersEndInTheOrderOfTheirDeadlines) {
  RealRuntime runtime(1);
  Scope scope(runtime, "test");
  std::vector<std::string> log;
  const Time now = runtime.now();
  scope.spawn("third", note_at(&runtime, now + milliseconds(9), "third", &log));
  scope.spawn("first", note_at(&runtime, now + milliseconds(1), "first", &log));
  scope.spawn("second", note_at(&runtime, now + milliseconds(5), "second", &log));
  scope.spawn("stopper", stop_after(&runtime, milliseconds(12)));
  runtime.run();
  EXPECT_THAT(log, ElementsAre("first", "second", "third"));
}

TEST(RealRuntime, AStopBeforeRunIsNotLost) {
  RealRuntime runtime(1);
  Scope scope(runtime, "test");
  std::vector<std::string> log;
  scope.spawn("nap", nap(&runtime, milliseconds(0), "nap", &log));
  runtime.stop();
  runtime.run();
  EXPECT_THAT(log, ElementsAre());
  scope.spawn("stopper", stop_after(&runtime, milliseconds(1)));
  runtime.run();
  EXPECT_THAT(log, ElementsAre("nap"));
}

TEST(RealRuntime, RunsOnAfterAStop) {
  RealRuntime runtime(1);
  Scope scope(runtime, "test");
  std::vector<std::string> log;
  for (int i = 0; i < 3; ++i) {
    scope.spawn("nap", nap(&runtime, milliseconds(1), "nap", &log));
    scope.spawn("stopper", stop_after(&runtime, milliseconds(2)));
    runtime.run();
    EXPECT_EQ(log.size(), static_cast<std::size_t>(i + 1));
  }
}

TEST(RealRuntime, StopsFromAnotherThreadWhileItIsIdle) {
  for (int i = 0; i < 20; ++i) {
    RealRuntime runtime(1);
    std::thread other([&] { runtime.stop(); });
    runtime.run();
    other.join();
  }
}

Task<void> spin(RealRuntime* runtime, std::atomic<bool>* is_spinning) {
  while (true) {
    is_spinning->store(true);
    is_spinning->notify_all();
    co_await Yield(*runtime);
  }
}

TEST(RealRuntime, StopsFromAnotherThreadWhileItIsBusy) {
  RealRuntime runtime(1);
  Scope scope(runtime, "test");
  std::atomic<bool> is_spinning = false;
  scope.spawn("spinner", spin(&runtime, &is_spinning));
  std::thread other([&] {
    is_spinning.wait(false);
    runtime.stop();
  });
  runtime.run();
  other.join();
  EXPECT_EQ(scope.size(), 1U);
}

TEST(RealRuntime, TasksThatAreAlwaysReadyKeepNeitherTimersNorSocketsWaiting) {
  RealRuntime runtime(1);
  Scope scope(runtime, "test");
  std::atomic<bool> is_spinning = false;
  for (int i = 0; i < 1000; ++i) {
    scope.spawn("spinner", spin(&runtime, &is_spinning));
  }
  std::vector<std::string> log;
  scope.spawn("nap", nap(&runtime, milliseconds(1), "nap", &log));
  boost::asio::post(runtime.context(), [&] { log.emplace_back("handler"); });
  scope.spawn("stopper", stop_after(&runtime, milliseconds(3)));
  runtime.run();
  EXPECT_THAT(log, ElementsAre("handler", "nap"));
}

void post_again(RealRuntime* runtime) {
  boost::asio::post(runtime->context(), [runtime] { post_again(runtime); });
}

TEST(RealRuntime, HandlersThatAreAlwaysReadyDoNotKeepTasksWaiting) {
  RealRuntime runtime(1);
  Scope scope(runtime, "test");
  std::vector<std::string> log;
  post_again(&runtime);
  scope.spawn("nap", nap(&runtime, milliseconds(1), "nap", &log));
  scope.spawn("stopper", stop_after(&runtime, milliseconds(3)));
  runtime.run();
  EXPECT_THAT(log, ElementsAre("nap"));
}

Task<void> wait_and_stop(RealRuntime* runtime, Event* event, Wake* wake) {
  *wake = co_await event->wait({.deadline = runtime->now() + hours(1)});
  runtime->stop();
}

TEST(RealRuntime, AHandlerPostedFromAnotherThreadWakesATask) {
  for (int i = 0; i < 20; ++i) {
    RealRuntime runtime(1);
    Event event(runtime, "a message");
    Scope scope(runtime, "test");
    Wake wake = Wake::kCancelled;
    scope.spawn("waiter", wait_and_stop(&runtime, &event, &wake));
    std::thread other([&] { boost::asio::post(runtime.context(), [&] { event.set(); }); });
    runtime.run();
    other.join();
    EXPECT_EQ(wake, Wake::kNotified);
  }
}

Task<void> nap_until_cancelled(RealRuntime* runtime, CancelToken token, Wake* wake) {
  *wake = co_await sleep_for(*runtime, hours(1), token);
  runtime->stop();
}

Task<void> cancel_after(RealRuntime* runtime, Duration duration, CancelSource* source) {
  co_await sleep_for(*runtime, duration, {});
  source->cancel();
}

TEST(RealRuntime, AnEarlierDeadlineReplacesALaterOne) {
  RealRuntime runtime(1);
  CancelSource source;
  Scope scope(runtime, "test");
  Wake wake = Wake::kNotified;
  scope.spawn("sleeper", nap_until_cancelled(&runtime, source.token(), &wake));
  scope.spawn("canceller", cancel_after(&runtime, milliseconds(2), &source));
  runtime.run();
  EXPECT_EQ(wake, Wake::kCancelled);
  EXPECT_EQ(runtime.reactor().next_deadline(), kNever);
}

Task<void> sleep_long(RealRuntime* runtime, Duration duration) {
  co_await sleep_for(*runtime, duration, {});
}

TEST(RealRuntime, DeadlinesBeyondALifetimeDoNoHarm) {
  RealRuntime runtime(1);
  Scope scope(runtime, "test");
  scope.spawn("eternal", sleep_long(&runtime, Duration::max()));
  scope.spawn("almost", sleep_long(&runtime, Duration::max() - hours(1)));
  runtime.stop();
  runtime.run();
  scope.spawn("stopper", stop_after(&runtime, milliseconds(1)));
  runtime.run();
  EXPECT_EQ(scope.size(), 2U);
}

Task<void> pump(Channel<int>* channel, int count) {
  for (int i = 0; i < count; ++i) {
    co_await channel->send(i, {});
  }
  channel->close();
}

Task<void> drain_channel(RealRuntime* runtime, Channel<int>* channel, int* sum) {
  while (true) {
    const std::optional<int> item = co_await channel->receive({});
    if (!item) {
      break;
    }
    *sum += *item;
  }
  runtime->stop();
}

TEST(RealRuntime, ManyHandOversLongerThanATurn) {
  RealRuntime runtime(1);
  Channel<int> channel(runtime, "numbers", 3);
  Scope scope(runtime, "test");
  int sum = 0;
  scope.spawn("pump", pump(&channel, 2000));
  scope.spawn("drain", drain_channel(&runtime, &channel, &sum));
  runtime.run();
  EXPECT_EQ(sum, 1999 * 2000 / 2);
}

TEST(RealRuntime, GivesUpWhatIsStillThere) {
  RealRuntime runtime(2);
  Event event(runtime, "nothing");
  Scope scope(runtime, "test");
  std::vector<std::string> log;
  Wake wake = Wake::kNotified;
  scope.spawn("sleeper", nap(&runtime, hours(1), "never", &log));
  scope.spawn("waiter", wait_and_stop(&runtime, &event, &wake));
  scope.spawn("stopper", stop_after(&runtime, milliseconds(1)));
  runtime.run();
  scope.spawn("late", nap(&runtime, hours(1), "never", &log));
}

TEST(RealRuntime, HasAPoolAndRandomness) {
  RealRuntime runtime(2);
  std::vector<int> visits(100);
  runtime.pool().for_each(100, 7, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      ++visits[i];
    }
  });
  EXPECT_EQ(visits, std::vector<int>(100, 1));
  EXPECT_NE(runtime.random().next(), runtime.random().next());
  EXPECT_NE(runtime.random().next(), RealRuntime(1).random().next());
}

}  // namespace
}  // namespace berth::rt
