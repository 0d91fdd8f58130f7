// `berth binder`: the process that fulfils BindRequests on a cluster.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "kube/config/find_config.h"
#include "rt/time.h"

namespace berth::app {

struct BinderProcessOptions {
  kube::config::ConfigChoice config;

  bool elects = true;
  std::string lease_namespace;  // empty: the pod's or the context's, else kube-system
  std::string lease_name;       // empty: that of the KAI binder
  rt::Duration lease_duration = std::chrono::seconds(15);
  rt::Duration renew_deadline = std::chrono::seconds(10);
  rt::Duration retry_period = std::chrono::seconds(2);

  std::size_t workers = 128;
  std::optional<rt::Duration> backoff_min;
  std::optional<rt::Duration> backoff_max;
  rt::Duration drain_max = std::chrono::seconds(8);

  std::string metrics_address = ":8080";
  std::string health_address = ":8081";

  LogFormat log_format = LogFormat::kText;
  LogLevel log_level = LogLevel::kInfo;
  // Options that were given and have no effect; said once in the log.
  std::string without_effect;
};

// Until SIGTERM or SIGINT, and then until what has begun is done; a second signal cuts that short.
// The text of an error is one line for people. Logs to standard error.
Result<void> run_binder(const BinderProcessOptions& options);

}  // namespace berth::app
