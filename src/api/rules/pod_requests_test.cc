#include "api/rules/pod_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/objects/container.h"
#include "api/objects/pod.h"
#include "api/objects/resources.h"
#include "api/quantity.h"

namespace berth::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Amounts = std::map<std::string, std::string>;

ResourceList list(const Amounts& amounts) {
  ResourceList result;
  for (const auto& [name, text] : amounts) {
    const auto quantity = Quantity::parse(text);
    EXPECT_TRUE(quantity) << text;
    result.emplace(name, *quantity);
  }
  return result;
}

Container container(const std::string& name, const Amounts& requests) {
  return {.name = name, .resources = {.requests = list(requests)}};
}

Container sidecar(const std::string& name, const Amounts& requests) {
  Container result = container(name, requests);
  result.restart_policy = "Always";
  return result;
}

ContainerStatus status(const std::string& name, const Amounts& allocated, const Amounts& in_force) {
  ContainerStatus result{.name = name, .allocated_resources = list(allocated)};
  result.resources = ResourceRequirements{.requests = list(in_force)};
  return result;
}

Amounts requests(const Pod& pod, const PodRequestOptions& options = {}) {
  Amounts result;
  for (const auto& [name, quantity] : pod_requests(pod, options)) {
    result[name] = quantity.to_string();
  }
  return result;
}

TEST(PodRequests, PodThatAsksForNothingHasNone) {
  EXPECT_THAT(requests({}), IsEmpty());
}

TEST(PodRequests, ContainersAddUp) {
  Pod pod;
  pod.spec.containers = {container("a", {{"cpu", "1"}, {"memory", "1Gi"}}),
                         container("b", {{"cpu", "500m"}, {"example.com/gpu", "2"}})};
  EXPECT_THAT(
      requests(pod),
      ElementsAre(Pair("cpu", "1500m"), Pair("example.com/gpu", "2"), Pair("memory", "1Gi")));
}

TEST(PodRequests, InitContainersCountWhereOneAloneNeedsMore) {
  Pod pod;
  pod.spec.containers = {container("a", {{"cpu", "1"}, {"memory", "1Gi"}})};
  pod.spec.init_containers = {container("i", {{"cpu", "3"}}),
                              container("j", {{"memory", "512Mi"}})};
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "3"), Pair("memory", "1Gi")));
}

TEST(PodRequests, SidecarsRunBesideWhatIsStartedAfterThem) {
  Pod pod;
  pod.spec.containers = {container("a", {{"cpu", "2"}})};
  pod.spec.init_containers = {container("before", {{"cpu", "4"}}),
                              sidecar("s", {{"cpu", "1"}}),
                              container("after", {{"cpu", "3500m"}})};
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "4500m")));
  pod.spec.init_containers.pop_back();
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "4")));
  pod.spec.init_containers.erase(pod.spec.init_containers.begin());
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "3")));
}

TEST(PodRequests, OverheadComesOnTop) {
  Pod pod;
  pod.spec.containers = {container("a", {{"cpu", "1"}})};
  pod.spec.overhead = list({{"cpu", "250m"}, {"memory", "64Mi"}});
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "1250m"), Pair("memory", "64Mi")));
}

TEST(PodRequests, RequestsOfThePodReplaceTheSumOfWhatTheyMayName) {
  Pod pod;
  pod.spec.containers = {container("a", {{"cpu", "1"}, {"example.com/gpu", "1"}})};
  pod.spec.resources.emplace().requests = list(
      {{"cpu", "500m"}, {"memory", "1Gi"}, {"hugepages-2Mi", "4Mi"}, {"example.com/gpu", "8"}});
  pod.spec.overhead = list({{"cpu", "100m"}});
  EXPECT_THAT(requests(pod),
              ElementsAre(Pair("cpu", "600m"),
                          Pair("example.com/gpu", "1"),
                          Pair("hugepages-2Mi", "4Mi"),
                          Pair("memory", "1Gi")));
  EXPECT_THAT(requests(pod, {.use_pod_level = false}),
              ElementsAre(Pair("cpu", "1100m"), Pair("example.com/gpu", "1")));
}

Pod resized() {
  Pod pod;
  pod.spec.containers = {container("grows", {{"cpu", "3"}}), container("shrinks", {{"cpu", "1"}})};
  pod.status.container_statuses = {status("grows", {{"cpu", "1"}}, {{"cpu", "1"}}),
                                   status("shrinks", {{"cpu", "2"}}, {{"cpu", "5"}})};
  return pod;
}

TEST(PodRequests, ResizeCountsWithTheLargestOfThreeTotals) {
  // Spec 4, allocated 3, in force 6. Taken container by container it would be 8.
  EXPECT_THAT(requests(resized()), ElementsAre(Pair("cpu", "6")));
  EXPECT_THAT(requests(resized(), {.use_status = false}), ElementsAre(Pair("cpu", "4")));
}

TEST(PodRequests, ContainerWhoseStatusSaysNothingCountsWithItsSpec) {
  Pod pod = resized();
  pod.status.container_statuses[0] = {.name = "grows"};
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "8"))) << "3 + 5 in force";
  pod.status.container_statuses[1].resources.reset();
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "5"))) << "3 + 2 allocated";
}

TEST(PodRequests, InfeasibleResizeLeavesTheSpecOut) {
  Pod pod = resized();
  pod.status.container_statuses[1].resources->requests = list({{"cpu", "1"}});
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "4")));
  pod.status.conditions = {{.type = "PodResizePending", .reason = "Deferred"}};
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "4")));
  pod.status.conditions = {{.type = "PodResizePending", .reason = "Infeasible"}};
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "3")));
  pod.status.container_statuses.clear();
  EXPECT_THAT(requests(pod), IsEmpty());
}

TEST(PodRequests, OnlyTheFirstConditionAboutTheResizeCounts) {
  Pod pod = resized();
  pod.status.conditions = {{.type = "PodResizePending", .reason = "Deferred"},
                           {.type = "PodResizePending", .reason = "Infeasible"}};
  pod.status.container_statuses.clear();
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "4")));
}

TEST(PodRequests, TotalsInThePodsStatusStandForThoseOfItsContainers) {
  Pod pod = resized();
  pod.status.allocated_resources = list({{"cpu", "7"}});
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "6"))) << "one of the two is not enough";
  pod.status.resources.emplace().requests = list({{"cpu", "1"}, {"memory", "1Gi"}});
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "7"), Pair("memory", "1Gi")));
}

TEST(PodRequests, RequestsOfThePodCanBeResizedToo) {
  Pod pod;
  pod.spec.containers = {container("a", {{"cpu", "1"}})};
  pod.spec.resources.emplace().requests = list({{"cpu", "2"}});
  pod.status.resources.emplace().requests = list({{"cpu", "3"}});
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "3")));
  pod.status.allocated_resources = list({{"cpu", "4"}});
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "4")));
  EXPECT_THAT(requests(pod, {.use_status = false}), ElementsAre(Pair("cpu", "2")));
}

Amounts scored(const Pod& pod, const PodRequestOptions& options = {}) {
  Amounts result;
  for (const auto& [name, quantity] : scored_requests(pod, options)) {
    result[name] = quantity.to_string();
  }
  return result;
}

TEST(ScoredRequests, ContainerThatNamesNoAmountCountsWithALittle) {
  Pod pod;
  pod.spec.containers = {container("a", {{"cpu", "1"}}), container("b", {{"memory", "1Gi"}})};
  EXPECT_THAT(scored(pod), ElementsAre(Pair("cpu", "1100m"), Pair("memory", "1224Mi")));
}

TEST(ScoredRequests, ZeroIsAnAmount) {
  Pod pod;
  pod.spec.containers = {container("a", {{"cpu", "0"}, {"memory", "0"}})};
  EXPECT_THAT(scored(pod), ElementsAre(Pair("cpu", "0"), Pair("memory", "0")));
}

TEST(ScoredRequests, InitContainersAndSidecarsCountWithALittleToo) {
  Pod pod;
  pod.spec.containers = {container("a", {{"cpu", "50m"}, {"memory", "1Mi"}})};
  pod.spec.init_containers = {sidecar("s", {{"memory", "1Mi"}}), container("i", {})};
  EXPECT_THAT(scored(pod), ElementsAre(Pair("cpu", "200m"), Pair("memory", "201Mi")));
}

TEST(ScoredRequests, AmountOfThePodLeavesOnlyTheOtherToTheContainers) {
  Pod pod;
  pod.spec.containers = {container("a", {})};
  pod.spec.resources.emplace().requests = list({{"cpu", "2"}});
  EXPECT_THAT(scored(pod), ElementsAre(Pair("cpu", "2"), Pair("memory", "200Mi")));
  EXPECT_THAT(scored(pod, {.use_pod_level = false}),
              ElementsAre(Pair("cpu", "100m"), Pair("memory", "200Mi")));
}

TEST(PodRequests, ManyContainersTakeTimeInProportion) {
  constexpr int kContainers = 20'000;
  Pod pod;
  for (int i = 0; i < kContainers; ++i) {
    const std::string name = "container-" + std::to_string(i);
    pod.spec.containers.push_back(container(name, {{"cpu", "1"}}));
    pod.status.container_statuses.push_back(status(name, {{"cpu", "2"}}, {{"cpu", "1"}}));
  }
  EXPECT_THAT(requests(pod), ElementsAre(Pair("cpu", "40k")));
}

}  // namespace
}  // namespace berth::api
