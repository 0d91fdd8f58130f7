#include "volumes/writes.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json_text.h"
#include "api/members.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/references.h"
#include "base/assert.h"
#include "volumes/names.h"
#include "volumes/recorded_plan.h"

namespace berth::volumes {
namespace {

// A JSON object, member by member.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_ += '{'; }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
  ~Members() { out_ += '}'; }

  // What follows is the value of the member.
  void name(std::string_view name) {
    if (!is_first_) {
      out_ += ',';
    }
    is_first_ = false;
    api::codec::append_json_string(out_, name);
    out_ += ':';
  }
  void text(std::string_view member, std::string_view value) {
    name(member);
    api::codec::append_json_string(out_, value);
  }
  void nothing(std::string_view member) {
    name(member);
    out_ += "null";
  }
  // Empty texts are as good as absent ones; in a merge patch that has to be said.
  void text_or_nothing(std::string_view member, std::string_view value) {
    if (value.empty()) {
      nothing(member);
    } else {
      text(member, value);
    }
  }

 private:
  std::string& out_;
  bool is_first_ = true;
};

void write_annotations(std::string& out, const std::vector<AnnotationChange>& changes) {
  Members members(out);
  for (const AnnotationChange& change : changes) {
    if (change.value) {
      members.text(change.key, *change.value);
    } else {
      members.nothing(change.key);
    }
  }
}

void write_reference(std::string& out, const Changes& changes) {
  if (changes.reference == Changes::Reference::kRemoved) {
    out += "null";
    return;
  }
  Members members(out);
  if (changes.reference == Changes::Reference::kUnnamed) {
    members.nothing("uid");
    members.nothing("resourceVersion");
    return;
  }
  // All members, also those that are not there: a patch merges into whatever reference stands.
  const api::ObjectReference& reference = changes.claim_ref;
  members.text_or_nothing("kind", reference.kind);
  members.text_or_nothing("namespace", reference.ns);
  members.text_or_nothing("name", reference.name);
  members.text_or_nothing("uid", reference.uid);
  members.text_or_nothing("apiVersion", reference.api_version);
  members.text_or_nothing("resourceVersion", reference.resource_version);
  members.text_or_nothing("fieldPath", reference.field_path);
}

void write_metadata(std::string& out, const Write& write) {
  Members members(out);
  if (!write.uid.empty()) {
    members.text("uid", write.uid);
  }
  members.text("resourceVersion", write.resource_version);
  if (!write.changes.annotations.empty()) {
    members.name("annotations");
    write_annotations(out, write.changes.annotations);
  }
}

std::vector<AnnotationChange> annotations_between(const api::StringMap& before,
                                                  const api::StringMap& after) {
  std::vector<AnnotationChange> changes;
  for (const auto& [key, value] : before) {
    if (!after.contains(key)) {
      changes.push_back({.key = key, .value = {}});
    }
  }
  for (const auto& [key, value] : after) {
    const auto known = before.find(key);
    if (known == before.end() || known->second != value) {
      changes.push_back({.key = key, .value = value});
    }
  }
  return changes;
}

}  // namespace

ObjectId volume_id(std::string_view name) {
  return {.kind = ObjectKind::kVolume, .ns = {}, .name = std::string(name)};
}

ObjectId claim_id(const RecordedObject& claim) {
  return {.kind = ObjectKind::kClaim, .ns = claim.ns, .name = claim.name};
}

std::string merge_patch(const Write& write) {
  BERTH_ASSERT(!write.resource_version.empty(), "nothing is written without a precondition");
  std::string out;
  {
    Members members(out);
    members.name("metadata");
    write_metadata(out, write);
    if (write.changes.reference != Changes::Reference::kKept) {
      members.name("spec");
      Members spec(out);
      spec.name("claimRef");
      write_reference(out, write.changes);
    }
  }
  return out;
}

Changes changes_between(const api::PersistentVolume& before, const api::PersistentVolume& after) {
  Changes changes{.annotations =
                      annotations_between(before.metadata.annotations, after.metadata.annotations)};
  if (before.spec.claim_ref == after.spec.claim_ref) {
    return changes;
  }
  if (!after.spec.claim_ref) {
    changes.reference = Changes::Reference::kRemoved;
    return changes;
  }
  changes.reference = Changes::Reference::kSet;
  changes.claim_ref = *after.spec.claim_ref;
  return changes;
}

Changes changes_between(const api::PersistentVolumeClaim& before,
                        const api::PersistentVolumeClaim& after) {
  return {.annotations =
              annotations_between(before.metadata.annotations, after.metadata.annotations)};
}

api::ObjectReference reference_to(const RecordedObject& claim) {
  return {.kind = "PersistentVolumeClaim",
          .ns = claim.ns,
          .name = claim.name,
          .uid = claim.uid,
          .api_version = "v1",
          .resource_version = claim.version};
}

Write write_of(const RecordedBinding& binding) {
  Write write{.object = volume_id(binding.volume.name),
              .uid = binding.volume.uid,
              .resource_version = binding.volume.version};
  if (binding.is_ours()) {
    write.changes.reference = Changes::Reference::kSet;
    write.changes.claim_ref = reference_to(binding.claim);
  }
  if (binding.adds_mark) {
    write.changes.annotations.push_back({.key = std::string(kBoundByController), .value = "yes"});
  }
  return write;
}

Write write_of(const RecordedProvision& provision, std::string_view node) {
  Write write{.object = claim_id(provision.claim),
              .uid = provision.claim.uid,
              .resource_version = provision.claim.version};
  if (provision.is_ours) {
    write.changes.annotations.push_back(
        {.key = std::string(kSelectedNode), .value = std::string(node)});
  }
  return write;
}

}  // namespace berth::volumes
