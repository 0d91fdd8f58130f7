// What the engine wants written: merge patches that say only what changes, each under the uid and
// the resourceVersion of the object it was decided on. Where upstream sends a whole object back,
// this is a patch with the same changes and the same version.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/references.h"
#include "volumes/recorded_plan.h"

namespace berth::volumes {

enum class ObjectKind : std::uint8_t { kVolume, kClaim };

struct ObjectId {
  ObjectKind kind = ObjectKind::kVolume;
  std::string ns;  // of claims
  std::string name;

  auto operator<=>(const ObjectId&) const = default;
};
ObjectId volume_id(std::string_view name);
ObjectId claim_id(const RecordedObject& claim);

struct AnnotationChange {
  std::string key;
  std::optional<std::string> value;  // absent: the annotation goes

  bool operator==(const AnnotationChange&) const = default;
};

struct Changes {
  enum class Reference : std::uint8_t {
    kKept,
    kSet,      // to all of `claim_ref` and nothing else
    kUnnamed,  // its uid and version go, namespace and name stay: a user's wish
    kRemoved,
  };

  Reference reference = Reference::kKept;
  api::ObjectReference claim_ref;  // of kSet
  std::vector<AnnotationChange> annotations;

  bool empty() const { return reference == Reference::kKept && annotations.empty(); }
  bool operator==(const Changes&) const = default;
};

struct Write {
  ObjectId object;
  std::string uid;
  std::string resource_version;
  Changes changes;

  bool operator==(const Write&) const = default;
};

// The body of the merge patch, preconditions included. `write` has a version.
std::string merge_patch(const Write& write);

// What makes `after` of `before`, as far as the engine ever changes it.
Changes changes_between(const api::PersistentVolume& before, const api::PersistentVolume& after);
Changes changes_between(const api::PersistentVolumeClaim& before,
                        const api::PersistentVolumeClaim& after);

// The reference a volume gets to the claim, as of the version it was decided on.
api::ObjectReference reference_to(const RecordedObject& claim);

// What a recorded plan writes, as of the recorded versions.
Write write_of(const RecordedBinding& binding);
Write write_of(const RecordedProvision& provision, std::string_view node);

}  // namespace berth::volumes
