// What a process says when it aborts, or when a sanitizer ends it: a run that dies cannot tell its
// seed any more, so it is written down before.
#pragma once

#include <csignal>
#include <string_view>

namespace berth {

// One at a time in a process: signals have no other place for what they say.
class LastWords {
 public:
  LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  ~LastWords();

  // To be said from now on instead of what was set before; cut where it is too long.
  void set(std::string_view words);

 private:
  struct sigaction before_ = {};
};

}  // namespace berth
