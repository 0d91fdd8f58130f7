// What a timer costs, beside Asio's.
#include <benchmark/benchmark.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <deque>
#include <vector>

#include "batches.h"
#include "rt/cancel.h"
#include "rt/event.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"

namespace {

namespace asio = boost::asio;
using berth::bench::kBatch;
using berth::bench::stop_when_set;
using berth::rt::CancelSource;
using berth::rt::Event;
using berth::rt::RealRuntime;
using berth::rt::Scope;
using berth::rt::Task;
using std::chrono::hours;
using std::chrono::microseconds;

constexpr int kSleepers = 100;
constexpr int kRounds = kBatch / kSleepers;

// A timer armed and fired, a hundred at a time within a tenth of a millisecond.

microseconds nap_of(int sleeper) {
  return microseconds(sleeper * 37 % kSleepers);
}

Task<void> nap(RealRuntime* runtime, int sleeper, int* left, Event* done) {
  for (int round = 0; round < kRounds; ++round) {
    co_await sleep_for(*runtime, nap_of(sleeper), {});
  }
  if (--*left == 0) {
    done->set();
  }
}

void timer_fired_berth(benchmark::State& state) {
  RealRuntime runtime(1);
  Event done(runtime, "the last sleeper");
  Scope scope(runtime, "bench");
  while (state.KeepRunningBatch(kBatch)) {
    int left = kSleepers;
    done.reset();
    for (int i = 0; i < kSleepers; ++i) {
      scope.spawn("sleeper", nap(&runtime, i, &left, &done));
    }
    scope.spawn("stop", stop_when_set(&runtime, &done));
    runtime.run();
  }
}

asio::awaitable<void> nap_asio(asio::io_context* context, int sleeper) {
  asio::steady_timer timer(*context);
  for (int round = 0; round < kRounds; ++round) {
    timer.expires_after(nap_of(sleeper));
    co_await timer.async_wait(asio::use_awaitable);
  }
}

void timer_fired_asio(benchmark::State& state) {
  asio::io_context context(1);
  while (state.KeepRunningBatch(kBatch)) {
    for (int i = 0; i < kSleepers; ++i) {
      asio::co_spawn(context, nap_asio(&context, i), asio::detached);
    }
    context.run();
    context.restart();
  }
}

// A timer armed and cancelled, a hundred at a time.

Task<void> sleep_on(RealRuntime* runtime, std::deque<CancelSource>* sources) {
  for (CancelSource& source : *sources) {
    co_await sleep_for(*runtime, hours(1), source.token());
  }
}

// Spawned last, so that everybody sleeps when it cancels.
Task<void> cancel_all(RealRuntime* runtime, std::deque<CancelSource>* sources) {
  for (CancelSource& source : *sources) {
    source.cancel();
    co_await berth::rt::Yield(*runtime);
  }
  runtime->stop();
}

void timer_cancelled_berth(benchmark::State& state) {
  RealRuntime runtime(1);
  Scope scope(runtime, "bench");
  while (state.KeepRunningBatch(kBatch)) {
    std::deque<CancelSource> sources(kRounds);
    for (int i = 0; i < kSleepers; ++i) {
      scope.spawn("sleeper", sleep_on(&runtime, &sources));
    }
    scope.spawn("canceller", cancel_all(&runtime, &sources));
    runtime.run();
  }
}

asio::awaitable<void> sleep_on_asio(asio::steady_timer* timer) {
  for (int round = 0; round < kRounds; ++round) {
    timer->expires_after(hours(1));
    co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

asio::awaitable<void> cancel_all_asio(asio::io_context* context,
                                      std::vector<asio::steady_timer>* timers) {
  for (int round = 0; round < kRounds; ++round) {
    for (asio::steady_timer& timer : *timers) {
      timer.cancel();
    }
    co_await asio::post(*context, asio::use_awaitable);
  }
}

void timer_cancelled_asio(benchmark::State& state) {
  asio::io_context context(1);
  std::vector<asio::steady_timer> timers;
  for (int i = 0; i < kSleepers; ++i) {
    timers.emplace_back(context);
  }
  while (state.KeepRunningBatch(kBatch)) {
    for (asio::steady_timer& timer : timers) {
      asio::co_spawn(context, sleep_on_asio(&timer), asio::detached);
    }
    asio::co_spawn(context, cancel_all_asio(&context, &timers), asio::detached);
    context.run();
    context.restart();
  }
}

BENCHMARK(timer_fired_berth)->Name("fired/berth");
BENCHMARK(timer_fired_asio)->Name("fired/asio");
BENCHMARK(timer_cancelled_berth)->Name("cancelled/berth");
BENCHMARK(timer_cancelled_asio)->Name("cancelled/asio");

}  // namespace

BENCHMARK_MAIN();
