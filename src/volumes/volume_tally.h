// Why none of the volumes of its class is for a claim: each volume counted by its first obstacle,
// and the volumes a node reaches apart from the others.
//
// Looks at every volume once when it is made; a node then costs as much as there are different
// places of volumes that it reaches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "volumes/free_volumes.h"
#include "volumes/reach.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::volumes {

// In the order in which they are looked for.
enum class Obstacle : std::uint8_t {
  kClaimed,   // by another claim
  kReleased,  // its claim is gone, and the reference to it still stands there
  kPhase,     // another than Available
  kDeleted,   // is being deleted
  kTooSmall,
  kMode,        // filesystem or block
  kAttributes,  // the attributes class
  kSelector,    // the claim's, on labels
  kAccessModes,
  kNone,  // fits
};
inline constexpr std::size_t kObstacles = static_cast<std::size_t>(Obstacle::kNone) + 1;

// Leaves out where the volume is, and its class. A volume that names the claim needs no phase and
// no selector.
Obstacle find_obstacle(const api::PersistentVolume& volume,
                       const ClaimEntry& claim,
                       const Switches& switches);

class VolumeTally {
 public:
  // Of the volumes of the claim's class. `view` and `claim` outlive it.
  VolumeTally(const View& view, const ClaimEntry& claim, const Switches& switches);

  std::size_t volume_count() const { return count_; }

  // How it stands on a node that none of them is for.
  struct OnNode {
    std::array<std::size_t, kObstacles> reached{};  // by obstacle
    std::size_t reached_count = 0;
    const VolumeEntry* largest = nullptr;  // of those reached and too small
    const VolumeEntry* fitting = nullptr;  // the smallest that fits and is not reached
    std::size_t fitting_count = 0;         // of those that fit and are not reached
  };
  OnNode on_node(std::size_t node) const;
  // The same in words. There are volumes of the class.
  std::string text(const OnNode& tally, std::size_t node) const;

 private:
  // Volumes that are reached from the same nodes.
  struct Place {
    ReachId reach = 0;
    std::array<std::size_t, kObstacles> counts{};
    std::size_t count = 0;
    const VolumeEntry* largest = nullptr;  // of those too small
    const VolumeEntry* fitting = nullptr;  // the smallest
  };

  void file_places();
  static void add(const Place& place, OnNode& tally);

  const View& view_;
  const ClaimEntry& claim_;
  std::vector<Place> places_;
  std::size_t count_ = 0;
  std::size_t fitting_count_ = 0;
  // Numbers of places: those many nodes reach, those of each node, and those with a volume that
  // fits, the smallest first.
  std::vector<std::size_t> wide_;
  std::vector<std::vector<std::size_t>> by_node_;
  std::vector<std::size_t> by_size_;
};

}  // namespace berth::volumes
