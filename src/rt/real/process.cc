// One coroutine reads both pipes and hears of the end; Asio's handlers only wake it. The group is
// killed while its leader is a zombie: until it is reaped, nobody else can have its number.
#include "rt/real/process.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX has more in it than C
#include <sys/types.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/descriptor_base.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "rt/programs.h"
#include "rt/reactor.h"
#include "rt/real/real_runtime.h"
#include "rt/real/spawn_internal.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::rt {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kErrorsMax = 4096;
constexpr std::size_t kReadSize = 16384;

// Something that becomes readable.
struct Source {
  explicit Source(RealRuntime& runtime) : descriptor(runtime.context()) {}

  asio::posix::stream_descriptor descriptor;
  bool is_watched = false;
};

// A child until it is reaped. Asio's handlers keep it alive, for they come late.
struct Child {
  explicit Child(RealRuntime& runtime)
      : output(runtime), errors(runtime), exit(runtime), changed(runtime, "a program") {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // By now it was killed, so this does not wait for long.
  ~Child() {
    if (!is_reaped) {
      ::waitpid(pid, nullptr, 0);
    }
  }

  // False while it runs. What is left of its group goes with it.
  bool reap() {
    if (is_reaped) {
      return true;
    }
    siginfo_t info{};
    const int found = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (found == 0 && info.si_pid == 0) {
      return false;
    }
    if (found == 0) {
      ::kill(-pid, SIGKILL);
    }
    is_reaped = true;
    int value = 0;
    if (::waitpid(pid, &value, 0) == pid) {
      status = value;
    }
    return true;
  }

  void signal(int number) const {
    if (!is_reaped) {
      ::kill(-pid, number);
    }
  }

  pid_t pid = -1;
  bool is_reaped = false;
  bool is_given_up = false;
  std::optional<int> status;  // none when the process ignores SIGCHLD, and the system reaps
  Source output;
  Source errors;
  Source exit;
  WaitQueue changed;
};

void watch(const std::shared_ptr<Child>& child, Source Child::* source) {
  Source& watched = (*child).*source;
  if (!watched.descriptor.is_open() || std::exchange(watched.is_watched, true)) {
    return;
  }
  watched.descriptor.async_wait(asio::posix::descriptor_base::wait_read,
                                [child, source](const error_code& /*error*/) {
                                  ((*child).*source).is_watched = false;
                                  if (child->is_given_up) {
                                    child->reap();
                                  }
                                  child->changed.notify_all();
                                });
}

// Whoever runs a child has one of these: given up at any await, nothing of it stays.
class Running {
 public:
  explicit Running(std::shared_ptr<Child> child) : child_(std::move(child)) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    error_code ignored;
    child_->output.descriptor.close(ignored);
    child_->errors.descriptor.close(ignored);
    child_->signal(SIGKILL);
    if (!child_->reap()) {
      child_->is_given_up = true;
      watch(child_, &Child::exit);
    }
  }

 private:
  std::shared_ptr<Child> child_;
};

Result<std::shared_ptr<Child>> start(RealRuntime& runtime, const Program& program) {
  BERTH_TRY(internal::Spawned spawned, internal::spawn(program));
  auto child = std::make_shared<Child>(runtime);
  child->pid = spawned.pid;
  for (auto [source, from] : {std::pair(&child->output, &spawned.output),
                              std::pair(&child->errors, &spawned.errors),
                              std::pair(&child->exit, &spawned.exit)}) {
    error_code error;
    source->descriptor.assign(from->number(), error);
    if (!error) {
      from->release();
      // Told to Asio, which otherwise waits in its own way.
      source->descriptor.non_blocking(true, error);
    }
    if (error) {
      child->signal(SIGKILL);
      return Error(ErrorCode::kUnavailable, error.message()).in("watching '" + program.path + "'");
    }
  }
  return child;
}

// Takes what is there now, `take` says whether more is wanted. Closed at its end.
template <typename Take>
void drain(Source& source, const Take& take) {
  std::array<char, kReadSize> buffer{};
  while (source.descriptor.is_open()) {
    error_code error;
    const std::size_t count = source.descriptor.read_some(asio::buffer(buffer), error);
    if (error == asio::error::would_block || error == asio::error::try_again) {
      return;
    }
    if (error) {
      error_code ignored;
      source.descriptor.close(ignored);
      return;
    }
    if (!take(std::string_view(buffer.data(), count))) {
      return;
    }
  }
}

// Takes what the child has written. False when that is too much.
bool take_output(Child& child, std::size_t output_max, ProgramEnd& end) {
  drain(child.output, [&](std::string_view bytes) {
    end.output.append(bytes.substr(0, output_max + 1 - end.output.size()));
    return end.output.size() <= output_max;
  });
  // A program that never stops complaining must not keep us here: as much as a pipe holds, then
  // others get their turn.
  std::size_t seen = 0;
  drain(child.errors, [&](std::string_view bytes) {
    end.errors += bytes;
    end.errors.erase(0, end.errors.size() - std::min(end.errors.size(), kErrorsMax));
    seen += bytes.size();
    return seen < 4 * kReadSize;
  });
  return end.output.size() <= output_max;
}

void tell_end(const Child& child, ProgramEnd& end) {
  const int status = child.status.value_or(0);
  end.how = WIFSIGNALED(status) ? ProgramEnd::How::kSignalled : ProgramEnd::How::kExited;
  end.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

Error cancelled() {
  return {ErrorCode::kCancelled, "cancelled"};
}

// Waits until the child has ended, and takes what it writes meanwhile: a full pipe would keep it
// from ending. Notified means ended, or that it wrote too much.
Task<Wake> wait_for_end(std::shared_ptr<Child> child,
                        std::size_t output_max,
                        ProgramEnd* end,
                        Until until) {
  while (true) {
    const bool has_ended = child->reap();
    if (!take_output(*child, output_max, *end) || has_ended) {
      co_return Wake::kNotified;
    }
    watch(child, &Child::output);
    watch(child, &Child::errors);
    watch(child, &Child::exit);
    const Wake wake = co_await child->changed.wait(until);
    if (wake != Wake::kNotified) {
      co_return wake;
    }
  }
}

}  // namespace

Task<Result<ProgramEnd>> RealPrograms::run(Program program, Until until) {
  if (until.token.is_cancelled()) {
    co_return cancelled();
  }
  auto started = start(runtime_, program);
  if (!started) {
    co_return std::move(started).error();
  }
  const std::shared_ptr<Child> child = *std::move(started);
  const Running running(child);
  ProgramEnd end;
  Until sooner = until;
  sooner.deadline = std::min(until.deadline, after(runtime_.now(), program.time_max));
  Wake wake = co_await wait_for_end(child, program.output_max, &end, sooner);
  if (wake == Wake::kNotified && end.output.size() > program.output_max) {
    end.output.resize(program.output_max);
    end.how = ProgramEnd::How::kTooMuch;
    co_return end;
  }
  if (wake == Wake::kNotified) {
    if (!child->status) {
      co_return Error(ErrorCode::kUnavailable,
                      "how it ended is not known: this process was started with SIGCHLD ignored");
    }
    tell_end(*child, end);
    co_return end;
  }
  if (wake == Wake::kDeadline) {
    child->signal(SIGTERM);
    sooner.deadline = after(runtime_.now(), grace_);
    wake = co_await wait_for_end(child, program.output_max, &end, sooner);
    end.how = ProgramEnd::How::kTooLate;
  }
  if (wake == Wake::kCancelled) {
    co_return cancelled();
  }
  co_return end;
}

}  // namespace berth::rt
