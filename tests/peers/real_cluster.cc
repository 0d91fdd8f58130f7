#include "peers/real_cluster.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "base/secret.h"
#include "peers/controlplane.h"

namespace berth::tests {
namespace {

// The program itself gives a server two minutes.
constexpr std::chrono::minutes kPatience{3};

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error(ErrorCode::kNotFound, path + ": cannot be read");
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Files in place of pipes: nobody has to read while the program runs.
struct Streams {
  std::string input;
  std::string output;
  std::string errors;
};

// Runs a program to its end and gives its exit code; 128 and more for a signal.
Result<int> run(std::vector<std::string> words, const Streams& streams, const std::string& home) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  // What a person keeps at home (settings, caches) is none of a test's business.
  std::string home_setting = "HOME=" + home;
  std::vector<char*> environment = {home_setting.data()};
  for (char** setting = environ; *setting != nullptr; ++setting) {
    if (!std::string_view(*setting).starts_with("HOME=")) {
      environment.push_back(*setting);
    }
  }
  environment.push_back(nullptr);

  constexpr int kWritten = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, streams.input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, streams.output.c_str(), kWritten, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, streams.errors.c_str(), kWritten, 0600);
  pid_t pid = 0;
  const int failure =
      posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    return Error(ErrorCode::kNotFound, words[0] + ": " + std::strerror(failure));
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    // Interrupted by a signal of ours, not answered yet.
  }
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace

Result<std::unique_ptr<RealCluster>> RealCluster::start(const Options& options) {
  Role role{.arguments = {"cluster", "--frames", "--controllers", options.controllers},
            .answers = 2};
  for (const std::string& argument : options.server_arguments) {
    role.arguments.insert(role.arguments.end(), {"--server-arg", argument});
  }
  BERTH_TRY(std::unique_ptr<ControlPlane> program, ControlPlane::start(role, kPatience));
  BERTH_TRY(std::vector<std::string> answer, program->exchange("status"));
  std::unique_ptr<RealCluster> cluster(
      new RealCluster(std::move(program), std::move(answer[0]), std::move(answer[1])));

  const std::string_view url = cluster->url_;
  const std::string_view port = url.substr(url.rfind(':') + 1);
  if (std::from_chars(port.data(), port.data() + port.size(), cluster->port_).ec != std::errc{}) {
    return Error(ErrorCode::kInvalid, cluster->url_ + ": has no port");
  }
  BERTH_TRY(std::string token, read_file(cluster->folder_ + "/token"));
  cluster->token_ = Secret(std::move(token));
  BERTH_TRY(cluster->authorities_pem_, read_file(cluster->folder_ + "/ca.crt"));
  return cluster;
}

RealCluster::RealCluster(std::unique_ptr<ControlPlane> program, std::string folder, std::string url)
    : program_(std::move(program)), folder_(std::move(folder)), url_(std::move(url)) {}

Result<void> RealCluster::command(std::string_view name) {
  auto answer = program_->exchange(name);
  if (!answer) {
    return std::move(answer).error().in(name);
  }
  return {};
}

Result<std::string> RealCluster::kubectl(const std::vector<std::string>& arguments,
                                         std::string_view input) {
  const Streams streams{.input = folder_ + "/kubectl.in",
                        .output = folder_ + "/kubectl.out",
                        .errors = folder_ + "/kubectl.err"};
  std::ofstream(streams.input, std::ios::binary) << input;
  // Its program is ours in another role, so the variable is set.
  std::vector<std::string> words = {std::getenv("BERTH_CONTROLPLANE"),
                                    "kubectl",
                                    "--kubeconfig",
                                    kubeconfig(),
                                    "--request-timeout",
                                    "60s"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  BERTH_TRY(const int code, run(std::move(words), streams, folder_));
  if (code != 0) {
    BERTH_TRY(const std::string complaint, read_file(streams.errors));
    return Error(ErrorCode::kInvalid, "kubectl: " + complaint);
  }
  return read_file(streams.output);
}

Result<void> RealCluster::define(const std::string& path) {
  BERTH_TRY(const std::string created, kubectl({"create", "-o", "name", "-f", path}));
  auto served = kubectl({"wait", "--for", "condition=established", "--timeout", "60s", "-f", path});
  if (!served) {
    return std::move(served).error().in(created);
  }
  return {};
}

}  // namespace berth::tests
