#include "volumes/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "base/checked.h"
#include "volumes/explain_text.h"
#include "volumes/finding.h"
#include "volumes/free_volumes.h"
#include "volumes/migration.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/provisioning.h"
#include "volumes/reach.h"
#include "volumes/rules.h"
#include "volumes/search.h"
#include "volumes/switches.h"
#include "volumes/view.h"
#include "volumes/volume_tally.h"

namespace berth::volumes {
namespace {

// Adds what is said of one claim; of a claim that the pod names twice the first stays.
void add(std::map<std::string, Finding>& findings, Finding finding) {
  std::string claim = finding.claim;
  findings.emplace(std::move(claim), std::move(finding));
}

}  // namespace

Distance distance_of(const std::vector<Finding>& findings) {
  Distance distance;
  for (const Finding& finding : findings) {
    if (!is_refusal(finding.kind)) {
      continue;
    }
    ++distance.refusals;
    if (finding.missing_bytes) {
      distance.missing_bytes = saturating_add(distance.missing_bytes, *finding.missing_bytes);
    } else {
      ++distance.unmeasured;
    }
  }
  return distance;
}

Explainer::Explainer(Search& search, const Switches& switches)
    : search_(search),
      volumes_(search.claims().view),
      view_(search.view()),
      switches_(switches),
      provisioning_(view_, switches_) {
  std::vector<ClaimEntryPtr> delayed;
  for (const ClaimEntryPtr& entry : search.claims().delayed) {
    const auto place = std::ranges::upper_bound(
        delayed, entry, [](const ClaimEntryPtr& a, const ClaimEntryPtr& b) {
          return request_of(*a->current()).compare(request_of(*b->current())) < 0;
        });
    delayed.insert(place, entry);
  }
  wanted_.reserve(delayed.size());
  for (const ClaimEntryPtr& entry : delayed) {
    wanted_.push_back(make_wanted(entry));
  }
}

Explainer::Wanted Explainer::make_wanted(const ClaimEntryPtr& entry) const {
  const api::PersistentVolumeClaim& claim = *entry->current();
  const FreeKey key{.storage_class = std::string(class_of(claim)),
                    .mode = std::string(mode_of(claim.spec.volume_mode)),
                    .attributes_class =
                        std::string(attributes_class_of(claim.spec.volume_attributes_class_name))};
  const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
  const bool counts = selected != nullptr && (!switches_.ignore_dead_selection ||
                                              view_.find_node_number(*selected).has_value());
  return {.entry = entry,
          .free = FreeVolumes(volumes_, volumes_.find_free(key)),
          .tally = VolumeTally(volumes_, *entry, switches_),
          .selected_node = counts ? std::optional(*selected) : std::nullopt};
}

NodeFindings Explainer::look_at(std::size_t node) {
  NodeAnswer answer = search_.look_at(node);
  Findings delayed;
  if (answer.answer.is_success()) {
    explain_plan(answer.plan, node, delayed);
  } else {
    explain_failure(node, delayed);
  }
  NodeFindings result{
      .answer = std::move(answer.answer), .plan = std::move(answer.plan), .findings = {}};
  for (const ClaimEntryPtr& entry : search_.claims().bound) {
    result.findings.push_back(explain_bound(*entry, node));
  }
  for (const ClaimEntryPtr& entry : search_.claims().delayed) {
    if (const auto found = delayed.extract(claim_key(*entry->current()))) {
      result.findings.push_back(found.mapped());
    }
  }
  return result;
}

Finding Explainer::start(FindingKind kind, const api::PersistentVolumeClaim& claim) const {
  return {.kind = kind,
          .claim = claim_key(claim),
          .requested = has_request(claim) ? size_text(request_of(claim)) : ""};
}

Finding Explainer::explain_bound(const ClaimEntry& entry, std::size_t node) const {
  const api::PersistentVolumeClaim& claim = *entry.current();
  Finding finding = start(FindingKind::kBound, claim);
  finding.volume = claim.spec.volume_name;
  const std::string bound = fmt::format("is bound to volume {}", finding.volume);
  const VolumeEntry* volume = view_.find_volume(claim.spec.volume_name);
  if (volume == nullptr) {
    finding.kind = FindingKind::kVolumeMissing;
    finding.text = bound + ", which does not exist";
    return finding;
  }
  finding.capacity = size_text(capacity_of(*volume->current()));
  const bool is_migrated = volume->plugin && view_.migrated(*volume->plugin).contains(node);
  if (is_migrated && volume->translation_error) {
    finding.kind = FindingKind::kFault;
    finding.text = fmt::format("{}, which cannot be translated for driver {}: {}",
                               bound,
                               driver_of(*volume->plugin),
                               volume->translation_error->text());
    return finding;
  }
  const std::string served =
      is_migrated ? fmt::format(" (served by {} here)", driver_of(*volume->plugin)) : "";
  const ReachId reach = view_.reach_on(*volume, node);
  if (view_.reached(reach).contains(node)) {
    finding.text = fmt::format("{}{}, which the node reaches", bound, served);
    return finding;
  }
  finding.kind = FindingKind::kVolumeUnreachable;
  finding.text = fmt::format("{}{}, which wants {}",
                             bound,
                             served,
                             mismatch_text(view_.reach(reach), view_.node(node)->metadata.labels));
  return finding;
}

Finding Explainer::explain_binding(const StaticBinding& binding) const {
  Finding finding = start(FindingKind::kTakes, *binding.claim);
  finding.volume = binding.volume->metadata.name;
  finding.capacity = size_text(capacity_of(*binding.volume));
  const std::string sizes =
      finding.requested.empty()
          ? finding.capacity
          : fmt::format("{}, of which {} requested", finding.capacity, finding.requested);
  finding.text = fmt::format("takes volume {}{} ({})",
                             finding.volume,
                             is_bound_to(*binding.volume, *binding.claim) ? ", which names it" : "",
                             sizes);
  return finding;
}

void Explainer::explain_plan(const NodePlan& plan, std::size_t node, Findings& findings) const {
  for (const StaticBinding& binding : plan.bindings) {
    add(findings, explain_binding(binding));
  }
  TakenSpace taken;
  for (const Provision& provision : plan.provisions) {
    // What was promised to a claim before is among what is promised.
    const ClaimEntry* entry = view_.find_claim(claim_key(*provision.claim));
    const bool is_promised = entry != nullptr && entry->pool == provision.capacity;
    if (provision.capacity != nullptr && !is_promised) {
      taken.emplace_back(provision.capacity.get(), request_of(*provision.claim).value());
    }
  }
  for (const Provision& provision : plan.provisions) {
    add(findings, explain_provision(provision, node, &taken));
  }
}

void Explainer::explain_failure(std::size_t node, Findings& findings) {
  const std::string& name = view_.node(node)->metadata.name;
  std::vector<const Wanted*> to_provision;
  ChosenVolumes chosen;
  // Claims that ask for a node already are provisioned first, in the order of the pod's volumes.
  for (const ClaimEntryPtr& entry : search_.claims().delayed) {
    const auto wanted = std::ranges::find(wanted_, entry, &Wanted::entry);
    if (!wanted->selected_node) {
      continue;
    }
    if (wanted->selected_node == name) {
      to_provision.push_back(&*wanted);
      continue;
    }
    Finding finding = start(FindingKind::kSelectedElsewhere, wanted->claim());
    finding.text =
        fmt::format("asks for node {} already ({}){}",
                    *wanted->selected_node,
                    kSelectedNode,
                    view_.find_node_number(*wanted->selected_node) ? "" : ", which does not exist");
    add(findings, std::move(finding));
  }
  for (Wanted& wanted : wanted_) {
    if (wanted.selected_node) {
      continue;
    }
    if (auto finding = explain_matching(wanted, node, chosen)) {
      add(findings, *std::move(finding));
    } else {
      to_provision.push_back(&wanted);
    }
  }
  TakenSpace taken;
  for (const Wanted* wanted : to_provision) {
    add(findings, explain_provisioning(*wanted, node, taken));
  }
}

VolumeEntryPtr Explainer::find_named(const Wanted& wanted, const ChosenVolumes& chosen) const {
  for (const VolumeEntryPtr& volume : volumes_.volumes_naming(claim_key(wanted.claim()))) {
    if (class_of(*volume->current()) == class_of(wanted.claim()) &&
        find_obstacle(*volume->current(), *wanted.entry, switches_) == Obstacle::kNone &&
        std::ranges::find(chosen, volume.get()) == chosen.end()) {
      return volume;
    }
  }
  return nullptr;
}

// Nothing when a volume has to be made.
std::optional<Finding> Explainer::explain_matching(Wanted& wanted,
                                                   std::size_t node,
                                                   ChosenVolumes& chosen) {
  if (wanted.entry->selector && !*wanted.entry->selector) {
    Finding finding = start(FindingKind::kFault, wanted.claim());
    finding.text =
        fmt::format("has a selector that is none: {}", wanted.entry->selector->error().text());
    return finding;
  }
  VolumeEntryPtr volume = find_named(wanted, chosen);
  if (volume != nullptr && !volumes_.reached(volume->reach).contains(node)) {
    if (!switches_.exclusive_prebound) {
      return std::nullopt;
    }
    Finding finding = start(FindingKind::kNamedUnreachable, wanted.claim());
    finding.volume = volume->current()->metadata.name;
    finding.capacity = size_text(capacity_of(*volume->current()));
    finding.text = fmt::format(
        "is named by volume {}, which wants {}",
        finding.volume,
        mismatch_text(volumes_.reach(volume->reach), volumes_.node(node)->metadata.labels));
    return finding;
  }
  if (volume == nullptr) {
    volume = wanted.free.find_smallest(*wanted.entry, node, chosen);
  }
  if (volume == nullptr) {
    return std::nullopt;
  }
  chosen.push_back(volume.get());
  return explain_binding({.volume = volume->current(), .claim = wanted.entry->current()});
}

}  // namespace berth::volumes
