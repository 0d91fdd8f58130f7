#include "app/volumes_plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/pod.h"
#include "app/real_server.h"
#include "app/volumes_plan/cluster.h"
#include "app/volumes_plan/files.h"
#include "app/volumes_plan/objects.h"
#include "app/volumes_plan/report.h"
#include "base/error.h"
#include "base/result.h"
#include "kube/config/server_config.h"
#include "volumes/finding.h"

namespace berth::app {
namespace {

constexpr const char* kDefaultNamespace = "default";

struct PodName {
  std::string ns;  // empty: none is said
  std::string name;
};

Result<PodName> parse_name(const std::string& text) {
  const std::size_t slash = text.find('/');
  PodName name = slash == std::string::npos
                     ? PodName{.ns = "", .name = text}
                     : PodName{.ns = text.substr(0, slash), .name = text.substr(slash + 1)};
  if (name.name.empty() || name.name.find('/') != std::string::npos) {
    return Error(ErrorCode::kInvalid,
                 fmt::format("'{}' is no pod: NAMESPACE/NAME is one, and so is NAME", text));
  }
  return name;
}

Result<void> check_name(const api::Pod& pod, const std::string& where) {
  if (pod.metadata.name.empty()) {
    return Error(ErrorCode::kInvalid, "the pod has no name").in(where);
  }
  return {};
}

void remark_left_out(const PlanFiles& files, PlanResult& result) {
  if (const std::string left_out = files.left_out(); !left_out.empty()) {
    result.remarks.push_back("left out, since a plan has no use for them: " + left_out);
  }
}

// Objects of the pod's file that the cluster does not have: as if they were applied with the pod.
template <typename Object>
void add_new(std::vector<std::shared_ptr<Object>>& all,
             const std::vector<std::shared_ptr<Object>>& more) {
  for (const auto& object : more) {
    const bool is_there = std::ranges::any_of(all, [&object](const auto& known) {
      return known->metadata.ns == object->metadata.ns &&
             known->metadata.name == object->metadata.name;
    });
    if (!is_there) {
      all.push_back(object);
    }
  }
}

void add_new(PlanObjects& all, const PlanObjects& more) {
  add_new(all.nodes, more.nodes);
  add_new(all.volumes, more.volumes);
  add_new(all.claims, more.claims);
  add_new(all.classes, more.classes);
  add_new(all.drivers, more.drivers);
  add_new(all.csi_nodes, more.csi_nodes);
  add_new(all.capacities, more.capacities);
}

Result<PlanResult> plan_from_files(const PlanRequest& request, PlanFiles& files, api::Pod pod) {
  for (const std::string& path : request.objects) {
    if (auto read = files.read(path); !read) {
      return std::move(read).error();
    }
  }
  if (!request.pod.empty()) {
    BERTH_TRY(const PodName name, parse_name(request.pod));
    const std::string ns = name.ns.empty() ? kDefaultNamespace : name.ns;
    BERTH_TRY(pod, files.take_pod(ns + "/" + name.name, kDefaultNamespace));
  }
  if (pod.metadata.ns.empty()) {
    pod.metadata.ns = kDefaultNamespace;
  }
  BERTH_TRY(PlanObjects objects, files.take_objects(pod.metadata.ns));
  add_server_defaults(objects);
  std::vector<volumes::Finding> notes = add_what_follows(pod, true, objects);
  PlanResult result{.report = make_report(pod, objects, std::move(notes)), .remarks = {}};
  remark_left_out(files, result);
  return result;
}

Result<PlanResult> plan_from_cluster(const PlanRequest& request, PlanFiles& files, api::Pod pod) {
  BERTH_TRY(kube::config::ServerConfig config, RealServer::find(request.server));
  ClusterQuestion question{.ns = pod.metadata.ns, .pod_name = ""};
  if (!request.pod.empty()) {
    BERTH_TRY(PodName name, parse_name(request.pod));
    question = {.ns = std::move(name.ns), .pod_name = std::move(name.name)};
  }
  if (question.ns.empty()) {
    question.ns = config.ns.empty() ? kDefaultNamespace : config.ns;
  }
  pod.metadata.ns = question.ns;
  BERTH_TRY(ClusterAnswer answer, ask_server(std::move(config), std::move(question)));
  if (answer.pod) {
    pod = *std::move(answer.pod);
  }
  BERTH_TRY(PlanObjects own, files.take_objects(pod.metadata.ns));
  add_server_defaults(own);
  add_new(answer.objects, own);
  std::vector<volumes::Finding> notes = add_what_follows(pod, false, answer.objects);
  PlanResult result{.report = make_report(pod, answer.objects, std::move(notes)), .remarks = {}};
  remark_left_out(files, result);
  for (const std::string& skipped : answer.skipped) {
    result.remarks.push_back("left out, since it cannot be read: " + skipped);
  }
  return result;
}

}  // namespace

Result<PlanResult> plan_volumes(const PlanRequest& request, std::istream& in) {
  PlanFiles files(in);
  api::Pod pod;
  if (!request.pod_file.empty()) {
    if (auto read = files.read_file(request.pod_file); !read) {
      return std::move(read).error();
    }
    BERTH_TRY(pod, files.take_pod(request.pod_file));
    if (auto named = check_name(pod, request.pod_file); !named) {
      return std::move(named).error();
    }
  }
  return request.objects.empty() ? plan_from_cluster(request, files, std::move(pod))
                                 : plan_from_files(request, files, std::move(pod));
}

}  // namespace berth::app
