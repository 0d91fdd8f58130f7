#include "app/volumes_plan/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "api/objects/storage.h"
#include "volumes/catalog.h"
#include "volumes/finding.h"
#include "volumes/names.h"
#include "volumes/rules.h"

namespace berth::app {
namespace {

using ClaimOfPlan = std::shared_ptr<api::PersistentVolumeClaim>;

constexpr std::array<std::string_view, 2> kDefaultClassKeys = {
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class"};

bool is_default(const api::StorageClass& storage_class) {
  return std::ranges::any_of(kDefaultClassKeys, [&storage_class](std::string_view key) {
    const std::string* value = volumes::find_annotation(storage_class.metadata, key);
    return value != nullptr && *value == "true";
  });
}

// The newest, and of equally old ones the first by name.
const api::StorageClass* find_default_class(const PlanObjects& objects) {
  const api::StorageClass* found = nullptr;
  for (const auto& candidate : objects.classes) {
    if (!is_default(*candidate)) {
      continue;
    }
    const auto& made = candidate->metadata.creation_timestamp;
    const bool is_better = found == nullptr || found->metadata.creation_timestamp < made ||
                           (found->metadata.creation_timestamp == made &&
                            candidate->metadata.name < found->metadata.name);
    found = is_better ? candidate.get() : found;
  }
  return found;
}

ClaimOfPlan find_claim(const PlanObjects& objects, const std::string& key) {
  const auto found = std::ranges::find_if(objects.claims, [&key](const ClaimOfPlan& claim) {
    return volumes::claim_key(*claim) == key;
  });
  return found == objects.claims.end() ? nullptr : *found;
}

// As the ephemeral volume controller makes it.
ClaimOfPlan claim_from_template(const api::Pod& pod,
                                const std::string& name,
                                const api::Volume& of) {
  const auto& source = of.source.ephemeral->volume_claim_template;
  auto claim = std::make_shared<api::PersistentVolumeClaim>();
  if (source) {
    claim->metadata = source->metadata;
    claim->spec = source->spec;
  }
  claim->metadata.name = name;
  claim->metadata.ns = pod.metadata.ns;
  claim->metadata.owner_references = {{.api_version = "v1",
                                       .kind = "Pod",
                                       .name = pod.metadata.name,
                                       .uid = pod.metadata.uid,
                                       .controller = true}};
  return claim;
}

// Whether it names no class at all, which is not the same as the empty one.
bool wants_default_class(const api::PersistentVolumeClaim& claim) {
  return !claim.spec.storage_class_name && claim.spec.volume_name.empty() &&
         volumes::find_annotation(claim.metadata, volumes::kBetaStorageClass) == nullptr;
}

}  // namespace

void add_server_defaults(PlanObjects& objects) {
  for (const auto& volume : objects.volumes) {
    if (volume->status.phase.empty() && !volume->spec.claim_ref) {
      volume->status.phase = "Available";
    }
  }
  for (const auto& storage_class : objects.classes) {
    if (!storage_class->volume_binding_mode) {
      storage_class->volume_binding_mode = "Immediate";
    }
  }
}

std::vector<volumes::Finding> add_what_follows(const api::Pod& pod,
                                               bool with_default_class,
                                               PlanObjects& objects) {
  std::vector<volumes::Finding> notes;
  const api::StorageClass* default_class = find_default_class(objects);
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto wanted = volumes::claim_name_of(pod, volume);
    if (!wanted) {
      continue;
    }
    const std::string key = volumes::claim_key(pod.metadata.ns, wanted->name);
    ClaimOfPlan claim = find_claim(objects, key);
    bool is_new = with_default_class;
    if (claim == nullptr && wanted->is_ephemeral && pod.metadata.uid.empty()) {
      claim = claim_from_template(pod, wanted->name, volume);
      objects.claims.push_back(claim);
      is_new = true;
      notes.push_back({.kind = volumes::FindingKind::kFromTemplate,
                       .claim = key,
                       .text = fmt::format(
                           "does not exist yet: planned from the template of ephemeral volume {}",
                           volume.name)});
    }
    if (claim != nullptr && is_new && default_class != nullptr && wants_default_class(*claim)) {
      claim->spec.storage_class_name = default_class->metadata.name;
      notes.push_back({.kind = volumes::FindingKind::kDefaultClass,
                       .claim = key,
                       .text = fmt::format("names no class and gets the default one, {}",
                                           default_class->metadata.name)});
    }
  }
  return notes;
}

void fill(volumes::Catalog& catalog, const PlanObjects& objects) {
  const auto set_all = [&catalog](const auto& list) {
    for (const auto& object : list) {
      catalog.set(object);
    }
  };
  set_all(objects.nodes);
  set_all(objects.csi_nodes);
  set_all(objects.classes);
  set_all(objects.drivers);
  set_all(objects.capacities);
  set_all(objects.volumes);
  set_all(objects.claims);
}

}  // namespace berth::app
