// A test's objects: built in a line each, and found by name.
//
//   FewObjects objects;
//   objects.add(ClaimBuilder("c").bound_to("pv"));
//   const api::Pod pod = PodBuilder("a").on("node-1").claim("c");
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/storage.h"
#include "volumes/objects.h"
#include "volumes/rules.h"

namespace berth::volumes::few {

class FewObjects : public Objects {
 public:
  void add(api::PersistentVolumeClaim claim) {
    std::string key = claim_key(claim);
    claims_.insert_or_assign(std::move(key), std::move(claim));
  }
  void add(api::PersistentVolume volume) {
    std::string name = volume.metadata.name;
    volumes_.insert_or_assign(std::move(name), std::move(volume));
  }
  void add(api::StorageClass storage_class) {
    std::string name = storage_class.metadata.name;
    classes_.insert_or_assign(std::move(name), std::move(storage_class));
  }
  void add(api::CSIDriver driver) {
    std::string name = driver.metadata.name;
    drivers_.insert_or_assign(std::move(name), std::move(driver));
  }
  void remove_claim(const std::string& key) { claims_.erase(key); }
  void remove_volume(const std::string& name) { volumes_.erase(name); }
  void remove_class(const std::string& name) { classes_.erase(name); }

  const api::PersistentVolumeClaim* find_claim(std::string_view key) const override {
    return find(claims_, key);
  }
  const api::PersistentVolume* find_volume(std::string_view name) const override {
    return find(volumes_, name);
  }
  const api::StorageClass* find_class(std::string_view name) const override {
    return find(classes_, name);
  }
  const api::CSIDriver* find_driver(std::string_view name) const override {
    return find(drivers_, name);
  }

 private:
  template <typename Object>
  using ByName = std::map<std::string, Object, std::less<>>;

  template <typename Object>
  static const Object* find(const ByName<Object>& objects, std::string_view name) {
    const auto found = objects.find(name);
    return found == objects.end() ? nullptr : &found->second;
  }

  ByName<api::PersistentVolumeClaim> claims_;
  ByName<api::PersistentVolume> volumes_;
  ByName<api::StorageClass> classes_;
  ByName<api::CSIDriver> drivers_;
};

// In namespace "default", with uid "uid-<name>". Volumes are named v0, v1 and so on.
class PodBuilder {
 public:
  explicit PodBuilder(std::string_view name) {
    pod_.metadata.name = name;
    pod_.metadata.ns = "default";
    pod_.metadata.uid = "uid-" + pod_.metadata.name;
  }

  PodBuilder& in(std::string_view ns) {
    pod_.metadata.ns = ns;
    return *this;
  }
  PodBuilder& on(std::string_view node) {
    pod_.spec.node_name = node;
    return *this;
  }
  PodBuilder& claim(std::string_view name) {
    add().persistent_volume_claim =
        api::PersistentVolumeClaimVolumeSource{.claim_name = std::string(name)};
    return *this;
  }
  // Its claim is "<pod>-v<number of the volume>".
  PodBuilder& ephemeral() {
    add().ephemeral.emplace();
    return *this;
  }
  PodBuilder& volume(api::VolumeSource source) {
    add() = std::move(source);
    return *this;
  }
  PodBuilder& aws(std::string_view id, bool read_only = false) {
    add().aws_elastic_block_store =
        api::AWSElasticBlockStoreVolumeSource{.volume_id = std::string(id), .read_only = read_only};
    return *this;
  }
  PodBuilder& gce(std::string_view name, bool read_only = false) {
    add().gce_persistent_disk =
        api::GCEPersistentDiskVolumeSource{.pd_name = std::string(name), .read_only = read_only};
    return *this;
  }
  PodBuilder& config_map() {
    add().config_map.emplace();
    return *this;
  }

  const api::Pod& pod() const { return pod_; }
  operator api::Pod() const { return pod_; }  // NOLINT(google-explicit-constructor): ends a chain

 private:
  api::VolumeSource& add() {
    api::Volume volume;
    volume.name = "v" + std::to_string(pod_.spec.volumes.size());
    pod_.spec.volumes.push_back(std::move(volume));
    return pod_.spec.volumes.back().source;
  }

  api::Pod pod_;
};

class ClaimBuilder {
 public:
  explicit ClaimBuilder(std::string_view name) {
    claim_.metadata.name = name;
    claim_.metadata.ns = "default";
  }

  ClaimBuilder& in(std::string_view ns) {
    claim_.metadata.ns = ns;
    return *this;
  }
  ClaimBuilder& bound_to(std::string_view volume) {
    claim_.spec.volume_name = volume;
    return *this;
  }
  ClaimBuilder& of_class(std::string_view name) {
    claim_.spec.storage_class_name = std::string(name);
    return *this;
  }
  ClaimBuilder& mode(std::string_view access_mode) {
    claim_.spec.access_modes.emplace_back(access_mode);
    return *this;
  }
  // The pod controls it, as it does the claims of its ephemeral volumes.
  ClaimBuilder& made_for(const api::Pod& pod) {
    claim_.metadata.owner_references.push_back(
        {.kind = "Pod", .name = pod.metadata.name, .uid = pod.metadata.uid, .controller = true});
    return *this;
  }

  operator api::PersistentVolumeClaim() const {  // NOLINT(google-explicit-constructor): as above
    return claim_;
  }

 private:
  api::PersistentVolumeClaim claim_;
};

inline api::PersistentVolume csi_volume(std::string_view name,
                                        std::string_view driver,
                                        std::string_view handle) {
  api::PersistentVolume volume;
  volume.metadata.name = name;
  volume.spec.source.csi = api::CSIPersistentVolumeSource{.driver = std::string(driver),
                                                          .volume_handle = std::string(handle)};
  return volume;
}

inline api::StorageClass storage_class(std::string_view name,
                                       std::string_view provisioner,
                                       std::optional<std::string> mode = "WaitForFirstConsumer") {
  api::StorageClass made;
  made.metadata.name = name;
  made.provisioner = provisioner;
  made.volume_binding_mode = std::move(mode);
  return made;
}

struct Limit {
  std::string_view driver;
  std::optional<std::int32_t> count;
};

inline api::CSINode csi_node(std::string_view name, std::initializer_list<Limit> limits) {
  api::CSINode node;
  node.metadata.name = name;
  for (const Limit& limit : limits) {
    api::CSINodeDriver driver;
    driver.name = limit.driver;
    if (limit.count) {
      driver.allocatable = api::VolumeNodeResources{.count = limit.count};
    }
    node.spec.drivers.push_back(std::move(driver));
  }
  return node;
}

inline std::shared_ptr<const api::VolumeAttachment> attachment(std::string_view name,
                                                               std::string_view driver,
                                                               std::string_view volume,
                                                               std::string_view node = "a") {
  api::VolumeAttachment made;
  made.metadata.name = name;
  made.spec.attacher = driver;
  made.spec.node_name = node;
  made.spec.source.persistent_volume_name = std::string(volume);
  return std::make_shared<const api::VolumeAttachment>(std::move(made));
}

}  // namespace berth::volumes::few
