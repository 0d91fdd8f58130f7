// Programs as processes of this machine.
#pragma once

#include "base/result.h"
#include "rt/programs.h"
#include "rt/real/real_runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::rt {

// A program that is out of time is asked to end (SIGTERM), and killed when it has not within
// `grace`.
class RealPrograms final : public Programs {
 public:
  static constexpr Duration kGrace = std::chrono::seconds(2);

  explicit RealPrograms(RealRuntime& runtime, Duration grace = kGrace)
      : runtime_(runtime), grace_(grace) {}

  Task<Result<ProgramEnd>> run(Program program, Until until) override;

 private:
  RealRuntime& runtime_;
  Duration grace_;
};

}  // namespace berth::rt
