// Running a batch of tasks on the real runtime to its end.
#pragma once

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

}  // namespace berth::bench
