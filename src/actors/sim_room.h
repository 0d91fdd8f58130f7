// Where a simulated volume can be put, and how much room is left there. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/claim_sync.h"
#include "actors/sim_class.h"
#include "actors/sim_volume.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"

namespace berth::actors {

using NodePtr = std::shared_ptr<const api::Node>;
// Bytes taken of a pool, by volumes that are there and by those under way.
using TakenOf = std::function<std::int64_t(const std::string& pool)>;

// A provisioner is to make a volume for the claim.
bool is_wanted(const api::PersistentVolumeClaim& claim, const api::StorageClass* storage_class);
// Who is asked for it; empty when nobody is.
std::string_view asked_of(const api::PersistentVolumeClaim& claim);
// The node the scheduler has chosen; empty when it has not.
std::string_view selected_of(const api::PersistentVolumeClaim& claim);

struct SimPlace {
  // The server is to be asked for the selected node, and then this question is to be put again.
  bool must_look = false;
  Outcome outcome = Outcome::kOk;
  std::string why;  // it is not
  Segment segment;  // of kOk
};

// `node` is the selected one, where there is one; `nodes` all of them.
SimPlace find_place(const api::PersistentVolumeClaim& claim,
                    const api::StorageClass& storage_class,
                    const SimClass& sim,
                    const Sight<api::Node>& node,
                    std::span<const NodePtr> nodes,
                    const TakenOf& taken_of);

// The segments of a class: all nodes, or one for each value of its label on nodes that it allows.
std::vector<Segment> segments_of(const api::StorageClass& storage_class,
                                 const SimClass& sim,
                                 std::span<const NodePtr> nodes);

}  // namespace berth::actors
