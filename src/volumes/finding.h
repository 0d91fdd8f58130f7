// What was found out about one claim of a pod: a constant that programs decide on, and a sentence
// that names the claim, the volume, the key and the values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::volumes {

enum class FindingKind : std::uint8_t {
  // On this node the claim is met.
  kBound,      // has its volume, and the node reaches it
  kTakes,      // takes a volume that is there
  kProvision,  // a volume would be made
  // On this node it is not.
  kVolumeMissing,      // bound to a volume that does not exist
  kVolumeUnreachable,  // bound to a volume that the node does not reach
  kSelectedElsewhere,  // asks for another node already
  kNamedUnreachable,   // a volume names the claim, and the node does not reach it
  kNoVolume,           // no volume fits, and nobody makes one
  kTopologyMismatch,   // no volume fits, and the class makes none for this node
  kNotEnoughCapacity,  // no volume fits, and there is no room for a new one
  kFault,              // something is wrong with the claim, its class or its volume
  // On no node.
  kClaimMissing,
  kClaimLost,
  kClaimDeleted,      // is being deleted
  kEphemeralMissing,  // the claim of an ephemeral volume, not made yet
  kNotOwner,          // the claim of an ephemeral volume, made for another pod
  kUnboundImmediate,  // the PV controller has yet to bind it
  // Worth knowing; refuses nothing.
  kNamedUnfit,     // a volume names the claim, and cannot be its volume
  kFieldsIgnored,  // a volume's node affinity has matchFields, which nobody looks at
  kVanishedNode,   // asks for a node that no longer exists
  kFromTemplate,   // the claim does not exist yet: planned from the pod's template
  kDefaultClass,   // names no class, and gets the default one
  kAttemptFails,   // a fault on one node, for which schedulers give up on the pod
};

// "Bound", "NoVolume": for programs.
std::string_view name_of(FindingKind kind);
// Whether the claim is not met.
bool is_refusal(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::kBound;
  std::string claim;  // "namespace/name"
  std::string text;   // what follows the claim in the sentence
  // What it speaks of, where it does.
  std::string volume;
  std::string provisioner;
  std::string pool;  // "namespace/name"
  std::string requested;
  std::string capacity;  // of the volume or the pool
  // How much larger a volume or a pool would have to be; nothing where size is not what is missing.
  std::optional<std::int64_t> missing_bytes;

  std::string sentence() const { return "claim " + claim + " " + text; }
  bool operator==(const Finding&) const = default;
};

}  // namespace berth::volumes
