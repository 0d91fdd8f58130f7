// Pods that start together or not at all (scheduling.volcano.sh/v1beta1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/meta.h"

namespace berth::api {

struct NetworkTopology {
  std::string mode;
  std::optional<std::int64_t> highest_tier_allowed;

  static const Table& table();
  bool operator==(const NetworkTopology&) const = default;
};

struct PodGroupSpec {
  std::int32_t min_member = 0;
  Map<std::int32_t> min_task_member;
  std::string queue;
  std::string priority_class_name;
  std::optional<ResourceList> min_resources;
  Box<NetworkTopology> network_topology;

  static const Table& table();
  bool operator==(const PodGroupSpec&) const = default;
};

struct PodGroupCondition {
  std::string type;
  std::string status;
  std::string transition_id;
  std::optional<Time> last_transition_time;
  std::string reason;
  std::string message;

  static const Table& table();
  bool operator==(const PodGroupCondition&) const = default;
};

struct PodGroupStatus {
  std::string phase;
  std::vector<PodGroupCondition> conditions;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;

  static const Table& table();
  bool operator==(const PodGroupStatus&) const = default;
};

struct PodGroup {
  ObjectMeta metadata;
  PodGroupSpec spec;
  PodGroupStatus status;

  static constexpr Kind kKind{"scheduling.volcano.sh",
                              "v1beta1",
                              "PodGroup",
                              "podgroups",
                              Scope::kNamespaced,
                              Wire::kJsonOnly};

  static const Table& table();
  bool operator==(const PodGroup&) const = default;
};

}  // namespace berth::api
