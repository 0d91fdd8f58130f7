// What a cluster asks of its processes: /healthz, /readyz and /metrics.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "net/http_server.h"
#include "rt/task.h"

namespace berth::app {

// Called on the reactor's thread.
struct ProbeAnswers {
  // Why it is not ready; empty: it is. Without it there are no probes here.
  std::function<std::string()> not_ready;
  // Without it there are no metrics here.
  std::function<std::string()> metrics;
};

// A probe is small; so is what anybody else can have us keep.
net::ServerLimits probe_limits();

class Probes final : public net::HttpHandler {
 public:
  explicit Probes(ProbeAnswers answers) : answers_(std::move(answers)) {}

  rt::Task<Result<void>> handle(net::ServerRequest request, net::ResponseWriter* writer) override;

 private:
  ProbeAnswers answers_;
};

}  // namespace berth::app
