#include "volumes/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"
#include "base/checked.h"
#include "volumes/explain_text.h"
#include "volumes/finding.h"
#include "volumes/migration.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/provisioning.h"
#include "volumes/rules.h"
#include "volumes/search.h"
#include "volumes/switches.h"
#include "volumes/view.h"
#include "volumes/volume_tally.h"

namespace berth::volumes {
namespace {

bool has_provisioner(const api::StorageClass& storage_class) {
  return !storage_class.provisioner.empty() && storage_class.provisioner != kNoProvisioner;
}

std::int64_t taken_of(const TakenSpace& taken, const api::CSIStorageCapacity* pool) {
  const auto found = std::ranges::find(taken, pool, &TakenSpace::value_type::first);
  return found == taken.end() ? 0 : found->second;
}

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

// `taken` is what the claims before this one take.
Finding Explainer::explain_provision(const Provision& provision,
                                     std::size_t node,
                                     TakenSpace& taken) const {
  const api::PersistentVolumeClaim& claim = *provision.claim;
  Finding finding = start(FindingKind::kProvision, claim);
  const ClassEntry* storage_class = view_.find_class(class_of(claim));
  finding.provisioner = storage_class->object->provisioner;
  const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
  const bool is_here = selected != nullptr && *selected == view_.node(node)->metadata.name;
  finding.text = fmt::format("{} provisioned by {}{}",
                             is_here ? "asks for this node already and is" : "would be",
                             finding.provisioner,
                             finding.requested.empty() ? "" : ": " + finding.requested);
  if (provision.capacity == nullptr) {
    return finding;
  }
  const api::CSIStorageCapacity& pool = *provision.capacity;
  finding.pool = claim_key(pool.metadata.ns, pool.metadata.name);
  const std::int64_t bytes = request_of(claim).value();
  std::int64_t used = saturating_add(taken_of(taken, &pool), bytes);
  taken.emplace(taken.begin(), &pool, used);
  if (const auto* pools = view_.find_capacities(pool.storage_class_name)) {
    if (const CapacityEntry* entry = pools->find(finding.pool)) {
      used = saturating_add(used, entry->promised);
    }
  }
  if (!pool.capacity) {
    finding.capacity = size_text(*pool.maximum_volume_size);
    finding.text +=
        fmt::format(" from pool {}, whose largest volume is {}", finding.pool, finding.capacity);
    return finding;
  }
  finding.capacity = size_text(*pool.capacity);
  finding.text += fmt::format(
      " from pool {} ({} left of {})",
      finding.pool,
      size_text(std::max<std::int64_t>(0, saturating_sub(pool.capacity->value(), used))),
      finding.capacity);
  return finding;
}

void Explainer::explain_plan(const NodePlan& plan, std::size_t node, Findings& findings) const {
  for (const StaticBinding& binding : plan.bindings) {
    add(findings, explain_binding(binding));
  }
  TakenSpace taken;
  for (const Provision& provision : plan.provisions) {
    add(findings, explain_provision(provision, node, taken));
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

Finding Explainer::explain_provisioning(const Wanted& wanted,
                                        std::size_t node,
                                        TakenSpace& taken) const {
  TakenSpace before = taken;
  CapacityPtr pool;
  const auto can = provisioning_.check(*wanted.entry, node, taken, pool);
  if (!can) {
    Finding finding = start(FindingKind::kFault, wanted.claim());
    finding.text = fmt::format("cannot be planned: {}", can.error().text());
    return finding;
  }
  switch (*can) {
    case Provisionable::kYes:
      return explain_provision(
          {.claim = wanted.entry->current(), .capacity = std::move(pool)}, node, before);
    case Provisionable::kNo:
      return explain_no_provisioner(wanted, node);
    case Provisionable::kNoSpace:
      break;
  }
  return explain_no_space(wanted, node, taken);
}

// "finds no volume of class local for 5Gi: ...", and what follows it is why none is made. Nothing
// is said of volumes where there are none of the class.
std::string Explainer::no_volume_text(const Wanted& wanted, std::size_t node) const {
  if (wanted.selected_node) {
    return "asks for this node already and cannot be provisioned: ";
  }
  if (wanted.tally.volume_count() == 0) {
    return "cannot be provisioned: ";
  }
  const std::string requested =
      has_request(wanted.claim()) ? " for " + size_text(request_of(wanted.claim())) : "";
  return fmt::format("finds no volume of class {}{}: {}; none can be made: ",
                     class_of(wanted.claim()),
                     requested,
                     wanted.tally.text(wanted.tally.on_node(node), node));
}

Finding Explainer::explain_no_provisioner(const Wanted& wanted, std::size_t node) const {
  const std::string_view class_name = class_of(wanted.claim());
  const ClassEntry* storage_class = view_.find_class(class_name);
  Finding finding = start(FindingKind::kNoVolume, wanted.claim());
  if (has_provisioner(*storage_class->object)) {
    finding.kind = FindingKind::kTopologyMismatch;
    finding.provisioner = storage_class->object->provisioner;
    finding.text = fmt::format(
        "{}class {} allows {}",
        no_volume_text(wanted, node),
        class_name,
        mismatch_text(view_.reach(storage_class->reach), view_.node(node)->metadata.labels));
    return finding;
  }
  if (wanted.tally.volume_count() == 0) {
    finding.text = fmt::format(
        "finds no volume: there is none of class {}, which has no provisioner", class_name);
    return finding;
  }
  finding.text =
      fmt::format("{}class {} has no provisioner", no_volume_text(wanted, node), class_name);
  const VolumeTally::OnNode tally = wanted.tally.on_node(node);
  if (tally.largest != nullptr && !wanted.selected_node) {
    finding.missing_bytes = saturating_sub(request_of(wanted.claim()).value(),
                                           capacity_of(*tally.largest->current()).value());
  }
  return finding;
}

Finding Explainer::explain_no_space(const Wanted& wanted,
                                    std::size_t node,
                                    const TakenSpace& taken) const {
  const api::PersistentVolumeClaim& claim = wanted.claim();
  Finding finding = start(FindingKind::kNotEnoughCapacity, claim);
  finding.provisioner = view_.find_class(class_of(claim))->object->provisioner;
  std::int64_t best = -1;
  std::int64_t best_used = 0;
  if (const auto* pools = view_.find_capacities(class_of(claim))) {
    for (const auto& [key, pool] : *pools) {
      if (!view_.reached(pool.reach).contains(node)) {
        continue;
      }
      const std::int64_t limit = pool.limit.value_or(0);
      const std::int64_t whole = pool.object->capacity ? pool.object->capacity->value() : limit;
      const std::int64_t used =
          switches_.subtract_capacity
              ? saturating_add(taken_of(taken, pool.object.get()), pool.promised)
              : 0;
      const std::int64_t room = std::max<std::int64_t>(
          0, std::min(limit, used == 0 ? limit : saturating_sub(whole, used)));
      if (room > best) {
        best = room;
        best_used = used;
        finding.pool = key;
        finding.capacity = size_text(whole);
      }
    }
  }
  const std::int64_t bytes = request_of(claim).value();
  finding.missing_bytes = saturating_sub(bytes, std::max<std::int64_t>(best, 0));
  const std::string start_text = no_volume_text(wanted, node);
  if (best < 0) {
    finding.text =
        fmt::format("{}no pool of class {} is for this node (CSIStorageCapacity), {} requested",
                    start_text,
                    class_of(claim),
                    finding.requested);
    return finding;
  }
  finding.text = fmt::format(
      "{}the best pool for this node, {}, has room for {}{}, {} requested",
      start_text,
      finding.pool,
      size_text(best),
      best_used == 0
          ? ""
          : fmt::format(" ({} of its {} is spoken for)", size_text(best_used), finding.capacity),
      finding.requested);
  return finding;
}

}  // namespace berth::volumes
