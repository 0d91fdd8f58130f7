// Containers of a pod: what they ask for and what they were given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/members.h"
#include "api/objects/references.h"
#include "api/objects/resources.h"

namespace berth::api {

struct ContainerPort {
  std::string name;
  std::int32_t host_port = 0;
  std::int32_t container_port = 0;
  std::string protocol;
  std::string host_ip;

  static const Table& table();
  bool operator==(const ContainerPort&) const = default;
};

struct ObjectFieldSelector {
  std::string api_version;
  std::string field_path;

  static const Table& table();
  bool operator==(const ObjectFieldSelector&) const = default;
};

struct ConfigMapKeySelector {
  LocalObjectReference reference;
  std::string key;
  std::optional<bool> optional;

  static const Table& table();
  bool operator==(const ConfigMapKeySelector&) const = default;
};

struct EnvVarSource {
  Box<ObjectFieldSelector> field_ref;
  Box<ConfigMapKeySelector> config_map_key_ref;

  static const Table& table();
  bool operator==(const EnvVarSource&) const = default;
};

struct EnvVar {
  std::string name;
  std::string value;
  Box<EnvVarSource> value_from;

  static const Table& table();
  bool operator==(const EnvVar&) const = default;
};

struct ConfigMapEnvSource {
  LocalObjectReference reference;
  std::optional<bool> optional;

  static const Table& table();
  bool operator==(const ConfigMapEnvSource&) const = default;
};

struct EnvFromSource {
  std::string prefix;
  Box<ConfigMapEnvSource> config_map_ref;

  static const Table& table();
  bool operator==(const EnvFromSource&) const = default;
};

struct ContainerResizePolicy {
  std::string resource_name;
  std::string restart_policy;

  static const Table& table();
  bool operator==(const ContainerResizePolicy&) const = default;
};

struct VolumeMount {
  std::string name;
  bool read_only = false;
  std::optional<std::string> recursive_read_only;
  std::string mount_path;
  std::string sub_path;
  std::optional<std::string> mount_propagation;
  std::string sub_path_expr;

  static const Table& table();
  bool operator==(const VolumeMount&) const = default;
};

struct VolumeDevice {
  std::string name;
  std::string device_path;

  static const Table& table();
  bool operator==(const VolumeDevice&) const = default;
};

struct Container {
  std::string name;
  std::string image;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::vector<ContainerPort> ports;
  std::vector<EnvFromSource> env_from;
  std::vector<EnvVar> env;
  ResourceRequirements resources;
  std::vector<ContainerResizePolicy> resize_policy;
  std::optional<std::string> restart_policy;
  std::vector<VolumeMount> volume_mounts;
  std::vector<VolumeDevice> volume_devices;
  std::string image_pull_policy;

  static const Table& table();
  bool operator==(const Container&) const = default;
};

struct EphemeralContainer {
  Container common;
  std::string target_container_name;

  static const Table& table();
  bool operator==(const EphemeralContainer&) const = default;
};

struct ContainerStatus {
  std::string name;
  bool ready = false;
  std::int32_t restart_count = 0;
  std::string image;
  std::string image_id;
  std::optional<bool> started;
  ResourceList allocated_resources;
  Box<ResourceRequirements> resources;

  static const Table& table();
  bool operator==(const ContainerStatus&) const = default;
};

}  // namespace berth::api
