// A program that runs beside a test, and never longer than it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace berth::tests {

class Child {
 public:
  // What it prints goes to the file, which is made anew.
  static Result<std::unique_ptr<Child>> start(const std::vector<std::string>& command,
                                              const std::string& output_file);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Kills it, if it still runs.
  ~Child();

  void signal(int number) const;
  // Waits for its end: the exit code, or minus the signal that ended it.
  int wait();
  // What it has printed so far.
  std::string output() const;

 private:
  Child(int pid, std::string output_file) : pid_(pid), output_file_(std::move(output_file)) {}

  int pid_;
  std::string output_file_;
  bool has_ended_ = false;
  int code_ = 0;
};

}  // namespace berth::tests
