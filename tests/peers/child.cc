#include "peers/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/result.h"

namespace berth::tests {
namespace {

// Between fork and exec only what is safe there is called.
[[noreturn]] void become(char* const* command, int output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execv(command[0], command);
  constexpr int kNotStarted = 127;
  ::_exit(kNotStarted);
}

}  // namespace

Result<std::unique_ptr<Child>> Child::start(const std::vector<std::string>& command,
                                            const std::string& output_file) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  constexpr int kMode = 0600;
  const int output = ::open(output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (output < 0) {
    return Error(ErrorCode::kUnavailable, output_file + ": " + std::strerror(errno));
  }
  const int pid = ::fork();
  if (pid == 0) {
    become(arguments.data(), output);
  }
  ::close(output);
  if (pid < 0) {
    return Error(ErrorCode::kUnavailable, std::string("fork: ") + std::strerror(errno));
  }
  return std::unique_ptr<Child>(new Child(pid, output_file));
}

Child::~Child() {
  signal(SIGKILL);
  wait();
}

void Child::signal(int number) const {
  if (!has_ended_) {
    ::kill(pid_, number);
  }
}

int Child::wait() {
  if (!has_ended_) {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    has_ended_ = true;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  return code_;
}

std::string Child::output() const {
  std::ifstream file(output_file_);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace berth::tests
