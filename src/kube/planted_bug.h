// Mistakes that can be switched on, to show that the simulation finds them. Nothing but its tests
// sets one.
#pragma once

#include <cstdint>

namespace berth::kube {

enum class PlantedBug : std::uint8_t {
  kNone,
  kResumeFromWrongVersion,  // a watcher that skips ahead when it opens its watch again
  kSwapInPieces,            // an informer whose handlers run while a relist is half applied
  kForgetWhileHandled,      // a work queue that loses a key added while it is handled
  kNoFence,                 // an elector whose fence never falls
};

}  // namespace berth::kube
