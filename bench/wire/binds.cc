#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <iostream>

#include "api/objects/bind_request.h"
#include "base/error.h"
#include "base/result.h"
#include "binder/outcome.h"
#include "binder/service.h"
#include "kube/client.h"
#include "kube/elector_state.h"
#include "rt/cancel.h"
#include "rt/real/real_runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "wire/work.h"

namespace berth::bench {
namespace {

// The service of `berth binder`, with its election and its caches, from the first request to the
// last status.
rt::Task<Result<void>> bind_all(rt::RealRuntime* runtime,
                                kube::Client* client,
                                const WireOptions* options) {
  rt::CancelSource stop;
  std::size_t said = 0;
  std::size_t failed = 0;
  binder::ServiceOptions service_options;
  service_options.election = kube::ElectorOptions{
      .lease = {.ns = "default", .name = fmt::format("wire-{}", ::getpid())}, .identity = "wire"};
  service_options.binder.workers = options->in_flight;
  service_options.binder.on_said = [&](const api::BindRequest& /*order*/,
                                       const binder::Outcome& outcome,
                                       rt::Duration /*took*/) {
    failed += outcome.is_bound ? 0 : 1;
    if (++said == options->count) {
      stop.cancel();
    }
  };
  const Stopwatch watch(*runtime);
  binder::Service service(*runtime, *client, service_options);
  const auto end = co_await service.run(stop.token());
  if (end != binder::Service::End::kStopped || failed > 0) {
    co_return Error(ErrorCode::kInternal, fmt::format("{} of {} orders failed", failed, said));
  }
  std::cout << watch.stop("bind", said, 2 * said).json() << "\n";
  co_return Result<void>();
}

}  // namespace

Result<void> bind(const WireOptions& options) {
  return run_on_server(options, &bind_all);
}

}  // namespace berth::bench
