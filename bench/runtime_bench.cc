// What the runtime costs, beside Asio's own coroutines doing the same on an io_context. Compare the
// two rows of a name in one run: spawn/berth with spawn/asio. Both run on the real clock and epoll.
#include <benchmark/benchmark.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>

#include "batches.h"
#include "rt/channel.h"
#include "rt/event.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"

namespace {

namespace asio = boost::asio;
using berth::bench::at_once;
using berth::bench::kBatch;
using berth::bench::play;
using berth::bench::run_to;
using berth::bench::stop_when_set;
using berth::bench::wait_an_hour;
using berth::rt::Channel;
using berth::rt::Event;
using berth::rt::RealRuntime;
using berth::rt::Scope;
using berth::rt::Task;
using std::chrono::hours;

constexpr int kWaitingTasks = 200'000;

// What a started process keeps resident, in bytes.
std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t total_pages = 0;
  std::int64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

// By how much `fill` makes a process of its own grow for each waiting task.
double bytes_per_task(std::int64_t (*fill)()) {
  int ends[2];
  if (pipe(ends) != 0) {
    return 0;
  }
  const pid_t child = fork();
  if (child == 0) {
    const std::int64_t grown = fill();
    const bool is_written = write(ends[1], &grown, sizeof grown) == sizeof grown;
    _exit(is_written ? 0 : 1);
  }
  std::int64_t grown = 0;
  close(ends[1]);
  const bool is_read = child > 0 && read(ends[0], &grown, sizeof grown) == sizeof grown;
  close(ends[0]);
  if (child > 0) {
    waitpid(child, nullptr, 0);
  }
  return is_read ? static_cast<double>(grown) / kWaitingTasks : 0;
}

void report_bytes(benchmark::State& state, double bytes) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes);
  }
  if (bytes <= 0) {
    state.SkipWithError("the memory of a process of its own could not be read");
  }
  state.counters["bytes"] = bytes;
}

// Memory of tasks that wait.

std::int64_t fill_berth() {
  const std::int64_t before = resident_bytes();
  RealRuntime runtime(1);
  Event event(runtime, "nothing");
  Scope scope(runtime, "bench");
  for (int i = 0; i < kWaitingTasks; ++i) {
    scope.spawn("task", wait_an_hour(&runtime, &event));
  }
  run_to(runtime, scope);
  return resident_bytes() - before;
}

asio::awaitable<void> wait_asio(asio::io_context* context) {
  asio::steady_timer timer(*context, hours(1));
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

std::int64_t fill_asio() {
  const std::int64_t before = resident_bytes();
  asio::io_context context(1);
  for (int i = 0; i < kWaitingTasks; ++i) {
    asio::co_spawn(context, wait_asio(&context), asio::detached);
  }
  context.poll();
  return resident_bytes() - before;
}

void waiting_task_berth(benchmark::State& state) {
  static const double bytes = bytes_per_task(fill_berth);
  report_bytes(state, bytes);
}

void waiting_task_asio(benchmark::State& state) {
  static const double bytes = bytes_per_task(fill_asio);
  report_bytes(state, bytes);
}

// A task spawned, run and ended.

void spawn_berth(benchmark::State& state) {
  RealRuntime runtime(1);
  Scope scope(runtime, "bench");
  int runs = 0;
  while (state.KeepRunningBatch(kBatch)) {
    for (int i = 0; i < kBatch; ++i) {
      scope.spawn("task", at_once(&runs));
    }
    run_to(runtime, scope);
  }
  benchmark::DoNotOptimize(runs);
}

asio::awaitable<void> at_once_asio(int* runs) {
  ++*runs;
  co_return;
}

void spawn_asio(benchmark::State& state) {
  asio::io_context context(1);
  int runs = 0;
  while (state.KeepRunningBatch(kBatch)) {
    for (int i = 0; i < kBatch; ++i) {
      asio::co_spawn(context, at_once_asio(&runs), asio::detached);
    }
    context.run();
    context.restart();
  }
  benchmark::DoNotOptimize(runs);
}

// An await of a coroutine that returns at once.

[[gnu::noinline]] Task<int> next_of(int number) {
  co_return number + 1;
}

Task<void> count_up(int* number) {
  for (int i = 0; i < kBatch; ++i) {
    *number = co_await next_of(*number);
  }
}

void ready_await_berth(benchmark::State& state) {
  RealRuntime runtime(1);
  Scope scope(runtime, "bench");
  int number = 0;
  while (state.KeepRunningBatch(kBatch)) {
    scope.spawn("task", count_up(&number));
    run_to(runtime, scope);
  }
  benchmark::DoNotOptimize(number);
}

[[gnu::noinline]] asio::awaitable<int> next_of_asio(int number) {
  co_return number + 1;
}

asio::awaitable<void> count_up_asio(int* number) {
  for (int i = 0; i < kBatch; ++i) {
    *number = co_await next_of_asio(*number);
  }
}

void ready_await_asio(benchmark::State& state) {
  asio::io_context context(1);
  int number = 0;
  while (state.KeepRunningBatch(kBatch)) {
    asio::co_spawn(context, count_up_asio(&number), asio::detached);
    context.run();
    context.restart();
  }
  benchmark::DoNotOptimize(number);
}

// An event set by one task and seen by the other.

void event_berth(benchmark::State& state) {
  RealRuntime runtime(1);
  Event left(runtime, "the ball on the left");
  Event right(runtime, "the ball on the right");
  Event done(runtime, "the end of a game");
  Scope scope(runtime, "bench");
  while (state.KeepRunningBatch(kBatch)) {
    left.reset();
    done.reset();
    scope.spawn("left", play(&left, &right, nullptr));
    scope.spawn("right", play(&right, &left, &done));
    scope.spawn("stop", stop_when_set(&runtime, &done));
    left.set();
    runtime.run();
  }
}

// An item through a channel of capacity 1 to another task.

Task<void> send_all(Channel<int>* channel) {
  for (int i = 0; i < kBatch; ++i) {
    co_await channel->send(i, {});
  }
}

Task<void> receive_all(RealRuntime* runtime, Channel<int>* channel, int* sum) {
  for (int i = 0; i < kBatch; ++i) {
    const std::optional<int> item = co_await channel->receive({});
    *sum += item.value_or(0);
  }
  runtime->stop();
}

void channel_berth(benchmark::State& state) {
  RealRuntime runtime(1);
  Channel<int> channel(runtime, "numbers", 1);
  Scope scope(runtime, "bench");
  int sum = 0;
  while (state.KeepRunningBatch(kBatch)) {
    sum = 0;
    scope.spawn("sender", send_all(&channel));
    scope.spawn("receiver", receive_all(&runtime, &channel, &sum));
    runtime.run();
  }
  benchmark::DoNotOptimize(sum);
}

using AsioChannel = asio::experimental::channel<void(boost::system::error_code, int)>;

asio::awaitable<void> send_all_asio(AsioChannel* channel) {
  for (int i = 0; i < kBatch; ++i) {
    co_await channel->async_send({}, i, asio::use_awaitable);
  }
}

asio::awaitable<void> receive_all_asio(AsioChannel* channel, int* sum) {
  for (int i = 0; i < kBatch; ++i) {
    *sum += co_await channel->async_receive(asio::use_awaitable);
  }
}

void channel_asio(benchmark::State& state) {
  asio::io_context context(1);
  AsioChannel channel(context, 1);
  int sum = 0;
  while (state.KeepRunningBatch(kBatch)) {
    sum = 0;
    asio::co_spawn(context, send_all_asio(&channel), asio::detached);
    asio::co_spawn(context, receive_all_asio(&channel, &sum), asio::detached);
    context.run();
    context.restart();
  }
  benchmark::DoNotOptimize(sum);
}

// Memory first, while this process holds little that a child could use again.
BENCHMARK(waiting_task_berth)->Name("waiting_task/berth/memory");
BENCHMARK(waiting_task_asio)->Name("waiting_task/asio/memory");
BENCHMARK(spawn_berth)->Name("spawn/berth");
BENCHMARK(spawn_asio)->Name("spawn/asio");
BENCHMARK(ready_await_berth)->Name("ready_await/berth");
BENCHMARK(ready_await_asio)->Name("ready_await/asio");
BENCHMARK(event_berth)->Name("event/berth");
BENCHMARK(channel_berth)->Name("channel/berth");
BENCHMARK(channel_asio)->Name("channel/asio");

}  // namespace

BENCHMARK_MAIN();
