// `berth binder`: fulfils the BindRequests of a cluster.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace berth::cli {

struct BinderArguments {
  std::string kubeconfig;
  std::string context;
  bool elects = true;
  std::string lease_namespace;
  std::string lease_name;
  std::string lease_duration = "15s";
  std::string renew_deadline = "10s";
  std::string retry_period = "2s";
  std::size_t workers = 128;
  double backoff_min = 0;  // seconds; 0: the binder's own
  double backoff_max = 0;
  std::string drain_max = "8s";
  std::string metrics_address = ":8080";
  std::string health_address = ":8081";
  std::string log_format = "text";
  std::string log_level = "info";
  // Options of the KAI binder that were given and mean nothing here yet.
  std::vector<std::string> without_effect;
};

ExitCode run_binder(const BinderArguments& arguments, std::ostream& err);

}  // namespace berth::cli
