#include "pod_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/objects/pod.h"
#include "api/rules/pod_requests.h"
#include "difference.h"

namespace berth::vector_check {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

boost::json::object row(std::string_view text) {
  return boost::json::parse({text.data(), text.size()}).as_object();
}

std::vector<std::string> paths(const Differences& differences) {
  std::vector<std::string> result;
  for (const Difference& difference : differences) {
    result.push_back(difference.path);
  }
  return result;
}

// One container grows and one shrinks: the totals are 3 in the spec and 4 in force.
const boost::json::object kResized = row(R"({"id": "1", "tags": [], "kind": "podRequests",
    "pod": {"apiVersion": "v1", "kind": "Pod",
            "spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "2"}}},
                                    {"name": "b", "resources": {"requests": {"cpu": "1"}}}],
                     "initContainers": [{"name": "i", "restartPolicy": "Always",
                                         "resources": {"requests": {"memory": "1Gi"}}}]},
            "status": {"containerStatuses": [
                {"name": "a", "allocatedResources": {"cpu": "1"},
                 "resources": {"requests": {"cpu": "1"}}},
                {"name": "b", "allocatedResources": {"cpu": "3"},
                 "resources": {"requests": {"cpu": "3"}}}]}},
    "requests": {"cpu": "4", "memory": "1Gi"},
    "requestsOfSpec": {"cpu": "3", "memory": "1Gi"}})");

TEST(PodRequestsRows, AgreeWithTheProductsRule) {
  EXPECT_TRUE(is_pod_requests_row(kResized));
  EXPECT_FALSE(is_pod_requests_row(row(R"({"kind": "parse"})")));
  EXPECT_THAT(paths(check_pod_requests_row(kResized)), IsEmpty());
}

TEST(PodRequestsRows, AlteredExpectationIsTheOneDifference) {
  auto altered = kResized;
  altered["requests"].as_object()["cpu"] = "5";
  EXPECT_THAT(paths(check_pod_requests_row(altered)), ElementsAre("requests.cpu"));
}

TEST(PodRequestsRows, RuleThatForgetsSidecarsIsNoticed) {
  PodRequestRules wrong;
  wrong.requests = [](const api::Pod& pod, const api::PodRequestOptions& options) {
    api::Pod changed = pod;
    changed.spec.init_containers.clear();
    return api::pod_requests(changed, options);
  };
  EXPECT_THAT(paths(check_pod_requests_row(kResized, wrong)),
              ElementsAre("requests.memory", "requestsOfSpec.memory"));
}

TEST(PodRequestsRows, RuleThatIgnoresTheStatusIsNoticed) {
  PodRequestRules wrong;
  wrong.requests = [](const api::Pod& pod, const api::PodRequestOptions&) {
    return api::pod_requests(pod, {.use_status = false});
  };
  EXPECT_THAT(paths(check_pod_requests_row(kResized, wrong)), ElementsAre("requests.cpu"));
}

}  // namespace

}  // namespace berth::vector_check
