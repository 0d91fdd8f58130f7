#include "rt/real/real_runtime.h"

#include <time.h>  // clock_gettime: the standard has no clock that counts sleep

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <utility>

#include "rt/pool.h"
#include "rt/random.h"
#include "rt/reactor.h"
#include "rt/real/thread_pool.h"
#include "rt/runtime.h"
#include "rt/time.h"

namespace berth::rt {
namespace {

namespace asio = boost::asio;

// So many coroutines run before sockets and timers are looked at again.
constexpr int kTurnLen = 256;

// Deadlines from here on need no timer, and would be too much for Asio's clock.
constexpr Time kFarAway{std::chrono::years(100)};

// Goes on while the machine sleeps, which the clock of Asio's timers does not: what was promised
// until a deadline is over when the machine wakes up behind it.
std::chrono::nanoseconds since_boot() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::uint64_t real_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

unsigned pool_threads(unsigned wanted) {
  return wanted != 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

struct RealRuntime::Parts {
  explicit Parts(unsigned threads)
      : context(1),
        work(context.get_executor()),
        timer(context),
        random(real_seed()),
        pool(threads) {}

  std::chrono::nanoseconds started = since_boot();
  Reactor reactor;
  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  asio::steady_timer timer;
  Time armed = kNever;    // what the timer is set to
  bool has_turn = false;  // a turn is posted, or runs
  Random random;
  ThreadPool pool;
};

RealRuntime::RealRuntime(unsigned threads)
    : RealRuntime(std::make_unique<Parts>(pool_threads(threads))) {}

RealRuntime::RealRuntime(std::unique_ptr<Parts> parts)
    : Runtime(parts->reactor), parts_(std::move(parts)) {
  parts_->reactor.on_work([this] { schedule_turn(); });
}

RealRuntime::~RealRuntime() {
  parts_->reactor.on_work(nullptr);
}

Time RealRuntime::now() const {
  return Time(since_boot() - parts_->started);
}

WallTime RealRuntime::wall_now() const {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

Random& RealRuntime::random() {
  return parts_->random;
}

Pool& RealRuntime::pool() {
  return parts_->pool;
}

asio::io_context& RealRuntime::context() {
  return parts_->context;
}

void RealRuntime::run() {
  // Deadlines that were set before, from outside of a turn.
  schedule_turn();
  parts_->context.run();
  parts_->context.restart();
}

void RealRuntime::stop() {
  parts_->context.stop();
}

void RealRuntime::schedule_turn() {
  if (!parts_->has_turn) {
    parts_->has_turn = true;
    asio::post(parts_->context, [this] { turn(); });
  }
}

void RealRuntime::turn() {
  Reactor& reactor = parts_->reactor;
  reactor.fire(now());
  for (int i = 0; i < kTurnLen && !parts_->context.stopped() && reactor.run_one(); ++i) {
  }
  parts_->has_turn = false;
  if (reactor.has_ready()) {
    schedule_turn();
  }
  arm_timer();
}

void RealRuntime::arm_timer() {
  const Time deadline = parts_->reactor.next_deadline();
  const Time next = deadline < kFarAway ? deadline : kNever;
  if (next == parts_->armed) {
    return;
  }
  parts_->armed = next;
  if (next == kNever) {
    parts_->timer.cancel();
    return;
  }
  // A timer that slept with the machine is late by no more than it was set for.
  const Time current = now();
  parts_->timer.expires_after(std::max(next, current) - current);
  parts_->timer.async_wait([this](const boost::system::error_code& error) {
    if (!error) {
      parts_->armed = kNever;
      schedule_turn();
    }
  });
}

}  // namespace berth::rt
