// The CSIStorageCapacity objects of simulated classes: what they should say, and the writes that
// make them say it. Pure.
//
// One object for each segment of each class that waits for its consumer and has a capacity, under a
// name that is a function of the two: who comes after a crash finds what was there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/class_rules.h"
#include "actors/sim_room.h"
#include "api/objects/storage.h"
#include "kube/client.h"

namespace berth::actors {

inline constexpr std::string_view kManagedBy = "csi.storage.k8s.io/managed-by";
inline constexpr std::string_view kDriverName = "csi.storage.k8s.io/drivername";
inline constexpr std::string_view kManager = "sim.berth.dev";

using CapacityPtr = std::shared_ptr<const api::CSIStorageCapacity>;

std::vector<api::CSIStorageCapacity> wanted_capacities(std::string_view ns,
                                                       std::span<const ClassPtr> classes,
                                                       std::span<const NodePtr> nodes,
                                                       const TakenOf& taken_of);

struct CapacityWrites {
  std::vector<api::CSIStorageCapacity> creates;
  std::vector<kube::PatchRequest> patches;
  std::vector<kube::RemoveRequest> removes;
};

// What makes `wanted` of `there`. Objects of others are left alone.
CapacityWrites capacity_writes(const std::vector<api::CSIStorageCapacity>& wanted,
                               std::span<const CapacityPtr> there);

}  // namespace berth::actors
