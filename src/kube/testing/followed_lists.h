// For tests: a server with pods and nodes, informers that follow them, and a log of what handlers
// were told.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/assert.h"
#include "kube/change.h"
#include "kube/feed.h"
#include "kube/informer.h"
#include "kube/testing/fake_lists.h"
#include "kube/watcher.h"
#include "rt/scope.h"
#include "rt/simulation.h"

namespace berth::kube::testing {

struct FollowedLists {
  explicit FollowedLists(std::uint64_t seed, WatcherOptions watcher = {.page_size = 2})
      : simulation(seed),
        server(simulation),
        informers(simulation,
                  server,
                  {.watcher = watcher,
                   .on_problem = [this](const Problem& problem) { problems.push_back(problem); }}),
        pods(informers.add<api::Pod>()),
        nodes(informers.add<api::Node>()) {
    pods.on_change([this](const InformerEvent<api::Pod>& event) { note("pod", event); });
    nodes.on_change([this](const InformerEvent<api::Node>& event) { note("node", event); });
  }

  void start() {
    scope.emplace(simulation, "test");
    scope->spawn("informers", informers.run(scope->token()));
  }

  template <typename Event>
  void note(const std::string& kind, const Event& event) {
    const char sign = event.type == ChangeType::kAdded     ? '+'
                      : event.type == ChangeType::kDeleted ? '-'
                                                           : '~';
    told.push_back(fmt::format(
        "{}{}{} {}", sign, event.is_relist ? "*" : "", kind, event.newest()->metadata.name));
    BERTH_ASSERT(event.sequence == told.size(), "the sequence counts the changes of all kinds");
    pods_seen.push_back(pods.cache().size());
    if (on_told) {
      on_told();
    }
  }

  std::vector<std::string> pod_names() const {
    std::vector<std::string> names;
    for (const auto& pod : pods.cache().all()) {
      names.push_back(pod->metadata.name);
    }
    return names;
  }

  rt::Simulation simulation;
  FakeLists server;
  std::vector<Problem> problems;
  std::vector<std::string> told;
  std::function<void()> on_told;
  std::vector<std::size_t> pods_seen;  // how many were cached at each call of a handler
  Informers informers;
  Informer<api::Pod>& pods;
  Informer<api::Node>& nodes;
  std::optional<rt::Scope> scope;
};

}  // namespace berth::kube::testing
