#include "volumes_world.h"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "api/codec.h"
#include "api/objects/meta.h"
#include "volumes/plan.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/view.h"
#include "volumes_changes.h"
#include "volumes_scenario.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;

// Overloads of one call for the kinds of an Object.
template <typename... Calls>
struct Overloaded : Calls... {
  using Calls::operator()...;
};

std::string key_of(const api::ObjectMeta& metadata) {
  return volumes::claim_key(metadata.ns, metadata.name);
}

template <typename Typed>
json::object to_object(const Typed& object) {
  return json::parse(api::to_json(object)).as_object();
}

// Of the entries with a promise, by name.
template <typename Entries>
json::object promised_among(const Entries& entries) {
  json::object promised;
  for (const auto& [name, entry] : entries) {
    if (entry->promised) {
      promised[name] = changes_between(to_object(*entry->stored), to_object(*entry->promised));
    }
  }
  return promised;
}

}  // namespace

VolumesWorld::VolumesWorld(const Scenario& scenario, const volumes::Switches& switches)
    : switches_(switches), ledger_(catalog_, switches_) {
  for (const Object& object : scenario.objects) {
    set(object);
  }
  set(scenario.pod);
  set(scenario.second_pod);
}

void VolumesWorld::set(const Object& object) {
  if (const PodPtr* pod = std::get_if<PodPtr>(&object)) {
    pods_.insert_or_assign(key_of((*pod)->metadata), *pod);
    return;
  }
  std::visit(
      [this](const auto& other) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(other)>, PodPtr>) {
          catalog_.set(other);
        }
      },
      object);
}

void VolumesWorld::remove(const Object& object) {
  std::visit(
      Overloaded{
          [this](const PodPtr& pod) { pods_.erase(key_of(pod->metadata)); },
          [this](const volumes::NodePtr& node) { catalog_.remove_node(node->metadata.name); },
          [this](const volumes::VolumePtr& volume) {
            catalog_.remove_volume(volume->metadata.name);
          },
          [this](const volumes::ClaimPtr& claim) {
            catalog_.remove_claim(claim->metadata.ns, claim->metadata.name);
          },
          [this](const volumes::ClassPtr& storage_class) {
            catalog_.remove_class(storage_class->metadata.name);
          },
          [this](const volumes::DriverPtr& driver) {
            catalog_.remove_driver(driver->metadata.name);
          },
          [this](const volumes::CsiNodePtr& csi_node) {
            catalog_.remove_csi_node(csi_node->metadata.name);
          },
          [this](const volumes::CapacityPtr& capacity) {
            catalog_.remove_capacity(capacity->metadata.ns, capacity->metadata.name);
          },
      },
      object);
}

void VolumesWorld::deliver(const Event& event) {
  if (event.is_deletion) {
    remove(event.object);
  } else {
    set(event.object);
  }
}

void VolumesWorld::deliver(const std::vector<Event>& events) {
  for (const Event& event : events) {
    deliver(event);
  }
}

PodPtr VolumesWorld::find_pod(std::string_view ns, std::string_view name) const {
  const auto found = pods_.find(volumes::claim_key(ns, name));
  return found == pods_.end() ? nullptr : found->second;
}

std::vector<std::string> VolumesWorld::node_names() const {
  std::vector<std::string> names;
  for (const auto& [name, number] : catalog_.now().nodes_by_name()) {
    names.push_back(name);
  }
  return names;
}

json::object VolumesWorld::assumed() const {
  json::object assumed;
  if (json::object volumes = promised_among(catalog_.now().volumes()); !volumes.empty()) {
    assumed["persistentvolumes"] = std::move(volumes);
  }
  if (json::object claims = promised_among(catalog_.now().claims()); !claims.empty()) {
    assumed["persistentvolumeclaims"] = std::move(claims);
  }
  return assumed;
}

}  // namespace berth::vector_check
