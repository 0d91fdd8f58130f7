// Objects for tests, in the words a test thinks in:
//
//   pod("a").claim("c"), pvc("c").of("wait").size("5Gi"), pv("p").of("wait").size("5Gi").on("n1")
//
// A builder is what it builds: it converts to the object, or to the shared pointer that the catalog
// takes. Everything has version "1" and the namespace "ns" unless told otherwise, and a uid made of
// its kind and name.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/affinity.h"
#include "api/objects/meta.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/references.h"
#include "api/objects/storage.h"
#include "api/quantity.h"
#include "api/time.h"
#include "base/assert.h"
#include "volumes/names.h"

namespace berth::volumes::testing {

inline constexpr std::string_view kNamespace = "ns";
inline constexpr std::string_view kHostname = "kubernetes.io/hostname";

inline api::Quantity quantity(std::string_view text) {
  auto parsed = api::Quantity::parse(text);
  BERTH_ASSERT(parsed.has_value(), "a test writes quantities that can be read");
  return *std::move(parsed);
}

// What all builders can say.
template <typename Object, typename Self>
class Builder {
 public:
  operator const Object&() const { return object_; }  // NOLINT(google-explicit-constructor)
  operator std::shared_ptr<const Object>() const {    // NOLINT(google-explicit-constructor)
    return std::make_shared<const Object>(object_);
  }
  const Object& operator*() const { return object_; }
  const Object* operator->() const { return &object_; }

  Self& version(std::string_view text) {
    object_.metadata.resource_version = text;
    return self();
  }
  Self& uid(std::string_view text) {
    object_.metadata.uid = text;
    return self();
  }
  Self& ns(std::string_view text) {
    object_.metadata.ns = text;
    return self();
  }
  Self& label(std::string_view key, std::string_view value) {
    object_.metadata.labels.insert_or_assign(std::string(key), std::string(value));
    return self();
  }
  Self& note(std::string_view key, std::string_view value) {
    object_.metadata.annotations.insert_or_assign(std::string(key), std::string(value));
    return self();
  }
  Self& without_note(std::string_view key) {
    object_.metadata.annotations.erase(std::string(key));
    return self();
  }
  Self& deleting() {
    object_.metadata.deletion_timestamp = api::Time{};
    return self();
  }

 protected:
  Builder(std::string_view kind, std::string_view name, std::string_view ns) {
    object_.metadata.name = name;
    object_.metadata.ns = ns;
    object_.metadata.uid = fmt::format("{}-{}", kind, name);
    object_.metadata.resource_version = "1";
  }
  Self& self() { return static_cast<Self&>(*this); }

  Object object_;
};

class PodBuilder : public Builder<api::Pod, PodBuilder> {
 public:
  explicit PodBuilder(std::string_view name) : Builder("pod", name, kNamespace) {}

  PodBuilder& claim(std::string_view name) {
    volume(fmt::format("v{}", object_.spec.volumes.size())).source.persistent_volume_claim =
        api::PersistentVolumeClaimVolumeSource{.claim_name = std::string(name)};
    return *this;
  }
  PodBuilder& ephemeral(std::string_view name) {
    volume(name).source.ephemeral = api::EphemeralVolumeSource{};
    return *this;
  }
  PodBuilder& settings() {
    volume("settings").source.config_map = api::ConfigMapVolumeSource{};
    return *this;
  }
  // Of a source that nobody here reads, such as emptyDir.
  PodBuilder& scratch() {
    volume("scratch");
    return *this;
  }

 private:
  api::Volume& volume(std::string_view name) {
    api::Volume& added = object_.spec.volumes.emplace_back();
    added.name = name;
    return added;
  }
};
inline PodBuilder pod(std::string_view name) {
  return PodBuilder(name);
}

// One gigabyte, read and written once, of no class.
class ClaimBuilder : public Builder<api::PersistentVolumeClaim, ClaimBuilder> {
 public:
  explicit ClaimBuilder(std::string_view name) : Builder("claim", name, kNamespace) {
    object_.spec.access_modes = {"ReadWriteOnce"};
    object_.status.phase = "Pending";
    size("1G");
  }
  ClaimBuilder& of(std::string_view storage_class) {
    object_.spec.storage_class_name = storage_class;
    return *this;
  }
  ClaimBuilder& size(std::string_view text) {
    object_.spec.resources.requests.insert_or_assign(std::string(kStorage), quantity(text));
    return *this;
  }
  ClaimBuilder& without_size() {
    object_.spec.resources.requests.clear();
    return *this;
  }
  ClaimBuilder& modes(std::vector<std::string> access_modes) {
    object_.spec.access_modes = std::move(access_modes);
    return *this;
  }
  ClaimBuilder& volume_mode(std::string_view mode) {
    object_.spec.volume_mode = mode;
    return *this;
  }
  ClaimBuilder& attributes(std::string_view name) {
    object_.spec.volume_attributes_class_name = name;
    return *this;
  }
  ClaimBuilder& selector(api::LabelSelector selector) {
    object_.spec.selector = std::move(selector);
    return *this;
  }
  ClaimBuilder& names(std::string_view volume) {
    object_.spec.volume_name = volume;
    return *this;
  }
  ClaimBuilder& bound_to(std::string_view volume) {
    object_.status.phase = "Bound";
    return names(volume).note(kBindCompleted, "yes");
  }
  ClaimBuilder& selected(std::string_view node) { return note(kSelectedNode, node); }
  ClaimBuilder& phase(std::string_view text) {
    object_.status.phase = text;
    return *this;
  }
  ClaimBuilder& owner(std::string_view pod_uid, bool is_controller = true) {
    object_.metadata.owner_references.push_back({.api_version = "v1",
                                                 .kind = "Pod",
                                                 .name = "owner",
                                                 .uid = std::string(pod_uid),
                                                 .controller = is_controller});
    return *this;
  }
};
inline ClaimBuilder pvc(std::string_view name) {
  return ClaimBuilder(name);
}

// Available, one gigabyte, read and written once, of no class, reachable from everywhere.
class VolumeBuilder : public Builder<api::PersistentVolume, VolumeBuilder> {
 public:
  explicit VolumeBuilder(std::string_view name) : Builder("volume", name, "") {
    object_.spec.access_modes = {"ReadWriteOnce"};
    object_.status.phase = "Available";
    size("1G");
  }
  VolumeBuilder& of(std::string_view storage_class) {
    object_.spec.storage_class_name = storage_class;
    return *this;
  }
  VolumeBuilder& size(std::string_view text) {
    object_.spec.capacity.insert_or_assign(std::string(kStorage), quantity(text));
    return *this;
  }
  VolumeBuilder& modes(std::vector<std::string> access_modes) {
    object_.spec.access_modes = std::move(access_modes);
    return *this;
  }
  VolumeBuilder& volume_mode(std::string_view mode) {
    object_.spec.volume_mode = mode;
    return *this;
  }
  VolumeBuilder& attributes(std::string_view name) {
    object_.spec.volume_attributes_class_name = name;
    return *this;
  }
  VolumeBuilder& phase(std::string_view text) {
    object_.status.phase = text;
    return *this;
  }
  // Local: reachable from this node alone.
  VolumeBuilder& on(std::string_view node) { return where(kHostname, "In", {std::string(node)}); }
  // One more term of the node affinity, with one requirement.
  VolumeBuilder& where(std::string_view key, std::string_view op, std::vector<std::string> values) {
    return term(
        {.match_expressions = {
             {.key = std::string(key), .op = std::string(op), .values = std::move(values)}}});
  }
  VolumeBuilder& term(api::NodeSelectorTerm term) {
    if (!object_.spec.node_affinity) {
      reachable({});
    }
    object_.spec.node_affinity->required->node_selector_terms.push_back(std::move(term));
    return *this;
  }
  // Affinity with exactly these terms; with nothing: affinity without a selector.
  VolumeBuilder& reachable(std::vector<api::NodeSelectorTerm> terms) {
    object_.spec.node_affinity = api::VolumeNodeAffinity{
        .required = api::NodeSelector{.node_selector_terms = std::move(terms)}};
    return *this;
  }
  VolumeBuilder& affinity_without_selector() {
    object_.spec.node_affinity = api::VolumeNodeAffinity{};
    return *this;
  }
  // Points at a claim of the usual namespace: as the user does, without uid, or fully.
  VolumeBuilder& names(std::string_view claim, std::string_view claim_uid = "") {
    object_.spec.claim_ref = api::ObjectReference{
        .ns = std::string(kNamespace), .name = std::string(claim), .uid = std::string(claim_uid)};
    return *this;
  }
  VolumeBuilder& policy(std::string_view text) {
    object_.spec.persistent_volume_reclaim_policy = text;
    return *this;
  }
  VolumeBuilder& source(api::PersistentVolumeSource source) {
    object_.spec.source = std::move(source);
    return *this;
  }
};
inline VolumeBuilder pv(std::string_view name) {
  return VolumeBuilder(name);
}

// With its hostname as a label.
class NodeBuilder : public Builder<api::Node, NodeBuilder> {
 public:
  explicit NodeBuilder(std::string_view name) : Builder("node", name, "") {
    label(kHostname, name);
  }
};
inline NodeBuilder node(std::string_view name) {
  return NodeBuilder(name);
}

// Waits for the first consumer and provisions nothing.
class ClassBuilder : public Builder<api::StorageClass, ClassBuilder> {
 public:
  explicit ClassBuilder(std::string_view name) : Builder("class", name, "") {
    object_.provisioner = kNoProvisioner;
    object_.volume_binding_mode = kWaitForFirstConsumer;
  }
  ClassBuilder& provisioner(std::string_view name) {
    object_.provisioner = name;
    return *this;
  }
  ClassBuilder& immediate() {
    object_.volume_binding_mode = "Immediate";
    return *this;
  }
  ClassBuilder& without_mode() {
    object_.volume_binding_mode.reset();
    return *this;
  }
  // One more allowed topology: the label has one of these values.
  ClassBuilder& allows(std::string_view key, std::vector<std::string> values) {
    api::TopologySelectorTerm term;
    term.match_label_expressions.push_back({.key = std::string(key), .values = std::move(values)});
    object_.allowed_topologies.push_back(std::move(term));
    return *this;
  }
  ClassBuilder& allows_nothing() {
    object_.allowed_topologies.emplace_back();
    return *this;
  }
};
inline ClassBuilder storage_class(std::string_view name) {
  return ClassBuilder(name);
}

class DriverBuilder : public Builder<api::CSIDriver, DriverBuilder> {
 public:
  explicit DriverBuilder(std::string_view name) : Builder("driver", name, "") {}
  DriverBuilder& tracks_capacity(std::optional<bool> tracks = true) {
    object_.spec.storage_capacity = tracks;
    return *this;
  }
};
inline DriverBuilder driver(std::string_view name) {
  return DriverBuilder(name);
}

class CsiNodeBuilder : public Builder<api::CSINode, CsiNodeBuilder> {
 public:
  explicit CsiNodeBuilder(std::string_view name) : Builder("csi-node", name, "") {}
  CsiNodeBuilder& migrates(std::string_view plugins) { return note(kMigratedPlugins, plugins); }
};
inline CsiNodeBuilder csi_node(std::string_view name) {
  return CsiNodeBuilder(name);
}

// Reaches every node; says nothing of its size.
class PoolBuilder : public Builder<api::CSIStorageCapacity, PoolBuilder> {
 public:
  explicit PoolBuilder(std::string_view name) : Builder("pool", name, kNamespace) {
    object_.node_topology = api::LabelSelector{};
  }
  PoolBuilder& of(std::string_view storage_class) {
    object_.storage_class_name = storage_class;
    return *this;
  }
  PoolBuilder& size(std::string_view text) {
    object_.capacity = quantity(text);
    return *this;
  }
  PoolBuilder& largest(std::string_view text) {
    object_.maximum_volume_size = quantity(text);
    return *this;
  }
  PoolBuilder& on(std::string_view node) {
    object_.node_topology->match_labels.insert_or_assign(std::string(kHostname), std::string(node));
    return *this;
  }
  PoolBuilder& topology(api::LabelSelector selector) {
    object_.node_topology = std::move(selector);
    return *this;
  }
  PoolBuilder& nowhere() {
    object_.node_topology.reset();
    return *this;
  }
};
inline PoolBuilder pool(std::string_view name) {
  return PoolBuilder(name);
}

}  // namespace berth::volumes::testing
