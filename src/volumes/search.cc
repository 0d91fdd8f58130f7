#include "volumes/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "base/error.h"
#include "base/result.h"
#include "volumes/answer.h"
#include "volumes/assignment.h"
#include "volumes/free_volumes.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/pod_claims.h"
#include "volumes/provisioning.h"
#include "volumes/rules.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::volumes {
namespace {

FreeKey free_key_for(const api::PersistentVolumeClaim& claim) {
  return {.storage_class = std::string(class_of(claim)),
          .mode = std::string(mode_of(claim.spec.volume_mode)),
          .attributes_class =
              std::string(attributes_class_of(claim.spec.volume_attributes_class_name))};
}

// Rows 3 to 6 of the matcher and, with the switch, the access modes: a volume that names the claim
// but fails here is passed over as if it did not.
bool fits_named(const api::PersistentVolume& volume,
                const api::PersistentVolumeClaim& claim,
                const Switches& switches) {
  return class_of(volume) == class_of(claim) && is_bound_to(volume, claim) &&
         capacity_of(volume).compare(request_of(claim)) >= 0 &&
         mode_of(volume.spec.volume_mode) == mode_of(claim.spec.volume_mode) &&
         attributes_class_of(volume.spec.volume_attributes_class_name) ==
             attributes_class_of(claim.spec.volume_attributes_class_name) &&
         !volume.metadata.deletion_timestamp &&
         (!switches.prebound_modes || offers_modes(volume, claim));
}

}  // namespace

Search::Search(PodClaims claims, View now, const Switches& switches)
    : claims_(std::move(claims)),
      now_(std::move(now)),
      switches_(switches),
      provisioning_(now_, switches_) {
  // Nodes that changed meanwhile may have other numbers: then all is of now.
  if (claims_.view.node_version() != now_.node_version()) {
    claims_.view = now_;
  }
  for (const ClaimEntryPtr& entry : claims_.delayed) {
    const api::PersistentVolumeClaim& claim = *entry->current();
    Wanted wanted{.entry = entry, .free = free_volumes_for(claim)};
    const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
    const bool is_dead =
        selected != nullptr && switches_.ignore_dead_selection && !now_.find_node_number(*selected);
    if (selected != nullptr && !is_dead) {
      wanted.selected_node = *selected;
      selected_.push_back(std::move(wanted));
    } else {
      // Smallest first; of equal ones the first of the pod's volumes.
      const auto place =
          std::ranges::upper_bound(wanted_, wanted, [](const Wanted& a, const Wanted& b) {
            return request_of(a.claim()).compare(request_of(b.claim())) < 0;
          });
      wanted_.insert(place, std::move(wanted));
    }
  }
  note_interactions();
}

FreeVolumes* Search::free_volumes_for(const api::PersistentVolumeClaim& claim) {
  const FreeKey key = free_key_for(claim);
  return &free_.try_emplace(key, claims_.view, claims_.view.find_free(key)).first->second;
}

// Claims of which one can take what another needs: volumes of one kind, or room of one class.
void Search::note_interactions() {
  std::vector<const Wanted*> all;
  for (const Wanted& wanted : wanted_) {
    all.push_back(&wanted);
  }
  for (const Wanted& wanted : selected_) {
    all.push_back(&wanted);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (class_of(all[i]->claim()) == class_of(all[j]->claim())) {
        do_claims_interact_ = true;
      }
    }
  }
}

NodeAnswer Search::look_at(std::size_t node) {
  NodeAnswer result;
  Flags flags;
  if (const auto bound = check_bound(node, flags); !bound) {
    result.answer = Answer::error(bound.error().text());
    return result;
  }
  const auto planned = plan_node(node, flags, result.plan);
  if (!planned) {
    return {.answer = Answer::error(planned.error().text()), .plan = {}};
  }
  result.answer = answer_of(flags);
  if (!result.answer.is_success()) {
    result.plan = {};
  }
  return result;
}

Answer Search::answer_of(const Flags& flags) {
  std::vector<std::string> reasons;
  if (!flags.affinity_ok) {
    reasons.emplace_back(kNodeConflict);
  }
  if (!flags.unbound_ok) {
    reasons.emplace_back(kBindConflict);
  }
  if (!flags.space_ok) {
    reasons.emplace_back(kNotEnoughSpace);
  }
  if (!flags.volumes_exist) {
    reasons.emplace_back(kVolumeNotExist);
  }
  return reasons.empty() ? Answer::success() : Answer::unresolvable(std::move(reasons));
}

Result<void> Search::check_bound(std::size_t node, Flags& flags) const {
  for (const ClaimEntryPtr& entry : claims_.bound) {
    const VolumeEntry* volume = now_.find_volume(entry->current()->spec.volume_name);
    if (volume == nullptr) {
      flags.volumes_exist = false;
      return {};
    }
    if (volume->translation_error && now_.migrated(*volume->plugin).contains(node)) {
      return Error(*volume->translation_error).in("could not translate pv");
    }
    if (!now_.reached(now_.reach_on(*volume, node)).contains(node)) {
      flags.affinity_ok = false;
      return {};
    }
  }
  return {};
}

// False when planning ended before anything was looked for: a claim asks for another node.
Result<bool> Search::plan_node(std::size_t node, Flags& flags, NodePlan& plan) {
  const std::string& name = now_.node(node)->metadata.name;
  for (const Wanted& selected : selected_) {
    if (selected.selected_node != name) {
      flags.unbound_ok = false;
      return false;
    }
  }
  BERTH_TRY(Matched matched, match(node));
  plan.bindings = std::move(matched.bindings);
  std::vector<const Wanted*> to_provision;
  for (const Wanted& selected : selected_) {
    to_provision.push_back(&selected);
  }
  to_provision.insert(to_provision.end(), matched.unmatched.begin(), matched.unmatched.end());
  auto provisioned = provision(to_provision, node, flags, plan);
  if (!provisioned) {
    return std::move(provisioned).error();
  }
  if (!matched.exclusive.empty()) {
    flags.unbound_ok = false;
    flags.space_ok = true;
  }
  const bool is_short = !flags.unbound_ok || !flags.space_ok;
  if (is_short && switches_.full_matching && wanted_.size() > 1 && matched.exclusive.empty() &&
      plan_by_assignment(node, plan)) {
    flags.unbound_ok = true;
    flags.space_ok = true;
  }
  return true;
}

VolumeEntryPtr Search::find_named(const Wanted& wanted, const ChosenVolumes& chosen) const {
  for (const VolumeEntryPtr& volume : claims_.view.volumes_naming(claim_key(wanted.claim()))) {
    if (fits_named(*volume->current(), wanted.claim(), switches_) &&
        std::ranges::find(chosen, volume.get()) == chosen.end()) {
      return volume;
    }
  }
  return nullptr;
}

// The PV controller does not bind a volume whose access modes are too few, so that one does not
// keep it from provisioning either.
bool Search::is_exclusive(const VolumeEntry& named, const Wanted& wanted) const {
  return switches_.exclusive_prebound && offers_modes(*named.current(), wanted.claim());
}

// A volume that names the claim is the claim's, or nothing is.
Search::Found Search::find_volume(const Wanted& wanted,
                                  std::size_t node,
                                  const ChosenVolumes& chosen) {
  if (VolumeEntryPtr named = find_named(wanted, chosen)) {
    if (claims_.view.reached(named->reach).contains(node)) {
      return {.volume = std::move(named)};
    }
    return {.is_exclusive = is_exclusive(*named, wanted)};
  }
  return {.volume = wanted.free->find_smallest(*wanted.entry, node, chosen)};
}

// Smallest claim first, each takes the smallest volume that fits.
Result<Search::Matched> Search::match(std::size_t node) {
  Matched matched;
  ChosenVolumes chosen;
  for (const Wanted& wanted : wanted_) {
    if (wanted.entry->selector && !*wanted.entry->selector) {
      return Error(wanted.entry->selector->error())
          .in(fmt::format("error creating internal label selector for claim: {}",
                          claim_key(wanted.claim())));
    }
    const Found found = find_volume(wanted, node, chosen);
    if (found.volume != nullptr) {
      chosen.push_back(found.volume.get());
      matched.bindings.push_back(
          {.volume = found.volume->current(), .claim = wanted.entry->current()});
    } else if (found.is_exclusive) {
      matched.exclusive.push_back(&wanted);
    } else {
      matched.unmatched.push_back(&wanted);
    }
  }
  return matched;
}

Result<void> Search::provision(const std::vector<const Wanted*>& wanted,
                               std::size_t node,
                               Flags& flags,
                               NodePlan& plan) const {
  plan.provisions.clear();
  TakenSpace taken;
  for (const Wanted* one : wanted) {
    CapacityPtr pool;
    BERTH_TRY(const Provisionable can, provisioning_.check(*one->entry, node, taken, pool));
    if (can == Provisionable::kNoSpace && switches_.full_matching &&
        provision_together(wanted, node, plan)) {
      return {};
    }
    if (can != Provisionable::kYes) {
      flags.unbound_ok = can != Provisionable::kNo;
      flags.space_ok = can != Provisionable::kNoSpace;
      return {};
    }
    plan.provisions.push_back({.claim = one->entry->current(), .capacity = std::move(pool)});
  }
  return {};
}

// One after the other did not find room: looks for any way to distribute them over the pools.
bool Search::provision_together(const std::vector<const Wanted*>& wanted,
                                std::size_t node,
                                NodePlan& plan) const {
  if (!switches_.subtract_capacity || wanted.size() < 2) {
    return false;
  }
  std::vector<const ClaimEntry*> claims;
  for (const Wanted* one : wanted) {
    claims.push_back(one->entry.get());
  }
  auto pools = provisioning_.find_room(claims, node);
  if (!pools) {
    return false;
  }
  plan.provisions.clear();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    plan.provisions.push_back(
        {.claim = wanted[i]->entry->current(), .capacity = std::move((*pools)[i])});
  }
  return true;
}

// Greedy matching left a claim without: looks for any assignment. Claims for which no volume can be
// made come first; then the large ones, so that what remains to be made is small.
bool Search::plan_by_assignment(std::size_t node, NodePlan& plan) {
  std::vector<VolumeEntryPtr> volumes;
  std::vector<std::vector<std::size_t>> candidates(wanted_.size());
  std::vector<std::size_t> first;
  std::vector<std::size_t> then;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    std::vector<VolumeEntryPtr> found;
    if (VolumeEntryPtr named = find_named(wanted_[i], {})) {
      if (claims_.view.reached(named->reach).contains(node)) {
        found.push_back(std::move(named));
      }
    } else {
      // As many as there are claims: then one is left whatever the others take.
      found = wanted_[i].free->find_smallest(*wanted_[i].entry, node, wanted_.size());
    }
    for (VolumeEntryPtr& volume : found) {
      const auto known = std::ranges::find(volumes, volume);
      candidates[i].push_back(static_cast<std::size_t>(known - volumes.begin()));
      if (known == volumes.end()) {
        volumes.push_back(std::move(volume));
      }
    }
    TakenSpace taken;
    CapacityPtr pool;
    const auto can = provisioning_.check(*wanted_[i].entry, node, taken, pool);
    (can && *can == Provisionable::kYes ? then : first).push_back(i);
  }
  Assignment assignment(std::move(candidates));
  for (const std::size_t i : first) {
    if (!assignment.place(i)) {
      return false;
    }
  }
  std::ranges::reverse(then);
  for (const std::size_t i : then) {
    assignment.place(i);
  }
  NodePlan better;
  std::vector<const Wanted*> to_provision;
  for (const Wanted& selected : selected_) {
    to_provision.push_back(&selected);
  }
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (const auto volume = assignment.volume_of(i)) {
      better.bindings.push_back(
          {.volume = volumes[*volume]->current(), .claim = wanted_[i].entry->current()});
    } else {
      to_provision.push_back(&wanted_[i]);
    }
  }
  Flags flags;
  const auto provisioned = provision(to_provision, node, flags, better);
  if (!provisioned || !flags.unbound_ok || !flags.space_ok) {
    return false;
  }
  plan = std::move(better);
  return true;
}

}  // namespace berth::volumes
