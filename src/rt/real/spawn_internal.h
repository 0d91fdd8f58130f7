// Starting a process with pipes at its outputs.
#pragma once

#include <sys/types.h>

#include <utility>

#include "base/result.h"
#include "rt/programs.h"

namespace berth::rt::internal {

// A file descriptor that is closed with it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

struct Spawned {
  pid_t pid = -1;
  Descriptor output;  // to read from
  Descriptor errors;
  Descriptor exit;  // readable once the process has ended
};

// The process leads a group of its own and has no descriptor of ours. It must be reaped.
Result<Spawned> spawn(const Program& program);

}  // namespace berth::rt::internal
