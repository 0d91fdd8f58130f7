#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX has more in it than C
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "rt/programs.h"
#include "rt/real/spawn_internal.h"

namespace berth::rt::internal {
namespace {

constexpr int kFirstFree = 3;  // behind the three every program has

Error system_error(int code, std::string_view what) {
  return Error(ErrorCode::kUnavailable, std::strerror(code)).in(what);
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

// Neither end takes the number of a standard stream, should ours be closed: the child's are put
// there one after the other.
Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return system_error(errno, "making a pipe");
  }
  Pipe pipe{.read = Descriptor(ends[0]), .write = Descriptor(ends[1])};
  for (Descriptor* end : {&pipe.read, &pipe.write}) {
    if (end->number() < kFirstFree) {
      Descriptor higher(::fcntl(end->number(), F_DUPFD_CLOEXEC, kFirstFree));
      if (higher.number() < 0) {
        return system_error(errno, "making a pipe");
      }
      *end = std::move(higher);
    }
  }
  return pipe;
}

// "NAME=value", ours with the program's own in their place.
std::vector<std::string> environment_of(const Program& program) {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    bool is_replaced = false;
    for (const auto& [name, value] : program.environment) {
      is_replaced = is_replaced || text.substr(0, text.find('=')) == name;
    }
    if (!is_replaced) {
      all.emplace_back(text);
    }
  }
  for (const auto& [name, value] : program.environment) {
    all.push_back(name + "=" + value);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  // Nothing to read, two pipes to write to, and no other descriptor: sockets are not all marked to
  // be closed.
  int set(int output, int errors) {
    int code = ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    code = code != 0 ? code : ::posix_spawn_file_actions_adddup2(&actions_, output, 1);
    code = code != 0 ? code : ::posix_spawn_file_actions_adddup2(&actions_, errors, 2);
    return code != 0 ? code : ::posix_spawn_file_actions_addclosefrom_np(&actions_, kFirstFree);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

class Attributes {
 public:
  Attributes() { ::posix_spawnattr_init(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }

  // A group of its own, and signals as a program expects them: what we ignore or block is ours.
  int set() {
    sigset_t all{};
    sigset_t none{};
    ::sigfillset(&all);
    ::sigemptyset(&none);
    int code = ::posix_spawnattr_setflags(
        &attributes_,
        static_cast<short>(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
    code = code != 0 ? code : ::posix_spawnattr_setpgroup(&attributes_, 0);
    code = code != 0 ? code : ::posix_spawnattr_setsigdefault(&attributes_, &all);
    return code != 0 ? code : ::posix_spawnattr_setsigmask(&attributes_, &none);
  }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

Error start_error(const Program& program, int code) {
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return {ErrorCode::kNotFound, "there is no program '" + program.path + "'"};
    case EACCES:
    case EPERM:
    case ENOEXEC:
    case ELOOP:
    case ENAMETOOLONG:
      return {ErrorCode::kInvalid,
              "'" + program.path + "' cannot be executed: " + std::strerror(code)};
    default:
      return system_error(code, "starting '" + program.path + "'");
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) {
    ::close(number_);
  }
}

Result<Spawned> spawn(const Program& program) {
  BERTH_TRY(Pipe output, make_pipe());
  BERTH_TRY(Pipe errors, make_pipe());
  FileActions actions;
  Attributes attributes;
  int code = actions.set(output.write.number(), errors.write.number());
  code = code != 0 ? code : attributes.set();
  if (code != 0) {
    return system_error(code, "starting '" + program.path + "'");
  }
  std::vector<std::string> words{program.path};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  std::vector<std::string> environment = environment_of(program);
  Spawned spawned;
  code = ::posix_spawnp(&spawned.pid,
                        program.path.c_str(),
                        actions.get(),
                        attributes.get(),
                        pointers_to(words).data(),
                        pointers_to(environment).data());
  if (code != 0) {
    return start_error(program, code);
  }
  // The wrapper of Debian 12's glibc is not declared as a C function.
  spawned.exit = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, spawned.pid, 0)));
  if (spawned.exit.number() < 0) {
    const int why = errno;
    ::kill(-spawned.pid, SIGKILL);
    ::waitpid(spawned.pid, nullptr, 0);
    return system_error(why, "watching '" + program.path + "'");
  }
  spawned.output = std::move(output.read);
  spawned.errors = std::move(errors.read);
  return spawned;
}

}  // namespace berth::rt::internal
