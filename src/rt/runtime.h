// What code that waits is given: a clock, randomness, a place for its coroutines and for passes
// over immutable data. Real (real/real_runtime.h) or simulated (simulation.h); code cannot tell.
#pragma once

#include "rt/pool.h"
#include "rt/random.h"
#include "rt/reactor.h"
#include "rt/time.h"

namespace berth::rt {

class Runtime {
 public:
  explicit Runtime(Reactor& reactor) : reactor_(reactor) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  virtual Time now() const = 0;
  virtual WallTime wall_now() const = 0;
  virtual Random& random() = 0;
  virtual Pool& pool() = 0;

  // When the reactor's clock shows what `local` means on this runtime's. They differ where several
  // simulated processes with clocks of their own share a reactor.
  virtual Time reactor_time(Time local) const { return local; }

  Reactor& reactor() { return reactor_; }

 private:
  Reactor& reactor_;
};

}  // namespace berth::rt
