#include "rt/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rt/cancel.h"
#include "rt/event.h"
#include "rt/every_step.h"
#include "rt/random.h"
#include "rt/reactor.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"

namespace berth::rt {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

Task<void> sleep_and_note(Simulation* simulation, Duration duration, std::vector<Time>* woken) {
  co_await sleep_for(*simulation, duration, {});
  woken->push_back(simulation->now());
}

TEST(Simulation, TimeJumpsToTheNextDeadline) {
  Simulation simulation(1);
  Scope scope(simulation, "test");
  std::vector<Time> woken;
  scope.spawn("long", sleep_and_note(&simulation, hours(5), &woken));
  scope.spawn("short", sleep_and_note(&simulation, seconds(3), &woken));
  simulation.run_for(hours(24));
  EXPECT_THAT(woken, ElementsAre(Time(seconds(3)), Time(hours(5))));
  EXPECT_EQ(simulation.now(), Time(hours(24)));
  EXPECT_EQ(scope.size(), 0U);
}

Task<void> walk(Simulation* simulation, std::string name) {
  for (int i = 0; i < 20; ++i) {
    co_await sleep_for(*simulation, milliseconds(simulation->random().below(3)), {});
    simulation->note(name, std::to_string(i));
  }
}

std::uint64_t trace_of(std::uint64_t seed) {
  Simulation simulation(seed);
  Scope scope(simulation, "test");
  for (int i = 0; i < 10; ++i) {
    scope.spawn("walker", walk(&simulation, "w" + std::to_string(i)));
  }
  simulation.run_for(seconds(10));
  EXPECT_EQ(simulation.trace().lines(), 200U);
  return simulation.trace().hash();
}

TEST(Simulation, IsAFunctionOfItsSeed) {
  EXPECT_EQ(trace_of(7), trace_of(7));
  EXPECT_NE(trace_of(7), trace_of(8));
}

Task<void> wait_for(Event* event) {
  co_await event->wait({});
}

TEST(Simulation, ADeadlockNamesWhoWaitsForWhatSinceWhen) {
  Simulation simulation(1);
  Event never(simulation, "a delivery");
  Scope scope(simulation, "dock");
  simulation.run_for(seconds(2));
  scope.spawn("crane", wait_for(&never));
  EXPECT_FALSE(simulation.is_stuck());
  simulation.run_for(hours(1));
  EXPECT_TRUE(simulation.is_stuck());
  EXPECT_EQ(simulation.stuck_report(), "dock/crane: waits for a delivery since 2.000s\n");
}

Task<void> poll_for_ever(Simulation* simulation) {
  for (;;) {
    co_await Yield(*simulation);
  }
}

TEST(Simulation, TasksThatKeepEachOtherAwakeAreStuckAndNamed) {
  Simulation simulation(1, 1000);
  Event never(simulation, "a delivery");
  Scope scope(simulation, "dock");
  simulation.run_for(seconds(2));
  scope.spawn("crane", wait_for(&never));
  scope.spawn("eager", poll_for_ever(&simulation));
  scope.spawn("restless", poll_for_ever(&simulation));
  simulation.run_for(hours(1));
  EXPECT_EQ(simulation.now(), Time(seconds(2)));
  EXPECT_TRUE(simulation.is_stuck());
  EXPECT_FALSE(simulation.step());
  EXPECT_EQ(simulation.stuck_report(),
            "1000 steps and time does not move\n"
            "dock/crane: waits for a delivery since 2.000s\n"
            "dock/eager: could run\n"
            "dock/restless: could run\n");
}

TEST(Simulation, ManyStepsAreNotStuckAsLongAsTimeMoves) {
  Simulation simulation(1, 10);
  Scope scope(simulation, "test");
  std::vector<Time> woken;
  for (int i = 1; i <= 100; ++i) {
    scope.spawn("sleeper", sleep_and_note(&simulation, seconds(i), &woken));
    simulation.run_for(milliseconds(1));
  }
  simulation.run_for(hours(1));
  EXPECT_EQ(woken.size(), 100U);
  EXPECT_TRUE(simulation.is_stuck());  // nobody is left
}

TEST(Simulation, ProcessesHaveClocksOfTheirOwn) {
  Simulation simulation(1);
  SimulatedProcess fast(simulation, {.offset = seconds(5), .ppm = 100'000});
  SimulatedProcess slow(simulation, {.ppm = -50'000});
  simulation.run_for(seconds(100));
  EXPECT_EQ(fast.now(), Time(seconds(110)));
  EXPECT_EQ(fast.wall_now() - simulation.wall_now(), seconds(15));
  EXPECT_EQ(slow.now(), Time(seconds(95)));
  // A deadline is kept on the process's own clock: not before it shows the time, and at once then.
  for (const SimulatedProcess* process : {&fast, &slow}) {
    const Time local(seconds(123) + Duration(457));
    const Time when = process->reactor_time(local);
    const double rate = process == &fast ? 1.1 : 0.95;
    EXPECT_NEAR(static_cast<double>(when.time_since_epoch().count()) * rate,
                static_cast<double>(local.time_since_epoch().count()),
                3.0);
  }
}

// The first true moment at which the clock shows `local` is found exactly: not a nanosecond early,
// not a nanosecond late.
void expect_exact(std::int64_t ppm, Time local) {
  Simulation simulation(1);
  const SimulatedProcess process(simulation, {.ppm = ppm});
  const Time when = process.reactor_time(local);
  ASSERT_GT(when, Time(Duration(0)));
  simulation.run_until(when - Duration(1));
  EXPECT_LT(process.now(), local) << ppm;
  simulation.run_until(when);
  EXPECT_GE(process.now(), local) << ppm;
}

TEST(Simulation, ADeadlineIsKeptToTheNanosecondWhateverTheClock) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    // From a nanosecond to thirty years, and clocks a little or grossly wrong.
    const std::int64_t magnitude = std::int64_t{1} << random.below(60);
    const Time local(Duration(random.between(1, magnitude)));
    const std::int64_t ppm =
        random.one_in(2) ? random.between(-200, 200) : random.between(-500'000, 1'000'000);
    expect_exact(ppm, local);
  }
}

TEST(Simulation, ADeadlineBeyondTheEndOfTimeIsNever) {
  Simulation simulation(1);
  const SimulatedProcess slow(simulation, {.ppm = -500'000});
  EXPECT_EQ(slow.reactor_time(kNever - seconds(1)), kNever);
  EXPECT_EQ(slow.reactor_time(Time(seconds(-5))), Time());
}

TEST(SimulationDeathTest, AClockDoesNotStandStill) {
  Simulation simulation(1);
  EXPECT_DEATH(SimulatedProcess(simulation, {.ppm = -1'000'000}), "does not stand still");
}

Task<void> tick(SimulatedProcess* process, int count, std::vector<Duration>* late) {
  Time next = process->now();
  for (int i = 0; i < count; ++i) {
    next += milliseconds(100);
    co_await sleep_until(*process, next, {});
    late->push_back(process->now() - next);
  }
}

TEST(Simulation, AProcessDoesNotDriftFromItsOwnClock) {
  Simulation simulation(1);
  for (const std::int64_t ppm : {-300, 300}) {
    SimulatedProcess process(simulation, {.ppm = ppm});
    Scope scope(simulation, "test");
    std::vector<Duration> late;
    scope.spawn("ticker", tick(&process, 100'000, &late));
    simulation.run_for(hours(3));
    ASSERT_EQ(late.size(), 100'000U);
    EXPECT_GE(std::ranges::min(late), Duration(0));
    EXPECT_LE(std::ranges::max(late), Duration(1));
  }
}

TEST(Simulation, RunningForEverEndsWhenNothingCanHappen) {
  Simulation simulation(1);
  Scope scope(simulation, "test");
  std::vector<Time> woken;
  scope.spawn("sleeper", sleep_and_note(&simulation, seconds(3), &woken));
  simulation.run_until(kNever);
  EXPECT_EQ(simulation.now(), Time(seconds(3)));
  EXPECT_TRUE(simulation.is_stuck());
  EXPECT_EQ(simulation.stuck_report(), "");
}

TEST(Simulation, RunsUntilWhatIsWantedHasHappened) {
  Simulation simulation(1);
  Scope scope(simulation, "test");
  std::vector<Time> woken;
  scope.spawn("sleeper", sleep_and_note(&simulation, seconds(3), &woken));
  scope.spawn("sleeper", sleep_and_note(&simulation, seconds(8), &woken));
  EXPECT_TRUE(simulation.run_until([&] { return woken.size() == 1; }, kNever));
  EXPECT_EQ(simulation.now(), Time(seconds(3)));
  EXPECT_FALSE(simulation.run_until([&] { return woken.size() == 2; }, Time(seconds(7))));
  EXPECT_TRUE(simulation.run_until([&] { return woken.size() == 2; }, Time(seconds(8))));
}

TEST(Simulation, ASleepBeyondTheEndOfTimeLastsForEver) {
  Simulation simulation(1);
  CancelSource source;
  Scope scope(simulation, "test");
  const auto sleeper = [](Simulation* in, CancelToken token) -> Task<void> {
    co_await sleep_for(*in, Duration::max(), token);
  };
  scope.spawn("sleeper", sleeper(&simulation, source.token()));
  simulation.run_for(hours(24 * 365));
  EXPECT_EQ(simulation.stuck_report(), "test/sleeper: waits for a timer since 0.000s\n");
  source.cancel();
  simulation.run_for(seconds(0));
  EXPECT_EQ(scope.size(), 0U);
}

TEST(Simulation, ATraceIsWrittenAsItIsHashed) {
  Simulation simulation(1);
  std::string text;
  simulation.trace().write_to([&](std::string_view line) { text += line; });
  const std::uint64_t before = simulation.trace().hash();
  simulation.run_for(milliseconds(1500));
  simulation.note("binder-1", "bound pod");
  EXPECT_EQ(text, "      1.500000 binder-1: bound pod\n");
  EXPECT_NE(simulation.trace().hash(), before);
  EXPECT_EQ(simulation.trace().lines(), 1U);
}

// What a run did must not depend on where its objects lie in memory: with other addresses around,
// and with tasks given up in between.
std::uint64_t trace_with_noise(std::uint64_t noise) {
  Random sizes(noise);
  std::vector<std::unique_ptr<char[]>> litter;
  Simulation simulation(5);
  Event event(simulation, "a start");
  auto crashed = std::make_unique<Scope>(simulation, "crashed");
  Scope scope(simulation, "test");
  for (int i = 0; i < 30; ++i) {
    litter.push_back(std::make_unique<char[]>(1 + sizes.below(4000)));
    if (sizes.one_in(3)) {
      litter.erase(litter.begin());
    }
    Scope& where = i % 3 == 0 ? *crashed : scope;
    where.spawn("walker", walk(&simulation, "w" + std::to_string(i)));
    where.spawn("waiter", wait_for(&event));
  }
  simulation.run_for(milliseconds(10));
  event.set();
  crashed.reset();
  simulation.run_for(seconds(10));
  return simulation.trace().hash();
}

TEST(Simulation, DoesNotDependOnAddresses) {
  const std::uint64_t expected = trace_with_noise(0);
  for (std::uint64_t noise = 1; noise < 20; ++noise) {
    EXPECT_EQ(trace_with_noise(noise), expected);
  }
}

Task<void> nap(Simulation* simulation,
               Duration duration,
               CancelToken token,
               std::vector<Time>* woken) {
  const Wake wake = co_await sleep_for(*simulation, duration, token);
  if (wake == Wake::kDeadline) {
    woken->push_back(simulation->now());
  }
}

struct Naps {
  explicit Naps(std::uint64_t seed) : simulation(seed) {
    for (int i = 1; i <= 5; ++i) {
      others.spawn("nap", nap(&simulation, seconds(i), {}, &woken));
      victim->spawn("nap", nap(&simulation, seconds(i), victim->token(), &victim_woken));
    }
  }

  Simulation simulation;
  std::vector<Time> woken;
  std::vector<Time> victim_woken;
  Scope others{simulation, "others"};
  std::unique_ptr<Scope> victim = std::make_unique<Scope>(simulation, "victim");
};

TEST(SimulationEveryStep, GivingUpSleepersLeavesTheOtherTimersAlone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    at_every_step<Naps>(
        {.seed = seed},
        [](Naps& naps) { naps.victim.reset(); },
        [](Naps& naps, const std::string& when) {
          EXPECT_THAT(naps.woken,
                      ElementsAre(Time(seconds(1)),
                                  Time(seconds(2)),
                                  Time(seconds(3)),
                                  Time(seconds(4)),
                                  Time(seconds(5))))
              << when;
        });
  }
}

TEST(SimulationEveryStep, CancellingSleepersEndsThemNow) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Time at;
    at_every_step<Naps>(
        {.seed = seed},
        [&](Naps& naps) {
          at = naps.simulation.now();
          naps.victim->cancel();
        },
        [&](Naps& naps, const std::string& when) {
          EXPECT_EQ(naps.victim->size(), 0U) << when;
          EXPECT_TRUE(std::ranges::all_of(naps.victim_woken, [&](Time time) { return time <= at; }))
              << when;
          EXPECT_EQ(naps.woken.size(), 5U) << when;
        });
  }
}

}  // namespace
}  // namespace berth::rt
