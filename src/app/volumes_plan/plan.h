// `berth volumes plan`: which nodes could take a pod's volumes, what would be bound or provisioned
// there, and why the others cannot.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/volumes_plan/report.h"
#include "base/result.h"
#include "kube/config/find_config.h"

namespace berth::app {

struct PlanRequest {
  // The pod: a file ("-" is standard input), or "namespace/name" or "name" of one that exists.
  // Exactly one of them is given.
  std::string pod_file;
  std::string pod;
  // Files and folders that stand for a cluster; none: that of `server` is asked.
  std::vector<std::string> objects;
  kube::config::ConfigChoice server;
};

struct PlanResult {
  PlanReport report;
  std::vector<std::string> remarks;  // for standard error, a line each
};

// The text of the error is the one line for people.
Result<PlanResult> plan_volumes(const PlanRequest& request, std::istream& in);

}  // namespace berth::app
