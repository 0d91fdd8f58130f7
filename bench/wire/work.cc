#include "wire/work.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "app/real_server.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"

namespace berth::bench {
namespace {

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// "VmHWM:    1234 kB"
std::int64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == name) {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  }
  return 0;
}

rt::Task<void> run_and_stop(rt::RealRuntime* runtime,
                            rt::Task<Result<void>> task,
                            std::optional<Result<void>>* result) {
  result->emplace(co_await std::move(task));
  runtime->stop();
}

}  // namespace

std::string Cost::json() const {
  return fmt::format(
      R"({{"work":"{}","items":{},"requests":{},"seconds":{:.6f},"cpu_seconds":{:.6f},)"
      R"("start_rss_bytes":{},"peak_rss_bytes":{}}})",
      work,
      items,
      requests,
      seconds,
      cpu_seconds,
      start_rss_bytes,
      peak_rss_bytes);
}

Stopwatch::Stopwatch(const rt::RealRuntime& runtime)
    : runtime_(runtime),
      start_(runtime.now()),
      cpu_seconds_(bench::cpu_seconds()),
      start_rss_(status_bytes("VmRSS:")) {}

Cost Stopwatch::stop(std::string work, std::size_t items, std::size_t requests) const {
  return {.work = std::move(work),
          .items = items,
          .requests = requests,
          .seconds = std::chrono::duration<double>(runtime_.now() - start_).count(),
          .cpu_seconds = bench::cpu_seconds() - cpu_seconds_,
          .start_rss_bytes = start_rss_,
          .peak_rss_bytes = status_bytes("VmHWM:")};
}

Result<void> run_on_server(const WireOptions& options, WireTask task) {
  auto config = app::RealServer::find({.kubeconfig = options.kubeconfig});
  if (!config) {
    return std::move(config).error();
  }
  rt::RealRuntime runtime(1);
  app::RealServer server(runtime, *std::move(config));
  std::optional<Result<void>> result;
  rt::Scope scope(runtime, "wire bench");
  scope.spawn(
      "work",
      run_and_stop(&runtime, task(&runtime, &server.connection().client(), &options), &result));
  runtime.run();
  return *std::move(result);
}

}  // namespace berth::bench
