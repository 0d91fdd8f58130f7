#include "api/objects/container.h"

#include "api/table.h"

namespace berth::api {

const Table& ContainerPort::table() {
  using S = ContainerPort;
  static const Table table{
      field("name", 1, &S::name),
      field("hostPort", 2, &S::host_port),
      field("containerPort", 3, &S::container_port),
      field("protocol", 4, &S::protocol),
      field("hostIP", 5, &S::host_ip),
  };
  return table;
}

const Table& ObjectFieldSelector::table() {
  using S = ObjectFieldSelector;
  static const Table table{
      field("apiVersion", 1, &S::api_version),
      field("fieldPath", 2, &S::field_path),
  };
  return table;
}

const Table& ConfigMapKeySelector::table() {
  using S = ConfigMapKeySelector;
  static const Table table{
      inlined(1, &S::reference),
      field("key", 2, &S::key),
      field("optional", 3, &S::optional),
  };
  return table;
}

const Table& EnvVarSource::table() {
  using S = EnvVarSource;
  static const Table table{
      field("fieldRef", 1, &S::field_ref),
      field("configMapKeyRef", 3, &S::config_map_key_ref),
  };
  return table;
}

const Table& EnvVar::table() {
  using S = EnvVar;
  static const Table table{
      field("name", 1, &S::name),
      field("value", 2, &S::value),
      field("valueFrom", 3, &S::value_from),
  };
  return table;
}

const Table& ConfigMapEnvSource::table() {
  using S = ConfigMapEnvSource;
  static const Table table{
      inlined(1, &S::reference),
      field("optional", 2, &S::optional),
  };
  return table;
}

const Table& EnvFromSource::table() {
  using S = EnvFromSource;
  static const Table table{
      field("prefix", 1, &S::prefix),
      field("configMapRef", 2, &S::config_map_ref),
  };
  return table;
}

const Table& ContainerResizePolicy::table() {
  using S = ContainerResizePolicy;
  static const Table table{
      field("resourceName", 1, &S::resource_name),
      field("restartPolicy", 2, &S::restart_policy),
  };
  return table;
}

const Table& VolumeMount::table() {
  using S = VolumeMount;
  static const Table table{
      field("name", 1, &S::name),
      field("readOnly", 2, &S::read_only),
      field("recursiveReadOnly", 7, &S::recursive_read_only),
      field("mountPath", 3, &S::mount_path),
      field("subPath", 4, &S::sub_path),
      field("mountPropagation", 5, &S::mount_propagation),
      field("subPathExpr", 6, &S::sub_path_expr),
  };
  return table;
}

const Table& VolumeDevice::table() {
  using S = VolumeDevice;
  static const Table table{
      field("name", 1, &S::name),
      field("devicePath", 2, &S::device_path),
  };
  return table;
}

const Table& Container::table() {
  using S = Container;
  static const Table table{
      field("name", 1, &S::name),
      field("image", 2, &S::image),
      field("command", 3, &S::command),
      field("args", 4, &S::args),
      field("ports", 6, &S::ports).merged_by("containerPort"),
      field("envFrom", 19, &S::env_from),
      field("env", 7, &S::env).merged_by("name"),
      field("resources", 8, &S::resources),
      field("resizePolicy", 23, &S::resize_policy),
      field("restartPolicy", 24, &S::restart_policy),
      field("volumeMounts", 9, &S::volume_mounts).merged_by("mountPath"),
      field("volumeDevices", 21, &S::volume_devices).merged_by("devicePath"),
      field("imagePullPolicy", 14, &S::image_pull_policy),
  };
  return table;
}

const Table& EphemeralContainer::table() {
  using S = EphemeralContainer;
  static const Table table{
      inlined(1, &S::common),
      field("targetContainerName", 2, &S::target_container_name),
  };
  return table;
}

const Table& ContainerStatus::table() {
  using S = ContainerStatus;
  static const Table table{
      field("name", 1, &S::name),
      field("ready", 4, &S::ready),
      field("restartCount", 5, &S::restart_count),
      field("image", 6, &S::image),
      field("imageID", 7, &S::image_id),
      field("started", 9, &S::started),
      field("allocatedResources", 10, &S::allocated_resources),
      field("resources", 11, &S::resources),
  };
  return table;
}

}  // namespace berth::api
