#include "base/last_words.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <string_view>

#include "base/assert.h"

// A sanitizer ends the process without a signal, and calls this first. There only in such builds.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is the sanitizers'
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace berth {
namespace {

// Process-wide on purpose: a signal handler is given nothing else.
std::array<char, 1024> words_said{};
std::atomic<std::size_t> words_len{0};
std::atomic<bool> is_taken{false};

// Only what a signal handler may do.
void say_words() {
  const std::size_t len = words_len.exchange(0);
  if (len > 0) {
    // Nobody is left to hear that it failed.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words_said.data(), len);
  }
}

// abort() ends the process when this returns.
void on_abort(int /*signal*/) {
  say_words();
}

}  // namespace

LastWords::LastWords() {
  BERTH_ASSERT(!is_taken.exchange(true), "one run at a time has last words");
  struct sigaction action = {};
  action.sa_handler = &on_abort;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGABRT, &action, &before_);
  if (::__sanitizer_set_death_callback != nullptr) {
    ::__sanitizer_set_death_callback(&say_words);
  }
}

LastWords::~LastWords() {
  words_len = 0;
  ::sigaction(SIGABRT, &before_, nullptr);
  is_taken = false;
}

void LastWords::set(std::string_view words) {
  // In between there are none: half of the old and half of the new would send people astray.
  words_len = 0;
  const std::size_t len = std::min(words.size(), words_said.size());
  std::copy_n(words.begin(), len, words_said.begin());
  words_len = len;
}

}  // namespace berth
