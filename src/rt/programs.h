// Running another program to its end: what it is given, and what came of it. Real
// (real/process.h), or a fake's answers in tests.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::rt {

struct Program {
  std::string path;  // or a name, looked for in PATH
  std::vector<std::string> arguments;
  // Name and value: added to our own environment, or in the place of what has the name there.
  std::vector<std::pair<std::string, std::string>> environment;
  std::size_t output_max = std::size_t{1} << 20U;
  Duration time_max = std::chrono::seconds(60);
};

struct ProgramEnd {
  enum class How : std::uint8_t {
    kExited,     // by itself
    kSignalled,  // by a signal that was not ours
    kTooLate,    // by us, after time_max or at the deadline
    kTooMuch,    // by us, after output_max
  };

  How how = How::kExited;
  int code = 0;        // exit code, or the signal
  std::string output;  // what it wrote to standard output
  std::string errors;  // the last 4 KiB of what it wrote to standard error
};

class Programs {
 public:
  Programs() = default;
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  virtual ~Programs() = default;

  // Its standard input is empty, its process group its own. Whatever of the group is left when it
  // has ended is killed, and so is all of it when this is cancelled or given up.
  //
  // kNotFound: there is no such program; kInvalid: it cannot be executed; kUnavailable: the system
  // has no room for it; kCancelled.
  virtual Task<Result<ProgramEnd>> run(Program program, Until until) = 0;
};

}  // namespace berth::rt
