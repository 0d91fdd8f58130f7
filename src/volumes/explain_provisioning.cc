// Whether a volume would be made for a claim on a node, and why not.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/storage.h"
#include "base/checked.h"
#include "volumes/explain.h"
#include "volumes/explain_text.h"
#include "volumes/finding.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/provisioning.h"
#include "volumes/rules.h"
#include "volumes/view.h"
#include "volumes/volume_tally.h"

namespace berth::volumes {
namespace {

bool has_provisioner(const api::StorageClass& storage_class) {
  return !storage_class.provisioner.empty() && storage_class.provisioner != kNoProvisioner;
}

std::int64_t taken_of(const TakenSpace& taken, const api::CSIStorageCapacity* pool) {
  std::int64_t bytes = 0;
  for (const auto& [taken_from, part] : taken) {
    bytes = taken_from == pool ? saturating_add(bytes, part) : bytes;
  }
  return bytes;
}

// The pool of a class from which most could be had on a node.
struct BestPool {
  const CapacityEntry* pool = nullptr;
  std::int64_t room = 0;  // for one more volume
  std::int64_t used = 0;  // by claims that were planned or promised before
};

BestPool find_best(std::span<const CapacityEntry* const> pools,
                   const ClaimEntry& claim,
                   const TakenSpace& taken,
                   bool subtracts) {
  BestPool best;
  for (const CapacityEntry* candidate : pools) {
    const CapacityEntry& pool = *candidate;
    const std::int64_t limit = pool.limit.value_or(0);
    const std::int64_t whole = pool.object->capacity ? pool.object->capacity->value() : limit;
    const std::int64_t used = subtracts ? saturating_add(taken_of(taken, pool.object.get()),
                                                         promised_to_others(pool, claim))
                                        : 0;
    const std::int64_t left = used == 0 ? limit : saturating_sub(whole, used);
    const std::int64_t room = std::clamp<std::int64_t>(left, 0, std::max<std::int64_t>(limit, 0));
    if (best.pool == nullptr || room > best.room) {
      best = {.pool = &pool, .room = room, .used = used};
    }
  }
  return best;
}

// "has 20Gi left of 40Gi (20Gi is for other claims)".
std::string room_text(const BestPool& best) {
  const api::CSIStorageCapacity& pool = *best.pool->object;
  if (pool.maximum_volume_size && pool.maximum_volume_size->value() == best.room) {
    return fmt::format("makes volumes of {} at most", size_text(best.room));
  }
  if (best.used > 0) {
    return fmt::format("has {} left of {} (the rest is for other claims)",
                       size_text(best.room),
                       pool.capacity ? size_text(*pool.capacity) : size_text(*best.pool->limit));
  }
  return fmt::format("has {} left", size_text(best.room));
}

}  // namespace

Finding Explainer::explain_provision(const Provision& provision,
                                     std::size_t node,
                                     const TakenSpace* taken) const {
  const api::PersistentVolumeClaim& claim = *provision.claim;
  Finding finding = start(FindingKind::kProvision, claim);
  finding.provisioner = view_.find_class(class_of(claim))->object->provisioner;
  const std::string* selected = find_annotation(claim.metadata, kSelectedNode);
  const bool is_here = selected != nullptr && *selected == view_.node(node)->metadata.name;
  finding.text = fmt::format("{}would be provisioned by {}{}",
                             is_here ? "asks for this node already, and " : "",
                             finding.provisioner,
                             finding.requested.empty() ? "" : ": " + finding.requested);
  if (provision.capacity == nullptr) {
    return finding;
  }
  const api::CSIStorageCapacity& pool = *provision.capacity;
  finding.pool = claim_key(pool.metadata.ns, pool.metadata.name);
  finding.text += fmt::format(" from pool {}", finding.pool);
  if (!pool.capacity) {
    finding.capacity = size_text(*pool.maximum_volume_size);
    finding.text += fmt::format(" (volumes of {} at most)", finding.capacity);
    return finding;
  }
  finding.capacity = size_text(*pool.capacity);
  if (taken == nullptr) {
    finding.text += fmt::format(" ({})", finding.capacity);
    return finding;
  }
  std::int64_t used = taken_of(*taken, &pool);
  if (const auto* pools = view_.find_capacities(pool.storage_class_name)) {
    if (const CapacityEntry* entry = pools->find(finding.pool)) {
      used = saturating_add(used, entry->promised);
    }
  }
  finding.text += fmt::format(
      " ({}, with {} left after this pod)",
      finding.capacity,
      size_text(std::max<std::int64_t>(0, saturating_sub(pool.capacity->value(), used))));
  return finding;
}

Finding Explainer::explain_provisioning(const Wanted& wanted,
                                        std::size_t node,
                                        TakenSpace& taken) const {
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
          {.claim = wanted.entry->current(), .capacity = std::move(pool)}, node, nullptr);
    case Provisionable::kNo:
      return explain_no_provisioner(wanted, node);
    case Provisionable::kNoSpace:
      break;
  }
  return explain_no_space(wanted, node, taken);
}

// What goes before the reason why no volume can be made. Of volumes nothing is said where there are
// none of the class, and where the claim no longer looks for one.
std::string Explainer::no_volume_text(const Wanted& wanted, std::size_t node) const {
  if (wanted.selected_node) {
    return "asks for this node already, and cannot be provisioned: ";
  }
  if (wanted.tally.volume_count() == 0) {
    return "cannot be provisioned: ";
  }
  const std::string requested =
      has_request(wanted.claim()) ? " for " + size_text(request_of(wanted.claim())) : "";
  return fmt::format("finds no volume of class {}{}: {}; ",
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
        "finds no volume: there is none of class {}, and the class has no provisioner", class_name);
    return finding;
  }
  finding.text = no_volume_text(wanted, node) + "the class has no provisioner";
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
  const BestPool best = find_best(provisioning_.pools_on(class_of(claim), node),
                                  *wanted.entry,
                                  taken,
                                  switches_.subtract_capacity);
  finding.missing_bytes = saturating_sub(request_of(claim).value(), best.room);
  if (best.pool == nullptr) {
    finding.text = fmt::format("{}{} reports no capacity of class {} for this node, {} requested",
                               no_volume_text(wanted, node),
                               finding.provisioner,
                               class_of(claim),
                               finding.requested);
    return finding;
  }
  const api::CSIStorageCapacity& pool = *best.pool->object;
  finding.pool = claim_key(pool.metadata.ns, pool.metadata.name);
  finding.capacity = pool.capacity ? size_text(*pool.capacity) : "";
  finding.text = fmt::format("{}the best pool for this node, {}, {}, {} requested",
                             no_volume_text(wanted, node),
                             finding.pool,
                             room_text(best),
                             finding.requested);
  return finding;
}

}  // namespace berth::volumes
