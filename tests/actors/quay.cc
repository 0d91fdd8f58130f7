#include "actors/quay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/names.h"
#include "actors/provisioner.h"
#include "actors/pv_controller.h"
#include "api/codec.h"
#include "api/kind.h"
#include "api/objects/core_event.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "base/assert.h"
#include "kube/client.h"
#include "kube/typed.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "volumes/names.h"
#include "volumes/rules.h"
#include "world/cluster.h"
#include "world/faults.h"
#include "world/in_process_client.h"
#include "world/store.h"

namespace berth::actors {
namespace {

constexpr std::size_t kHistory = 100'000;

const api::Kind& claim_kind() {
  return api::PersistentVolumeClaim::kKind;
}

std::string namespace_of(const api::Kind& kind) {
  return kind.scope == api::Scope::kNamespaced ? "default" : "";
}

}  // namespace

// One process: a clock, a client, and one of the two actors. Destroying it is a crash.
struct Quay::Process {
  Process(rt::SimulatedProcess& clock,
          world::Cluster& cluster,
          const std::string& name,
          Slot& slot,
          const Options& options)
      : client(cluster, clock, name, [&slot] { slot.wants_crash = true; }), scope(clock, name) {
    if (slot.is_provisioner) {
      provisioner.emplace(clock, client, ProvisionerOptions{});
      scope.spawn("provisioner", provisioner->run(scope.token()));
    } else {
      controller.emplace(clock, client, options.controller);
      scope.spawn("controller", controller->run(scope.token()));
    }
  }

  world::InProcessClient client;
  std::optional<PvController> controller;
  std::optional<Provisioner> provisioner;
  rt::Scope scope;
};

Quay::Quay(Options options)
    : options_(std::move(options)),
      simulation_(options_.seed),
      faults_(
          simulation_.random().fork(), *world::FaultSet::parse(options_.faults), options_.crash_at),
      cluster_(simulation_, faults_, kHistory),
      programs_(options_.controllers + (options_.has_provisioner ? 1 : 0)),
      scope_(simulation_, "quay") {
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    programs_[i].is_provisioner = i == options_.controllers;
    start(i);
  }
}

Quay::~Quay() = default;

void Quay::start(std::size_t index) {
  Slot& slot = programs_[index];
  clocks_.push_back(
      std::make_unique<rt::SimulatedProcess>(simulation_, rt::SimulatedProcess::Clock{}));
  const std::string name = fmt::format("p{}-{}", index, ++slot.starts);
  slot.process = std::make_unique<Process>(*clocks_.back(), cluster_, name, slot, options_);
}

rt::Task<void> Quay::restart(std::size_t index) {
  co_await rt::sleep_for(simulation_, std::chrono::seconds(1), {});
  if (!programs_[index].is_paused) {
    start(index);
  }
}

void Quay::pause_controller(bool is_paused) {
  programs_[0].is_paused = is_paused;
  if (is_paused) {
    programs_[0].wants_crash = true;
  } else {
    start(0);
  }
}

void Quay::run_for(rt::Duration duration) {
  const rt::Time end = simulation_.now() + duration;
  do {
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      if (programs_[i].wants_crash) {
        programs_[i].wants_crash = false;
        programs_[i].process.reset();
        scope_.spawn("restart", restart(i));
      }
    }
  } while (simulation_.step(end));
  simulation_.run_until(end);
}

void Quay::create(const api::Kind& kind, std::string_view ns, const std::string& body) {
  const auto made =
      cluster_.store().create({.kind = &kind, .key = {.ns = std::string(ns)}, .body = body});
  BERTH_ASSERT(made.has_value(), "the objects of a test are valid");
}

void Quay::make_node(const std::string& name, std::string_view zone) {
  create(api::Node::kKind,
         "",
         fmt::format(R"({{"metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}",)"
                     R"("zone":"{1}"}}}}}})",
                     name,
                     zone));
}

void Quay::make_class(const std::string& name,
                      std::string_view provisioner,
                      std::string_view mode,
                      std::string_view more) {
  create(api::StorageClass::kKind,
         "",
         fmt::format(R"({{"metadata":{{"name":"{}"}},"provisioner":"{}",)"
                     R"("volumeBindingMode":"{}"{}}})",
                     name,
                     provisioner,
                     mode,
                     more));
}

void Quay::make_volume(const std::string& name,
                       std::string_view class_name,
                       std::string_view size,
                       std::string_view spec,
                       std::string_view meta) {
  create(api::PersistentVolume::kKind,
         "",
         fmt::format(R"({{"metadata":{{"name":"{}"{}}},"spec":{{"storageClassName":"{}",)"
                     R"("capacity":{{"storage":"{}"}},"accessModes":["ReadWriteOnce"],)"
                     R"("persistentVolumeReclaimPolicy":"Retain"{}}}}})",
                     name,
                     meta,
                     class_name,
                     size,
                     spec));
}

void Quay::make_claim(const std::string& name,
                      std::string_view class_name,
                      std::string_view size,
                      std::string_view spec,
                      std::string_view meta) {
  create(claim_kind(),
         "default",
         fmt::format(R"({{"metadata":{{"name":"{}"{}}},"spec":{{"storageClassName":"{}",)"
                     R"("resources":{{"requests":{{"storage":"{}"}}}},)"
                     R"("accessModes":["ReadWriteOnce"]{}}}}})",
                     name,
                     meta,
                     class_name,
                     size,
                     spec));
}

void Quay::make_pod(const std::string& name, const std::string& claim) {
  create(api::Pod::kKind,
         "default",
         fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"containers":[{{"name":"c",)"
                     R"("image":"i"}}],"volumes":[{{"name":"v","persistentVolumeClaim":)"
                     R"({{"claimName":"{}"}}}}]}}}})",
                     name,
                     claim));
}

void Quay::patch_claim(const std::string& name, const std::string& body) {
  const auto patched = cluster_.store().patch(
      {.kind = &claim_kind(), .key = {.ns = "default", .name = name}, .body = body});
  BERTH_ASSERT(patched.has_value(), "the claim can be changed");
}

void Quay::patch_volume(const std::string& name, const std::string& body) {
  const auto patched = cluster_.store().patch(
      {.kind = &api::PersistentVolume::kKind, .key = {.ns = "", .name = name}, .body = body});
  BERTH_ASSERT(patched.has_value(), "the volume can be changed");
}

void Quay::set_status(const api::Kind& kind, const std::string& name, const std::string& status) {
  const auto patched = cluster_.store().patch({.kind = &kind,
                                               .key = {.ns = namespace_of(kind), .name = name},
                                               .subresource = "status",
                                               .body = fmt::format(R"({{"status":{}}})", status)});
  BERTH_ASSERT(patched.has_value(), "the status can be changed");
}

void Quay::remove_claim(const std::string& name) {
  const auto removed =
      cluster_.store().remove({.kind = &claim_kind(), .key = {.ns = "default", .name = name}});
  BERTH_ASSERT(removed.has_value(), "the claim can be removed");
}

void Quay::remove_volume(const std::string& name) {
  const auto removed = cluster_.store().remove(
      {.kind = &api::PersistentVolume::kKind, .key = {.ns = "", .name = name}});
  BERTH_ASSERT(removed.has_value(), "the volume can be removed");
}

void Quay::remove_node(const std::string& name) {
  const auto removed =
      cluster_.store().remove({.kind = &api::Node::kKind, .key = {.ns = "", .name = name}});
  BERTH_ASSERT(removed.has_value(), "the node can be removed");
}

void Quay::select_node(const std::string& claim, std::string_view node) {
  patch_claim(
      claim,
      fmt::format(
          R"({{"metadata":{{"annotations":{{"{}":"{}"}}}}}})", volumes::kSelectedNode, node));
}

void Quay::point(const std::string& volume, const std::string& claim) {
  patch_volume(volume,
               fmt::format(R"({{"metadata":{{"annotations":{{"{}":"yes"}}}},"spec":{{"claimRef":)"
                           R"({{"kind":"PersistentVolumeClaim","apiVersion":"v1",)"
                           R"("namespace":"default","name":"{}","uid":"{}"}}}}}})",
                           volumes::kBoundByController,
                           claim,
                           find_claim(claim)->metadata.uid));
}

template <typename Object>
std::optional<Object> Quay::find(std::string_view ns, const std::string& name) {
  const world::Store& store = cluster_.store();
  const auto text =
      store.get({.kind = &Object::kKind, .key = {.ns = std::string(ns), .name = name}},
                store.resource_version());
  return text ? std::optional(*api::from_json<Object>(*text)) : std::nullopt;
}

template <typename Object>
std::vector<Object> Quay::list() {
  const world::Store& store = cluster_.store();
  const auto page = store.list({.of = {.kind = &Object::kKind}}, store.resource_version());
  BERTH_ASSERT(page.has_value(), "everything can be listed");
  std::vector<Object> objects;
  for (const kube::Document& item : page->items) {
    objects.push_back(*kube::decode<Object>(item));
  }
  return objects;
}

std::optional<api::PersistentVolumeClaim> Quay::find_claim(const std::string& name) {
  return find<api::PersistentVolumeClaim>("default", name);
}

std::optional<api::PersistentVolume> Quay::find_volume(const std::string& name) {
  return find<api::PersistentVolume>("", name);
}

std::vector<api::PersistentVolume> Quay::volumes() {
  return list<api::PersistentVolume>();
}

std::vector<api::CSIStorageCapacity> Quay::capacities() {
  return list<api::CSIStorageCapacity>();
}

std::vector<std::string> Quay::told() {
  std::set<std::string> told;
  for (const api::Event& event : list<api::Event>()) {
    told.insert(fmt::format("{}: {}", event.involved_object.name, event.reason));
  }
  return {told.begin(), told.end()};
}

bool Quay::was_told(const std::string& name, std::string_view reason) {
  const std::vector<std::string> all = told();
  return std::ranges::find(all, fmt::format("{}: {}", name, reason)) != all.end();
}

std::string Quay::summary() {
  std::string out;
  // A volume that was made is known by its claim: the uid in its name differs from run to run.
  const auto name_of = [](const api::PersistentVolume& volume) {
    const bool is_made = volumes::find_annotation(volume.metadata, kProvisionedBy) != nullptr;
    return is_made && volume.spec.claim_ref ? "made for " + volume.spec.claim_ref->name
                                            : volume.metadata.name;
  };
  std::set<std::string> lines;
  for (const api::PersistentVolumeClaim& claim : list<api::PersistentVolumeClaim>()) {
    const auto volume = find_volume(claim.spec.volume_name);
    std::string marks;
    for (const auto& [key, value] : claim.metadata.annotations) {
      marks += fmt::format(" {}={}", key, value);
    }
    const auto size = claim.status.capacity.find(volumes::kStorage);
    lines.insert(
        fmt::format("claim {}: {} on '{}' with {}{}\n",
                    claim.metadata.name,
                    claim.status.phase,
                    volume ? name_of(*volume) : claim.spec.volume_name,
                    size == claim.status.capacity.end() ? "nothing" : size->second.to_string(),
                    marks));
  }
  for (const api::PersistentVolume& volume : volumes()) {
    const auto claim = volume.spec.claim_ref ? find_claim(volume.spec.claim_ref->name)
                                             : std::optional<api::PersistentVolumeClaim>();
    const bool is_meant = claim && claim->metadata.uid == volume.spec.claim_ref->uid;
    std::string marks;
    for (const auto& [key, value] : volume.metadata.annotations) {
      marks += fmt::format(" {}={}", key, value);
    }
    lines.insert(fmt::format("volume {}: {} for '{}'{}{}\n",
                             name_of(volume),
                             volume.status.phase,
                             volume.spec.claim_ref ? volume.spec.claim_ref->name : "",
                             is_meant ? "" : " that is gone",
                             marks));
  }
  for (const std::string& line : lines) {
    out += line;
  }
  return out;
}

}  // namespace berth::actors
