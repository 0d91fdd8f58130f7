#include "volumes/finding.h"

#include <string_view>

namespace berth::volumes {

std::string_view name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kBound:
      return "Bound";
    case FindingKind::kTakes:
      return "TakesVolume";
    case FindingKind::kProvision:
      return "Provision";
    case FindingKind::kVolumeMissing:
      return "VolumeMissing";
    case FindingKind::kVolumeUnreachable:
      return "VolumeUnreachable";
    case FindingKind::kSelectedElsewhere:
      return "SelectedElsewhere";
    case FindingKind::kNamedUnreachable:
      return "NamedVolumeUnreachable";
    case FindingKind::kNoVolume:
      return "NoVolume";
    case FindingKind::kTopologyMismatch:
      return "TopologyMismatch";
    case FindingKind::kNotEnoughCapacity:
      return "NotEnoughCapacity";
    case FindingKind::kFault:
      return "Fault";
    case FindingKind::kClaimMissing:
      return "ClaimMissing";
    case FindingKind::kClaimLost:
      return "ClaimLost";
    case FindingKind::kClaimDeleted:
      return "ClaimBeingDeleted";
    case FindingKind::kEphemeralMissing:
      return "EphemeralClaimMissing";
    case FindingKind::kNotOwner:
      return "NotOwner";
    case FindingKind::kUnboundImmediate:
      return "UnboundImmediate";
    case FindingKind::kNamedUnfit:
      return "NamedVolumeUnfit";
    case FindingKind::kFieldsIgnored:
      return "FieldsIgnored";
    case FindingKind::kVanishedNode:
      return "VanishedNode";
    case FindingKind::kFromTemplate:
      return "FromTemplate";
    case FindingKind::kDefaultClass:
      return "DefaultClass";
    case FindingKind::kAttemptFails:
      return "AttemptFails";
  }
  return "Unknown";
}

bool is_refusal(FindingKind kind) {
  return kind >= FindingKind::kVolumeMissing && kind <= FindingKind::kUnboundImmediate;
}

}  // namespace berth::volumes
