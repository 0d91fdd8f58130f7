// The runtime of a process: real clocks, sockets and threads. The only room that sees Asio.
#pragma once

#include <memory>

#include "rt/pool.h"
#include "rt/random.h"
#include "rt/runtime.h"
#include "rt/time.h"

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): Asio's name
}

namespace berth::rt {

class RealRuntime final : public Runtime {
 public:
  // `threads` for passes over immutable data, this one included; 0 means one a processor.
  explicit RealRuntime(unsigned threads = 0);
  ~RealRuntime() override;

  Time now() const override;
  WallTime wall_now() const override;
  Random& random() override;
  Pool& pool() override;

  // Runs until stop() and returns then; what is suspended stays so until its scope is destroyed, or
  // until the next run().
  void run();
  // From any thread, but not from within a signal handler. One that comes before run() is not lost:
  // the next run() returns at once.
  void stop();

  // For the rooms that bring sockets to it. Its handlers may notify and set what tasks wait for;
  // they do not resume coroutines themselves.
  boost::asio::io_context& context();

 private:
  struct Parts;

  explicit RealRuntime(std::unique_ptr<Parts> parts);

  void schedule_turn();
  void turn();
  void arm_timer();

  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::rt
