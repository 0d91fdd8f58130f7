// Whether a task costs more for the 200,000 others that wait: the same alone and in a crowd.
#include <benchmark/benchmark.h>

#include <chrono>

#include "batches.h"
#include "rt/cancel.h"
#include "rt/event.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"

namespace {

using berth::bench::at_once;
using berth::bench::kBatch;
using berth::bench::play;
using berth::bench::run_to;
using berth::bench::stop_when_set;
using berth::bench::wait_an_hour;
using berth::rt::CancelSource;
using berth::rt::Event;
using berth::rt::RealRuntime;
using berth::rt::Scope;
using berth::rt::Task;
using std::chrono::hours;

constexpr int kAlone = 0;
constexpr int kCrowd = 200'000;

// A runtime in which so many tasks wait for an event, each with a deadline.
struct Place {
  explicit Place(int others) {
    for (int i = 0; i < others; ++i) {
      scope.spawn("other", wait_an_hour(&runtime, &nothing));
    }
    run_to(runtime, scope);
  }

  RealRuntime runtime{1};
  Event nothing{runtime, "nothing"};
  Scope scope{runtime, "bench"};
};

void spawn(benchmark::State& state, int others) {
  Place place(others);
  int runs = 0;
  while (state.KeepRunningBatch(kBatch)) {
    for (int i = 0; i < kBatch; ++i) {
      place.scope.spawn("task", at_once(&runs));
    }
    run_to(place.runtime, place.scope);
  }
  benchmark::DoNotOptimize(runs);
}

void event(benchmark::State& state, int others) {
  Place place(others);
  Event left(place.runtime, "the ball on the left");
  Event right(place.runtime, "the ball on the right");
  Event done(place.runtime, "the end of a game");
  while (state.KeepRunningBatch(kBatch)) {
    left.reset();
    done.reset();
    place.scope.spawn("left", play(&left, &right, nullptr));
    place.scope.spawn("right", play(&right, &left, &done));
    place.scope.spawn("stop", stop_when_set(&place.runtime, &done));
    left.set();
    place.runtime.run();
  }
}

Task<void> sleep_on(RealRuntime* runtime, CancelSource* source) {
  co_await sleep_for(*runtime, hours(1), source->token());
}

Task<void> cancel(RealRuntime* runtime, CancelSource* source) {
  source->cancel();
  co_await berth::rt::Yield(*runtime);
  runtime->stop();
}

// Armed behind half of the crowd's timers and cancelled again.
void timer(benchmark::State& state, int others) {
  Place place(others);
  while (state.KeepRunningBatch(kBatch)) {
    CancelSource source;
    for (int i = 0; i < kBatch; ++i) {
      place.scope.spawn("sleeper", sleep_on(&place.runtime, &source));
    }
    place.scope.spawn("canceller", cancel(&place.runtime, &source));
    place.runtime.run();
  }
}

BENCHMARK_CAPTURE(spawn, alone, kAlone)->Name("spawn/alone");
BENCHMARK_CAPTURE(spawn, crowd, kCrowd)->Name("spawn/crowd");
BENCHMARK_CAPTURE(event, alone, kAlone)->Name("event/alone");
BENCHMARK_CAPTURE(event, crowd, kCrowd)->Name("event/crowd");
BENCHMARK_CAPTURE(timer, alone, kAlone)->Name("timer/alone");
BENCHMARK_CAPTURE(timer, crowd, kCrowd)->Name("timer/crowd");

}  // namespace

BENCHMARK_MAIN();
