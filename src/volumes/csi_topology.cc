#include "volumes/csi_topology.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/box.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/persistent_volume.h"
#include "api/text.h"
#include "volumes/names.h"
#include "volumes/split.h"

namespace berth::volumes {
namespace {

// The expressions about `key` in all terms, to be changed in place.
std::vector<api::NodeSelectorRequirement*> expressions_about(
    api::Box<api::VolumeNodeAffinity>& affinity, std::string_view key) {
  std::vector<api::NodeSelectorRequirement*> found;
  if (!affinity || !affinity->required) {
    return found;
  }
  for (api::NodeSelectorTerm& term : affinity->required->node_selector_terms) {
    for (api::NodeSelectorRequirement& expression : term.match_expressions) {
      if (expression.key == key) {
        found.push_back(&expression);
      }
    }
  }
  return found;
}

bool mentions(api::Box<api::VolumeNodeAffinity>& affinity, std::string_view key) {
  return !expressions_about(affinity, key).empty();
}

// Renames the key in all expressions, if any of them gives it a value. ("Exists" alone is no
// topology that could be handed on.)
bool rename(api::Box<api::VolumeNodeAffinity>& affinity,
            std::string_view from,
            std::string_view to) {
  const std::vector<api::NodeSelectorRequirement*> expressions = expressions_about(affinity, from);
  const bool has_values = std::ranges::any_of(
      expressions, [](const auto* expression) { return !expression->values.empty(); });
  if (has_values) {
    for (api::NodeSelectorRequirement* expression : expressions) {
      expression->key = to;
    }
  }
  return has_values;
}

// Confines every term to the zones of a label, and makes a term where there is none.
void confine(api::Box<api::VolumeNodeAffinity>& affinity,
             std::string_view key,
             std::string_view zone_label) {
  std::set<std::string> zones;
  for (const std::string_view zone : split(zone_label, kZoneSeparator)) {
    if (const std::string_view name = api::trimmed(zone); !name.empty()) {
      zones.emplace(name);
    }
  }
  if (zones.empty()) {
    return;
  }
  if (!affinity) {
    affinity.emplace();
  }
  if (!affinity->required) {
    affinity->required.emplace();
  }
  std::vector<api::NodeSelectorTerm>& terms = affinity->required->node_selector_terms;
  if (terms.empty()) {
    terms.emplace_back();
  }
  for (api::NodeSelectorTerm& term : terms) {
    term.match_expressions.push_back(
        {.key = std::string(key), .op = "In", .values = {zones.begin(), zones.end()}});
  }
}

}  // namespace

void translate_topology(const api::StringMap& labels,
                        std::string_view csi_key,
                        api::Box<api::VolumeNodeAffinity>& affinity) {
  const bool is_beta =
      !mentions(affinity, kZone) &&
      (mentions(affinity, kBetaZone) || (!labels.contains(kZone) && labels.contains(kBetaZone)));
  const std::string_view zone_key = is_beta ? kBetaZone : kZone;
  if (!rename(affinity, zone_key, csi_key)) {
    if (const auto label = labels.find(zone_key); label != labels.end()) {
      confine(affinity, csi_key, label->second);
    }
  }
  if (is_beta) {
    rename(affinity, kBetaRegion, kRegion);
  }
}

}  // namespace berth::volumes
