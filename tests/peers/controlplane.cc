#include "controlplane.h"

#include <signal.h>
#include <spawn.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"

namespace berth::tests {
namespace {

constexpr std::size_t kHeaderLen = 4;

Error unavailable(std::string text) {
  return Error(ErrorCode::kUnavailable, std::move(text));
}

std::string header_of(std::size_t length) {
  const auto value = static_cast<std::uint32_t>(length);
  std::string header;
  for (int shift = 24; shift >= 0; shift -= 8) {
    header.push_back(static_cast<char>((value >> shift) & 0xffU));
  }
  return header;
}

std::size_t length_in(std::string_view header) {
  std::uint32_t value = 0;
  for (const char byte : header) {
    value = (value << 8U) | static_cast<unsigned char>(byte);
  }
  return value;
}

// Runs the program with `end` as its stdin and stdout; stderr stays ours, so that its complaints
// are seen. Returns an errno.
int spawn(const std::string& program,
          const std::vector<std::string>& arguments,
          int end,
          pid_t* pid) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
  const int failure = posix_spawn(pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

}  // namespace

Result<std::unique_ptr<ControlPlane>> ControlPlane::start(const Role& role, Patience patience) {
  const char* program = std::getenv("BERTH_CONTROLPLANE");
  if (program == nullptr || *program == '\0') {
    return Error(ErrorCode::kNotFound,
                 "BERTH_CONTROLPLANE is not set to the path tests/cluster/build prints");
  }
  return start_program(program, role, patience);
}

Result<std::unique_ptr<ControlPlane>> ControlPlane::start_program(const std::string& program,
                                                                  const Role& role,
                                                                  Patience patience) {
  // A socket rather than two pipes: writing to a program that has ended is then an error we can
  // ask for instead of a signal.
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return unavailable(std::string("socketpair: ") + std::strerror(errno));
  }
  // NOLINTNEXTLINE(misc-include-cleaner): the clock's header is <time.h>, of which it is a part
  const int timer = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  if (timer < 0) {
    const int failure = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    return unavailable(std::string("timerfd_create: ") + std::strerror(failure));
  }
  pid_t pid = 0;
  const int failure = spawn(program, role.arguments, ends[1], &pid);
  ::close(ends[1]);
  if (failure != 0) {
    ::close(ends[0]);
    ::close(timer);
    return Error(ErrorCode::kNotFound, program + ": " + std::strerror(failure));
  }
  return std::unique_ptr<ControlPlane>(
      new ControlPlane(pid, ends[0], timer, role.answers, patience));
}

ControlPlane::ControlPlane(pid_t pid, int socket, int timer, std::size_t answers, Patience patience)
    : pid_(pid), socket_(socket), timer_(timer), answers_(answers), patience_(patience) {}

ControlPlane::~ControlPlane() {
  // A healthy program leaves when its input ends, and its side of the socket closes with it. One
  // that does not is ended; for one that has left the signal comes too late to matter.
  if (!is_broken_) {
    ::shutdown(socket_, SHUT_WR);
    start_timer();
    // The end of the stream, the end of patience, or words nobody asked for.
    (void)receive(1);
  }
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    // Interrupted by a signal of ours, not answered yet.
  }
  ::close(socket_);
  ::close(timer_);
}

Result<std::vector<std::string>> ControlPlane::exchange(std::string_view request) {
  if (is_broken_) {
    return unavailable("the conversation has ended");
  }
  if (request.size() > kFrameLenMax) {
    return Error(ErrorCode::kLimit, "a request of " + std::to_string(request.size()) + " bytes");
  }
  auto answer = converse(request);
  is_broken_ = !answer && answer.error().code() == ErrorCode::kUnavailable;
  return answer;
}

Result<std::vector<std::string>> ControlPlane::converse(std::string_view request) {
  start_timer();
  if (auto sent = send_all(header_of(request.size())); !sent) {
    return std::move(sent).error();
  }
  if (auto sent = send_all(request); !sent) {
    return std::move(sent).error();
  }
  BERTH_TRY(const std::string refusal, receive_frame());
  std::vector<std::string> answers;
  for (std::size_t i = 0; i < answers_; ++i) {
    BERTH_TRY(std::string frame, receive_frame());
    answers.push_back(std::move(frame));
  }
  if (!refusal.empty()) {
    return Error(ErrorCode::kInvalid, refusal);
  }
  return answers;
}

Result<void> ControlPlane::send_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (auto ready = wait_for(POLLOUT); !ready) {
        return ready;
      }
    } else if (errno != EINTR) {
      return unavailable(std::string("asking: ") + std::strerror(errno));
    }
  }
  return {};
}

Result<std::string> ControlPlane::receive(std::size_t length) {
  std::string bytes(length, '\0');
  std::size_t received = 0;
  while (received < length) {
    const ssize_t count = ::recv(socket_, bytes.data() + received, length - received, MSG_DONTWAIT);
    if (count > 0) {
      received += static_cast<std::size_t>(count);
    } else if (count == 0) {
      return unavailable("the program has ended");
    } else if (errno == EAGAIN) {
      if (auto ready = wait_for(POLLIN); !ready) {
        return std::move(ready).error();
      }
    } else if (errno != EINTR) {
      return unavailable(std::string("listening: ") + std::strerror(errno));
    }
  }
  return bytes;
}

Result<std::string> ControlPlane::receive_frame() {
  BERTH_TRY(const std::string header, receive(kHeaderLen));
  const std::size_t length = length_in(header);
  if (length > kFrameLenMax) {
    return unavailable("an answer of " + std::to_string(length) + " bytes is no frame");
  }
  return receive(length);
}

// Waits until the socket is ready or patience is at its end.
Result<void> ControlPlane::wait_for(short events) {
  std::array<pollfd, 2> fds = {{{socket_, events, 0}, {timer_, POLLIN, 0}}};
  while (::poll(fds.data(), fds.size(), -1) < 0 && errno == EINTR) {
    // The timer goes on running; nothing is lost by asking again.
  }
  if (fds[0].revents == 0) {
    return unavailable("no answer within " + std::to_string(patience_.count()) + " ms");
  }
  return {};
}

void ControlPlane::start_timer() {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience_);
  itimerspec end{};  // NOLINT(misc-include-cleaner): its header is <time.h>, of which it is a part
  end.it_value.tv_sec = seconds.count();
  end.it_value.tv_nsec = std::chrono::nanoseconds(patience_ - seconds).count();
  ::timerfd_settime(timer_, 0, &end, nullptr);
}

}  // namespace berth::tests
