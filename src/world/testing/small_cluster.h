// For tests: a cluster with one client, and only the faults that are asked for.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/config_map.h"
#include "base/assert.h"
#include "base/result.h"
#include "kube/client.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"
#include "rt/time.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/in_process_client.h"

namespace berth::world {

struct SmallCluster {
  explicit SmallCluster(std::string_view fault_list,
                        std::uint64_t seed = 1,
                        std::optional<CrashAt> crash_at = {})
      : simulation(seed),
        faults(simulation.random().fork(), *FaultSet::parse(fault_list), crash_at) {}

  // Runs until the answer is there.
  template <typename Value>
  Value wait(rt::Task<Value> task) {
    std::optional<Value> answer;
    scope.spawn("a call", keep(std::move(task), &answer));
    BERTH_ASSERT(simulation.run_until([&] { return answer.has_value(); }, rt::kNever),
                 "every call is answered");
    return *std::move(answer);
  }
  template <typename Value>
  static rt::Task<void> keep(rt::Task<Value> task, std::optional<Value>* answer) {
    answer->emplace(co_await std::move(task));
  }

  static kube::CreateRequest create_request(std::string_view name, std::string_view rest = "") {
    return {.kind = &api::ConfigMap::kKind,
            .key = {.ns = "default", .name = std::string(name)},
            .body = fmt::format(R"({{"metadata":{{"name":"{}"{}}}}})", name, rest)};
  }
  static kube::PatchRequest patch_request(std::string_view name, std::string_view body) {
    return {.kind = &api::ConfigMap::kKind,
            .key = {.ns = "default", .name = std::string(name)},
            .body = std::string(body)};
  }
  static kube::Selection maps() { return {.kind = &api::ConfigMap::kKind, .ns = "default"}; }

  // Past the network.
  bool has(std::string_view name) {
    return cluster.store()
        .get({.kind = &api::ConfigMap::kKind, .key = {.ns = "default", .name = std::string(name)}},
             cluster.store().resource_version())
        .has_value();
  }
  std::uint64_t newest() { return cluster.store().resource_version(); }

  static constexpr std::size_t kHistory = 100'000;

  rt::Simulation simulation;
  Faults faults;
  Cluster cluster{simulation, faults, kHistory};
  bool has_crashed = false;
  InProcessClient client{cluster, simulation, "client", [this] { has_crashed = true; }};
  rt::Scope scope{simulation, "test"};
};

}  // namespace berth::world
