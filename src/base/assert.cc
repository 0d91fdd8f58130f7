#include "base/assert.h"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace berth {

namespace {

// Process-wide on purpose: a bug is the process's, and whoever finds one holds no service that
// could be asked.
std::atomic<bool> bugs_are_fatal{true};
std::atomic<std::uint64_t> bugs{0};

void print_stack() {
  std::array<void*, 64> frames{};
  const int depth = backtrace(frames.data(), static_cast<int>(frames.size()));
  backtrace_symbols_fd(frames.data(), depth, STDERR_FILENO);
}

void report(const char* kind, const char* condition, const char* why, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, kind, condition, why);
  std::fflush(stderr);
}

}  // namespace

void assertion_failed(const char* condition, const char* why, const char* file, int line) {
  report("assertion failed", condition, why, file, line);
  std::abort();
}

void bug_found(const char* condition, const char* why, const char* file, int line) {
  const std::uint64_t before = bugs.fetch_add(1, std::memory_order_relaxed);
  if (before < kBugReportsMax) {
    report("bug", condition, why, file, line);
    print_stack();
  }
  if (bugs_are_fatal.load(std::memory_order_relaxed)) {
    std::abort();
  }
}

void survive_bugs() {
  bugs_are_fatal.store(false, std::memory_order_relaxed);
}

std::uint64_t bug_count() {
  return bugs.load(std::memory_order_relaxed);
}

}  // namespace berth
