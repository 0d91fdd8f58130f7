// What came of a binding and why: a verdict to act on, a constant to count and match, names and
// values to show, and a text for people. Where upstream has a text for it, it is upstream's.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::volumes {

// What weighs more comes later: that a pod is gone matters more than that a node does not fit, and
// that more than an answer which did not come.
enum class BindVerdict : std::uint8_t {
  kDone,        // every claim of the plan is bound
  kRetryHere,   // the plan may still work: the same one again, a little later
  kGiveUpNode,  // not with this plan: decide anew
  kGiveUpPod,   // not on any node, as things are
};

namespace bind_reason {

// The pod and its node.
inline constexpr std::string_view kPodGone = "PodGone";
inline constexpr std::string_view kPodReplaced = "PodReplaced";
inline constexpr std::string_view kNodeGone = "NodeGone";
// The volume of a plan, or the one a claim was bound to.
inline constexpr std::string_view kVolumeGone = "VolumeGone";
inline constexpr std::string_view kVolumeReplaced = "VolumeReplaced";
inline constexpr std::string_view kVolumeDeleting = "VolumeDeleting";
inline constexpr std::string_view kVolumeTaken = "VolumeTaken";
inline constexpr std::string_view kVolumeUnfit = "VolumeUnfit";
inline constexpr std::string_view kVolumeUnreachable = "VolumeUnreachable";
inline constexpr std::string_view kVolumeUntranslatable = "VolumeUntranslatable";
inline constexpr std::string_view kReferenceReset = "ClaimRefReset";
// The claim.
inline constexpr std::string_view kClaimGone = "ClaimGone";
inline constexpr std::string_view kClaimReplaced = "ClaimReplaced";
inline constexpr std::string_view kClaimDeleting = "ClaimDeleting";
inline constexpr std::string_view kClaimLost = "ClaimLost";
inline constexpr std::string_view kClaimBoundElsewhere = "ClaimBoundElsewhere";
inline constexpr std::string_view kClaimPinned = "ClaimPinnedElsewhere";
inline constexpr std::string_view kSelectionReset = "SelectedNodeReset";
inline constexpr std::string_view kProvisioningFailed = "ProvisioningFailed";
// The API server.
inline constexpr std::string_view kConflict = "Conflict";
inline constexpr std::string_view kRefused = "WriteRefused";
inline constexpr std::string_view kTrouble = "ServerTrouble";
// Time, and whoever has other plans.
inline constexpr std::string_view kDeadline = "DeadlineExceeded";
inline constexpr std::string_view kPreempted = "Preempted";
inline constexpr std::string_view kStopped = "Stopped";
// Not a failure: what a binding still waits for.
inline constexpr std::string_view kNotSeenYet = "WriteNotSeenYet";
inline constexpr std::string_view kNotBoundYet = "NotBoundYet";
inline constexpr std::string_view kVolumeNotSeenYet = "VolumeNotSeenYet";
// Of an undo: what it must leave as it is.
inline constexpr std::string_view kHeldByClaim = "HeldByClaim";
inline constexpr std::string_view kHeldByVolume = "HeldByVolume";
inline constexpr std::string_view kHeldForPod = "HeldForPod";
inline constexpr std::string_view kNotOurs = "NotOurs";

}  // namespace bind_reason

struct BindReason {
  std::string_view code;  // one of the constants above
  std::string text;
  std::string claim = {};   // "namespace/name"; empty when it is not about one
  std::string volume = {};  // likewise
  std::string key = {};     // the field or annotation that decided, where one did
  std::string wanted = {};  // its value as it should be
  std::string found = {};   // and as it is

  bool operator==(const BindReason&) const = default;
};

// Why it cannot go on, and what that means for the pod.
struct BindProblem {
  BindVerdict verdict = BindVerdict::kGiveUpNode;
  BindReason reason;
  std::chrono::milliseconds retry_after{};  // what whoever refused asked for
};

}  // namespace berth::volumes
