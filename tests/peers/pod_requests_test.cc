// pod_requests() against Go's own computation, on random pods.
//
// The Go code is that of Kubernetes 1.36, which counts a resize container by container; ours counts
// as 1.37 does, by totals over the pod. The pods are therefore of kinds on which the two agree.
// What 1.37 makes of pods of any kind is recorded in tests/vectors/pod_requests.jsonl.gz.
#include "api/rules/pod_requests.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/members.h"
#include "api/objects/container.h"
#include "api/objects/pod.h"
#include "api/quantity.h"
#include "base/result.h"
#include "controlplane.h"

namespace berth::tests {
namespace {

using api::Container;
using api::ContainerStatus;
using api::Pod;
using api::Quantity;
using api::ResourceList;

// What the status says.
enum class Situation : std::uint8_t {
  kFresh,         // nothing
  kSettled,       // the same as the spec
  kOneContainer,  // anything, about the only container
  kOneWay,        // the resize goes up or down in every container
  kPodLevel,      // anything, about the pod and not about its containers
  kAnything,
};

constexpr std::string_view kCpu = "cpu";
constexpr std::string_view kMemory = "memory";
constexpr std::string_view kHugePages = "hugepages-2Mi";
constexpr std::string_view kGpu = "example.com/gpu";
constexpr std::string_view kStorage = "ephemeral-storage";

class PodDice {
 public:
  explicit PodDice(std::uint64_t seed) : random_(seed) {}

  Pod pod(Situation situation) {
    situation_ = situation;
    raised_ = static_cast<Source>(below(3));
    Pod pod;
    pod.metadata.name = "pod";
    const bool has_one = situation == Situation::kOneContainer;
    const std::size_t containers = has_one ? 1 : 1 + below(3);
    for (std::size_t i = 0; i < containers; ++i) {
      add_container(pod, "c" + std::to_string(i));
    }
    const std::size_t init_containers = has_one ? 0 : below(4);
    for (std::size_t i = 0; i < init_containers; ++i) {
      add_init_container(pod, "i" + std::to_string(i));
    }
    if (one_in(3)) {
      add_pod_level(pod);
    }
    if (one_in(3)) {
      pod.spec.overhead = resources({kCpu, kMemory});
    }
    if (can_be_infeasible(pod) && one_in(3)) {
      pod.status.conditions = {
          {.type = "PodReadyToStartContainers", .reason = "Infeasible"},
          {.type = "PodResizePending", .reason = one_in(3) ? "Deferred" : "Infeasible"}};
    }
    return pod;
  }

 private:
  enum class Source : std::uint8_t { kSpec, kAllocated, kInForce };

  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool one_in(std::size_t count) { return below(count) == 0; }

  Quantity quantity(std::string_view resource) {
    // The first two of each have the same kind of suffix.
    static const std::map<std::string_view, std::vector<const char*>> texts{
        {kCpu, {"1", "250m", "0", "100m", "1500m", "0.5", "2", "1E1", "0.0001", "3e-1", "+2"}},
        {kMemory, {"128Mi", "1Gi", "0", "1G", "1e9", "0.5Gi", "134217728", "12E6", "1500k", "1.5"}},
        {kHugePages, {"2Mi", "4Mi", "0", "2097152"}},
        {kGpu, {"1", "2", "0", "8"}},
        {kStorage, {"10Gi", "1Gi", "1G", "500M", "9Ei", "9E"}}};
    const auto& choice = texts.at(resource);
    // Of two equal amounts in different dress 1.36 and 1.37 show one each.
    const std::size_t count = situation_ == Situation::kOneWay ? 2 : choice.size();
    auto parsed = Quantity::parse(choice[below(count)]);
    return *std::move(parsed);
  }

  ResourceList resources(std::initializer_list<std::string_view> names) {
    ResourceList list;
    for (const std::string_view name : names) {
      if (!one_in(3)) {
        list.emplace(name, quantity(name));
      }
    }
    return list;
  }

  ResourceList container_resources() {
    return resources({kCpu, kMemory, kHugePages, kGpu, kStorage});
  }

  ResourceList raised(ResourceList list, Source source) {
    for (auto& [name, amount] : list) {
      if (source == raised_ && !one_in(3)) {
        amount.add(quantity(name));
      }
    }
    return list;
  }

  Container& add_container(Pod& pod, const std::string& name) {
    pod.spec.containers.push_back({.name = name});
    fill(pod.spec.containers.back(), pod.status.container_statuses);
    return pod.spec.containers.back();
  }

  void add_init_container(Pod& pod, const std::string& name) {
    pod.spec.init_containers.push_back({.name = name});
    Container& container = pod.spec.init_containers.back();
    if (one_in(2)) {
      container.restart_policy = "Always";
      fill(container, pod.status.init_container_statuses);
    } else if (situation_ == Situation::kAnything || situation_ == Situation::kSettled) {
      container.restart_policy = one_in(2) ? std::nullopt : std::optional<std::string>("Never");
      fill(container, pod.status.init_container_statuses);
    } else {
      container.resources.requests = container_resources();
    }
  }

  // The container's requests, and its status.
  void fill(Container& container, std::vector<ContainerStatus>& statuses) {
    const ResourceList base = container_resources();
    container.resources.requests = base;
    ContainerStatus status{.name = container.name};
    switch (situation_) {
      case Situation::kFresh:
      case Situation::kPodLevel:
        return;
      case Situation::kSettled:
        status.allocated_resources = base;
        status.resources.emplace().requests = base;
        break;
      case Situation::kOneWay:
        container.resources.requests = raised(base, Source::kSpec);
        status.allocated_resources = raised(base, Source::kAllocated);
        status.resources.emplace().requests = raised(base, Source::kInForce);
        break;
      case Situation::kOneContainer:
        status.resources.emplace().requests = container_resources();
        if (status.resources->requests.empty()) {
          return;
        }
        status.allocated_resources = container_resources();
        break;
      case Situation::kAnything:
        status.name = one_in(8) ? "gone" : status.name;
        status.allocated_resources = one_in(3) ? ResourceList() : container_resources();
        if (!one_in(3)) {
          status.resources.emplace().requests = container_resources();
        }
        break;
    }
    statuses.push_back(std::move(status));
  }

  void add_pod_level(Pod& pod) {
    // A resource that cannot be asked for at this level is in the way.
    pod.spec.resources.emplace().requests = resources({kCpu, kMemory, kHugePages, kGpu});
    const ResourceList& spec = pod.spec.resources->requests;
    if (situation_ == Situation::kPodLevel) {
      pod.status.resources.emplace().requests = changed(spec);
      pod.status.allocated_resources = one_in(3) ? ResourceList() : changed(spec);
    } else if (situation_ == Situation::kAnything) {
      if (!one_in(3)) {
        pod.status.resources.emplace().requests = resources({kCpu, kMemory, kHugePages, kGpu});
      }
      pod.status.allocated_resources = resources({kCpu, kMemory, kHugePages, kGpu});
    }
  }

  // Other amounts of the resources that count at the level of the pod.
  ResourceList changed(const ResourceList& list) {
    ResourceList result;
    for (const auto& [name, amount] : list) {
      if (name != kGpu) {
        result.emplace(name, quantity(name));
      }
    }
    return result;
  }

  // Where 1.36 and 1.37 agree on what an infeasible resize leaves.
  bool can_be_infeasible(const Pod& pod) const {
    const bool is_known =
        pod.status.container_statuses.size() == pod.spec.containers.size() &&
        pod.status.init_container_statuses.size() == pod.spec.init_containers.size();
    return situation_ == Situation::kAnything || (is_known && situation_ != Situation::kPodLevel);
  }

  std::mt19937_64 random_;
  Situation situation_ = Situation::kFresh;
  Source raised_ = Source::kSpec;
};

using Texts = std::map<std::string, std::string>;

Texts texts_of(const ResourceList& list) {
  Texts texts;
  for (const auto& [name, quantity] : list) {
    texts[name] = quantity.to_string();
  }
  return texts;
}

Result<Texts> ask(ControlPlane& go, const std::string& pod) {
  BERTH_TRY(const std::vector<std::string> answer, go.exchange(pod));
  const boost::json::value parsed = boost::json::parse(answer.at(0));
  Texts texts;
  for (const auto& member : parsed.as_object()) {
    texts[member.key()] = member.value().as_string();
  }
  return texts;
}

class PodRequests : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("BERTH_CONTROLPLANE") == nullptr) {
      GTEST_SKIP() << "BERTH_CONTROLPLANE is not set: nothing was compared with Go";
    }
  }

  static void compare(Situation situation, bool use_status) {
    constexpr int kPods = 1500;
    auto go = ControlPlane::start(
        {{"pod-requests", use_status ? "--use-status=true" : "--use-status=false"}, 1});
    ASSERT_TRUE(go) << go.error().text();
    PodDice dice(static_cast<std::uint64_t>(situation) + 1);
    for (int i = 0; i < kPods; ++i) {
      // Both read the same text: printing a quantity can lose the kind of its suffix.
      const std::string json = to_json(dice.pod(situation));
      const auto pod = api::from_json<Pod>(json);
      ASSERT_TRUE(pod) << pod.error().text();
      const auto expected = ask(**go, json);
      ASSERT_TRUE(expected) << expected.error().text();
      ASSERT_EQ(texts_of(pod_requests(*pod, {.use_status = use_status})), *expected)
          << "pod " << i << ": " << json;
    }
  }
};

TEST_F(PodRequests, OfPodsWithoutStatusAreAsInGo) {
  compare(Situation::kFresh, true);
}

TEST_F(PodRequests, OfPodsThatRunAsTheyAreSpecifiedAreAsInGo) {
  compare(Situation::kSettled, true);
}

TEST_F(PodRequests, OfAPodWhoseOnlyContainerIsResizedAreAsInGo) {
  compare(Situation::kOneContainer, true);
}

TEST_F(PodRequests, OfPodsWhoseContainersAreAllResizedTheSameWayAreAsInGo) {
  compare(Situation::kOneWay, true);
}

TEST_F(PodRequests, OfPodsThatAreResizedAtTheLevelOfThePodAreAsInGo) {
  compare(Situation::kPodLevel, true);
}

TEST_F(PodRequests, OfAnyPodWithoutLookingAtTheStatusAreAsInGo) {
  compare(Situation::kAnything, false);
}

}  // namespace
}  // namespace berth::tests
