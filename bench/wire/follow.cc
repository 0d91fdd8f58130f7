#include <chrono>
#include <cstddef>
#include <iostream>
#include <optional>
#include <utility>

#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/feed.h"
#include "kube/informer.h"
#include "rt/event.h"
#include "rt/reactor.h"
#include "rt/real/real_runtime.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"
#include "scheduler_mask.h"
#include "wire/work.h"

namespace berth::bench {
namespace {

constexpr std::chrono::minutes kPatience{10};

// Whoever writes the changes waits for the first line, which is therefore flushed.
void print(const Cost& cost) {
  std::cout << cost.json() << std::endl;
}

Error too_late(std::optional<Error> problem) {
  return problem ? *std::move(problem)
                 : Error(ErrorCode::kTimeout, "the pods or their changes did not come");
}

rt::Task<Result<void>> follow_pods(rt::RealRuntime* runtime,
                                   kube::Client* client,
                                   const WireOptions* options) {
  std::optional<Error> problem;
  kube::Informers informers(
      *runtime,
      *client,
      {.watcher = {.streams_initial_events = options->streams},
       .on_problem = [&problem](const kube::Problem& found) { problem = found.error; }});
  auto& pods = informers.add<api::Pod>({.mask = scheduler_mask()});
  rt::Event has_seen_enough(*runtime, "changes");
  std::size_t changes = 0;
  pods.on_change([&](const kube::InformerEvent<api::Pod>& event) {
    if (!event.is_relist && ++changes == options->count) {
      has_seen_enough.set();
    }
  });
  rt::Scope scope(*runtime, "follow");
  const rt::Until until{.deadline = rt::after(runtime->now(), kPatience)};
  const Stopwatch listing(*runtime);
  scope.spawn("informers", informers.run(scope.token()));
  if (co_await informers.wait_until_synced(until) != rt::Wake::kNotified) {
    co_return too_late(std::move(problem));
  }
  print(listing.stop("list", pods.cache().size(), 0));
  const Stopwatch following(*runtime);
  if (co_await has_seen_enough.wait(until) != rt::Wake::kNotified) {
    co_return too_late(std::move(problem));
  }
  print(following.stop("follow", changes, 0));
  scope.cancel();
  co_await scope.drain();
  co_return Result<void>();
}

}  // namespace

Result<void> follow(const WireOptions& options) {
  return run_on_server(options, &follow_pods);
}

}  // namespace berth::bench
