// A node, and the namespace of objects that are in one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/meta.h"

namespace berth::api {

struct NodeSpec {
  std::string pod_cidr;
  std::vector<std::string> pod_cidrs;
  std::string provider_id;
  bool unschedulable = false;
  std::vector<Taint> taints;

  static const Table& table();
  bool operator==(const NodeSpec&) const = default;
};

struct NodeCondition {
  std::string type;
  std::string status;
  std::optional<Time> last_heartbeat_time;
  std::optional<Time> last_transition_time;
  std::string reason;
  std::string message;

  static const Table& table();
  bool operator==(const NodeCondition&) const = default;
};

struct NodeAddress {
  std::string type;
  std::string address;

  static const Table& table();
  bool operator==(const NodeAddress&) const = default;
};

struct ContainerImage {
  std::vector<std::string> names;
  std::int64_t size_bytes = 0;

  static const Table& table();
  bool operator==(const ContainerImage&) const = default;
};

struct AttachedVolume {
  std::string name;
  std::string device_path;

  static const Table& table();
  bool operator==(const AttachedVolume&) const = default;
};

struct NodeStatus {
  ResourceList capacity;
  ResourceList allocatable;
  std::vector<NodeCondition> conditions;
  std::vector<NodeAddress> addresses;
  std::vector<ContainerImage> images;
  std::vector<std::string> volumes_in_use;
  std::vector<AttachedVolume> volumes_attached;
  std::vector<std::string> declared_features;

  static const Table& table();
  bool operator==(const NodeStatus&) const = default;
};

struct Node {
  ObjectMeta metadata;
  NodeSpec spec;
  NodeStatus status;

  static constexpr Kind kKind{"", "v1", "Node", "nodes", Scope::kCluster};

  static const Table& table();
  bool operator==(const Node&) const = default;
};

}  // namespace berth::api
