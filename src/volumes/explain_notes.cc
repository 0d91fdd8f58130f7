// What is worth knowing about a pod's claims, whatever the node.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/affinity.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "volumes/explain.h"
#include "volumes/finding.h"
#include "volumes/names.h"
#include "volumes/rules.h"
#include "volumes/view.h"
#include "volumes/volume_tally.h"

namespace berth::volumes {
namespace {

bool has_match_fields(const api::PersistentVolume& volume) {
  const auto& affinity = volume.spec.node_affinity;
  return affinity && affinity->required &&
         std::ranges::any_of(
             affinity->required->node_selector_terms,
             [](const api::NodeSelectorTerm& term) { return !term.match_fields.empty(); });
}

std::string_view why_unfit(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::kClaimed:
    case Obstacle::kReleased:
      return "it means a former claim of this name, by its uid";
    case Obstacle::kPhase:
      return "it is not in phase Available";
    case Obstacle::kDeleted:
      return "it is being deleted";
    case Obstacle::kTooSmall:
      return "it is too small";
    case Obstacle::kMode:
      return "it has another volume mode";
    case Obstacle::kAttributes:
      return "it has another attributes class";
    case Obstacle::kSelector:
      return "the claim's selector does not select it";
    case Obstacle::kAccessModes:
      return "it lacks an access mode";
    case Obstacle::kNone:
      return "";
  }
  return "";
}

Finding make_note(FindingKind kind, std::string claim, std::string volume, std::string text) {
  return {.kind = kind,
          .claim = std::move(claim),
          .text = std::move(text),
          .volume = std::move(volume)};
}

}  // namespace

std::vector<Finding> Explainer::notes() const {
  std::vector<Finding> notes;
  constexpr std::string_view kIgnored =
      "whose node affinity has matchFields: they are ignored, here as in kube-scheduler";
  for (const ClaimEntryPtr& entry : search_.claims().bound) {
    const std::string& name = entry->current()->spec.volume_name;
    const VolumeEntry* volume = view_.find_volume(name);
    if (volume != nullptr && has_match_fields(*volume->current())) {
      notes.push_back(make_note(FindingKind::kFieldsIgnored,
                                claim_key(*entry->current()),
                                name,
                                fmt::format("is bound to volume {}, {}", name, kIgnored)));
    }
  }
  for (const ClaimEntryPtr& entry : search_.claims().delayed) {
    const api::PersistentVolumeClaim& claim = *entry->current();
    const std::string key = claim_key(claim);
    for (const VolumeEntryPtr& volume : volumes_.volumes_naming(key)) {
      const api::PersistentVolume& object = *volume->current();
      const Obstacle obstacle = find_obstacle(object, *entry, switches_);
      const bool is_other_class = class_of(object) != class_of(claim);
      if (!is_other_class && obstacle == Obstacle::kNone) {
        continue;
      }
      notes.push_back(make_note(
          FindingKind::kNamedUnfit,
          key,
          object.metadata.name,
          fmt::format("is named by volume {}, which is not looked at: {}",
                      object.metadata.name,
                      is_other_class
                          ? fmt::format("it is of class {}, the claim of class {} (the PV "
                                        "controller may bind it all the same)",
                                        class_of(object).empty() ? "\"\"" : class_of(object),
                                        class_of(claim))
                          : std::string(why_unfit(obstacle)))));
    }
    std::size_t with_fields = 0;
    std::string first;
    for (const auto& [name, volume] : volumes_.volumes()) {
      const api::PersistentVolume& object = *volume->current();
      if (class_of(object) == class_of(claim) && has_match_fields(object) &&
          find_obstacle(object, *entry, switches_) == Obstacle::kNone) {
        first = with_fields++ == 0 ? name : first;
      }
    }
    if (with_fields > 0) {
      notes.push_back(make_note(
          FindingKind::kFieldsIgnored,
          key,
          first,
          fmt::format("could take volume {}{}, {}",
                      first,
                      with_fields == 1 ? "" : fmt::format(" and {} more", with_fields - 1),
                      kIgnored)));
    }
    const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
    if (selected != nullptr && switches_.ignore_dead_selection &&
        !view_.find_node_number(*selected)) {
      notes.push_back(make_note(
          FindingKind::kVanishedNode,
          key,
          "",
          fmt::format("asks for node {}, which does not exist ({}): Berth takes no notice of it "
                      "and asks for another; kube-scheduler would wait",
                      *selected,
                      kSelectedNode)));
    }
  }
  return notes;
}

}  // namespace berth::volumes
