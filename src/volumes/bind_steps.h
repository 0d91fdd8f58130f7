// What the state machines of this room say to whoever drives them, and what they are told.
//
// The driver sends writes and reads as they come, beside each other, and passes each answer on
// once. A WaitUntil replaces the one before. Answers that come after the end are ignored.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "volumes/bind_policy.h"
#include "volumes/rules.h"
#include "volumes/writes.h"

namespace berth::volumes {

// To be done. --------------------------------------------------------------------------------

// Read the object from the server, not from a cache. Answered by ObjectRead or ReadFailed.
struct ReadObject {
  ObjectId object;

  bool operator==(const ReadObject&) const = default;
};
// Answered by Look, then or when something of interest happens before.
struct WaitUntil {
  Moment until{};

  bool operator==(const WaitUntil&) const = default;
};
// A Write is answered by Written or WriteFailed.
using BindAction = std::variant<Write, ReadObject, WaitUntil>;
using BindActions = std::vector<BindAction>;

// What happened. -----------------------------------------------------------------------------

struct Begin {};
// The object as it is then; which of the two is set, the id says.
struct Written {
  ObjectId object;
  VolumePtr volume = nullptr;
  ClaimPtr claim = nullptr;
};
// kUnknownOutcome when it was perhaps applied; any other code when it was not and will not be.
struct WriteFailed {
  ObjectId object;
  Error error;
};
// Neither is set when there is none.
struct ObjectRead {
  ObjectId object;
  VolumePtr volume = nullptr;
  ClaimPtr claim = nullptr;
};
struct ReadFailed {
  ObjectId object;
  Error error;
};
// Something may have changed in what is watched, or it is time.
struct Look {};
// Another pod is to have the place.
struct Preempted {
  std::string by;  // the plugin
};
// The process ends: whoever comes next goes on from the recorded plan.
struct Stopped {};

}  // namespace berth::volumes
