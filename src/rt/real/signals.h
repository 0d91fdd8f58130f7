// Signals of the operating system as something a task can wait for.
#pragma once

#include <initializer_list>
#include <memory>

#include "rt/real/real_runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::rt {

// From when it is made until it is destroyed these signals no longer end the process. `runtime`
// outlives it.
class Signals {
 public:
  Signals(RealRuntime& runtime, std::initializer_list<int> numbers);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // Waits for one of them and gives its number; 0 when the wait ended before. One that came while
  // nobody waited is not lost.
  Task<int> next(Until until);

 private:
  struct State;
  static void listen(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace berth::rt
