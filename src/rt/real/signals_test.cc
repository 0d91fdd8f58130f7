#include "rt/real/signals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <vector>

#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::rt {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

Task<void> take(Signals* signals, std::vector<int>* taken, int count, RealRuntime* runtime) {
  for (int i = 0; i < count; ++i) {
    taken->push_back(co_await signals->next({.deadline = runtime->now() + hours(1)}));
  }
  runtime->stop();
}

TEST(Signals, AreHandedToWhoWaits) {
  RealRuntime runtime(1);
  Signals signals(runtime, {SIGUSR1, SIGUSR2});
  std::vector<int> taken;
  Scope scope(runtime, "test");
  scope.spawn("taker", take(&signals, &taken, 2, &runtime));
  std::raise(SIGUSR1);
  std::raise(SIGUSR2);
  runtime.run();
  EXPECT_EQ(taken.size(), 2U);
  EXPECT_NE(taken[0], taken[1]);
}

Task<void> wait_briefly(Signals* signals, std::vector<int>* taken, RealRuntime* runtime) {
  taken->push_back(co_await signals->next({.deadline = runtime->now() + milliseconds(1)}));
  runtime->stop();
}

TEST(Signals, AWaitThatEndsGivesNone) {
  RealRuntime runtime(1);
  Signals signals(runtime, {SIGUSR1});
  std::vector<int> taken;
  Scope scope(runtime, "test");
  scope.spawn("taker", wait_briefly(&signals, &taken, &runtime));
  runtime.run();
  EXPECT_EQ(taken, std::vector<int>{0});
}

TEST(Signals, GivesThemBackWhenItIsDestroyed) {
  RealRuntime runtime(1);
  {
    const Signals signals(runtime, {SIGUSR1});
  }
  struct sigaction action{};
  ASSERT_EQ(sigaction(SIGUSR1, nullptr, &action), 0);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

}  // namespace
}  // namespace berth::rt
