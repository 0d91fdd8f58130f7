// Unclaimed volumes of one kind, as one search looks at them: from a claim to all nodes, and from a
// node to the volumes it reaches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "base/node_set.h"
#include "volumes/view.h"

namespace berth::volumes {

using ChosenVolumes = std::vector<const VolumeEntry*>;

class FreeVolumes {
 public:
  // Volumes of `view`, which outlives it; null for none.
  FreeVolumes(const View& view, const VolumesByReach* places) : view_(view), places_(places) {}

  // The nodes from which some volume that fits the claim is reached.
  NodeSet nodes_for(const ClaimEntry& claim) const;

  // The smallest volume that fits the claim, is reached from the node and is not chosen yet; of
  // equally small ones the first by name. Null when there is none.
  VolumeEntryPtr find_smallest(const ClaimEntry& claim,
                               std::size_t node,
                               const ChosenVolumes& chosen);
  // The smallest such volumes, at most so many.
  std::vector<VolumeEntryPtr> find_smallest(const ClaimEntry& claim,
                                            std::size_t node,
                                            std::size_t count);

 private:
  // Places by node, made when a node is first asked for: those reached from many nodes in a list of
  // their own.
  void file_places();
  std::span<const VolumesBySize* const> narrow_places(std::size_t node) const;
  template <typename Visit>
  void visit_places(std::size_t node, Visit&& visit);

  struct WidePlace {
    ReachId reach;
    const VolumesBySize* volumes;
  };

  const View& view_;
  const VolumesByReach* places_;
  bool is_filed_ = false;
  std::vector<WidePlace> wide_;
  std::vector<std::uint32_t> first_;  // by node: where its places begin in narrow_
  std::vector<const VolumesBySize*> narrow_;
};

// Whether a volume of the right kind and size fits the rest of what the claim asks for.
bool is_acceptable(const VolumeEntry& volume, const ClaimEntry& claim);

}  // namespace berth::volumes
