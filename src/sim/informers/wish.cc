#include "sim/informers/wish.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "base/assert.h"
#include "kube/object_key.h"
#include "kube/typed.h"
#include "sim/informers/subject.h"
#include "world/store.h"

namespace berth::sim::informers {
namespace {

constexpr std::string_view kChild = "-child";

std::string value_of(const api::StringMap& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string() : found->second;
}

template <typename Object>
Object decoded(const world::Version& version) {
  auto object = kube::decode<Object>({.bytes = world::text_of(version)});
  BERTH_ASSERT(object.has_value(), "the traffic writes objects that can be read");
  return *std::move(object);
}

// What is wrong with a pod; empty: nothing.
std::string_view complaint_of(const api::Pod& pod) {
  if (pod.metadata.deletion_timestamp.has_value()) {
    return {};
  }
  if (is_to_be_evicted(pod)) {
    return "is still there and was to be evicted";
  }
  if (pod.spec.node_name.empty()) {
    return "is not bound";
  }
  return pod.status.phase == "Running" ? "" : "is not running";
}

bool has_child(const Objects& objects, const Subject& parent) {
  return objects.contains({.kind = parent.kind, .key = child_of(parent.key)});
}

std::string_view complaint_of(const Objects& objects,
                              const Subject& subject,
                              const api::ConfigMap& map) {
  if (seen_by_leader(map) != value_of_map(map)) {
    return "has a value that no leader has seen";
  }
  if (is_child(subject.key)) {
    // A child whose parent is there is judged with its parent.
    const Subject parent{.kind = subject.kind, .key = parent_of(subject.key)};
    return objects.contains(parent) ? "" : "is there and its parent is not";
  }
  if (wants_child(map) == has_child(objects, subject)) {
    return {};
  }
  return wants_child(map) ? "has no child and wants one" : "has a child and wants none";
}

}  // namespace

std::string value_of_map(const api::ConfigMap& map) {
  return value_of(map.data, "value");
}

std::string seen_by_leader(const api::ConfigMap& map) {
  return value_of(map.metadata.annotations, kSeen);
}

bool wants_child(const api::ConfigMap& map) {
  return value_of(map.data, "child") == "yes";
}

bool is_to_be_evicted(const api::Pod& pod) {
  return value_of(pod.metadata.labels, "evict") == "yes";
}

bool is_child(const kube::ObjectKey& key) {
  return key.name.ends_with(kChild);
}

kube::ObjectKey child_of(const kube::ObjectKey& parent) {
  return {.ns = parent.ns, .name = parent.name + std::string(kChild)};
}

kube::ObjectKey parent_of(const kube::ObjectKey& child) {
  return {.ns = child.ns, .name = child.name.substr(0, child.name.size() - kChild.size())};
}

api::Pod pod_of(const world::Version& version) {
  return decoded<api::Pod>(version);
}

std::vector<std::string> unfulfilled_wishes(const Objects& objects) {
  std::vector<std::string> unfulfilled;
  for (const auto& [subject, version] : objects) {
    std::string_view complaint;
    if (*subject.kind == api::Pod::kKind) {
      complaint = complaint_of(pod_of(*version));
    } else if (*subject.kind == api::ConfigMap::kKind) {
      complaint = complaint_of(objects, subject, decoded<api::ConfigMap>(*version));
    }
    if (!complaint.empty()) {
      unfulfilled.push_back(fmt::format("{} {}", subject.text(), complaint));
    }
  }
  return unfulfilled;
}

}  // namespace berth::sim::informers
