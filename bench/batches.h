// Running a batch of tasks on the real runtime to its end.
#pragma once

#include <chrono>

#include "rt/event.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"

namespace berth::bench {

// A run of the runtime costs something by itself; so many measured things share it.
inline constexpr int kBatch = 1000;

inline rt::Task<void> stop(rt::RealRuntime* runtime) {
  runtime->stop();
  co_return;
}

// Runs what has been spawned, up to its first wait.
inline void run_to(rt::RealRuntime& runtime, rt::Scope& scope) {
  scope.spawn("stop", stop(&runtime));
  runtime.run();
}

inline rt::Task<void> stop_when_set(rt::RealRuntime* runtime, rt::Event* done) {
  co_await done->wait({});
  runtime->stop();
}

inline rt::Task<void> at_once(int* runs) {
  ++*runs;
  co_return;
}

// Half a game between two tasks: a batch of balls goes to and fro.
inline rt::Task<void> play(rt::Event* mine, rt::Event* theirs, rt::Event* done) {
  for (int i = 0; i < kBatch / 2; ++i) {
    co_await mine->wait({});
    mine->reset();
    theirs->set();
  }
  if (done != nullptr) {
    done->set();
  }
}

inline rt::Task<void> wait_an_hour(rt::RealRuntime* runtime, rt::Event* event) {
  co_await event->wait({.deadline = runtime->now() + std::chrono::hours(1)});
}

}  // namespace berth::bench
