// What whoever leads in the suite `informers` wants of the cluster, and whether it has it.
//
// Pods are bound and running, or gone where their label `evict` says so. A config map is annotated
// with the value it has. Beside a config map that asks for one, and only there, stands a child.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "kube/object_key.h"
#include "sim/informers/subject.h"
#include "world/store.h"

namespace berth::sim::informers {

// The annotation with the value that a leader has seen.
inline constexpr std::string_view kSeen = "sim.berth.dev/seen";

std::string value_of_map(const api::ConfigMap& map);
std::string seen_by_leader(const api::ConfigMap& map);
bool wants_child(const api::ConfigMap& map);
bool is_to_be_evicted(const api::Pod& pod);

bool is_child(const kube::ObjectKey& key);
kube::ObjectKey child_of(const kube::ObjectKey& parent);
// Of a child.
kube::ObjectKey parent_of(const kube::ObjectKey& child);

// Objects as the store has them.
using Objects = std::map<Subject, world::VersionPtr>;

api::Pod pod_of(const world::Version& version);

// A sentence for each wish that is not fulfilled.
std::vector<std::string> unfulfilled_wishes(const Objects& objects);

}  // namespace berth::sim::informers
