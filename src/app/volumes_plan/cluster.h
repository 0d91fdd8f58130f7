// A plan's objects from a cluster: whole lists, page by page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "app/volumes_plan/objects.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/config/server_config.h"
#include "rt/runtime.h"
#include "rt/task.h"

namespace berth::app {

struct ClusterQuestion {
  std::string ns;        // whose claims are listed
  std::string pod_name;  // empty: the pod is known already
};

struct ClusterAnswer {
  PlanObjects objects;
  std::optional<api::Pod> pod;
  std::vector<std::string> skipped;  // objects that could not be read, and why
};

// The error is that of the call that failed.
rt::Task<Result<ClusterAnswer>> ask_cluster(kube::Client* client,
                                            rt::Runtime* runtime,
                                            ClusterQuestion question);

// The same of a real server, from start to end. The text of the error is the one line for people.
Result<ClusterAnswer> ask_server(kube::config::ServerConfig config, ClusterQuestion question);

}  // namespace berth::app
