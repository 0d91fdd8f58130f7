#include "volumes/claim_names.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "volumes/rules.h"

namespace berth::volumes {

std::vector<std::string> claim_names_of(const api::Pod& pod, bool with_ephemeral) {
  std::vector<std::string> names;
  for (const api::Volume& volume : pod.spec.volumes) {
    std::optional<ClaimName> name = claim_name_of(pod, volume);
    if (name && (with_ephemeral || !name->is_ephemeral)) {
      names.push_back(std::move(name->name));
    }
  }
  return names;
}

bool uses_claim(const api::Pod& pod, const api::PersistentVolumeClaim& claim, bool with_ephemeral) {
  if (claim.metadata.ns != pod.metadata.ns) {
    return false;
  }
  const std::vector<std::string> names = claim_names_of(pod, with_ephemeral);
  return std::ranges::find(names, claim.metadata.name) != names.end();
}

}  // namespace berth::volumes
