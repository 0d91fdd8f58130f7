#include "volumes/restrictions.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "base/node_set.h"
#include "volumes/answer.h"
#include "volumes/claim_names.h"
#include "volumes/disks.h"
#include "volumes/hint.h"
#include "volumes/objects.h"
#include "volumes/pod_changes.h"
#include "volumes/related_switches.h"
#include "volumes/rules.h"

namespace berth::volumes {
namespace {

constexpr std::string_view kReadWriteOncePod = "ReadWriteOncePod";

bool is_exclusive(const api::PersistentVolumeClaim& claim) {
  return std::ranges::find(claim.spec.access_modes, kReadWriteOncePod) !=
         claim.spec.access_modes.end();
}

bool any_conflict(const std::vector<Disk>& disks, const Disk& other) {
  return std::ranges::any_of(disks, [&](const Disk& disk) { return conflicts(disk, other); });
}

bool any_conflict(const std::vector<Disk>& disks, const std::vector<Disk>& others) {
  return std::ranges::any_of(others, [&](const Disk& other) { return any_conflict(disks, other); });
}

std::int64_t exclusive_uses(const RestrictionCheck& check,
                            const api::Pod& pod,
                            const RelatedSwitches& switches) {
  if (switches.compare_namespaces && pod.metadata.ns != check.ns) {
    return 0;
  }
  return std::ranges::count_if(claim_names_of(pod, switches.see_ephemeral_claims),
                               [&check](const std::string& name) {
                                 return std::ranges::binary_search(check.exclusive_claims, name);
                               });
}

}  // namespace

void RestrictionCheck::add_pod(const api::Pod& pod, const RelatedSwitches& switches) {
  conflicts += exclusive_uses(*this, pod, switches);
}

void RestrictionCheck::remove_pod(const api::Pod& pod, const RelatedSwitches& switches) {
  conflicts -= exclusive_uses(*this, pod, switches);
}

RestrictionCheck RestrictionView::check(const api::Pod& pod, const Objects& objects) const {
  RestrictionCheck check{.ns = pod.metadata.ns, .disks = disks_of(pod)};
  std::set<std::string> exclusive;
  for (const api::Volume& volume : pod.spec.volumes) {
    const std::optional<ClaimName> name = claim_name_of(pod, volume);
    if (!name || (name->is_ephemeral && !switches_.see_ephemeral_claims)) {
      continue;
    }
    const api::PersistentVolumeClaim* claim =
        objects.find_claim(claim_key(pod.metadata.ns, name->name));
    if (claim == nullptr && !name->is_ephemeral) {
      check.answer = Answer::unresolvable(claim_not_found_text(name->name));
      return check;
    }
    // An ephemeral volume without its claim is VolumeBinding's to reject.
    if (claim != nullptr && is_exclusive(*claim)) {
      exclusive.insert(name->name);
    }
  }
  check.exclusive_claims.assign(exclusive.begin(), exclusive.end());
  check.conflicts = std::ranges::count_if(exclusive, [&](const std::string& name) {
    return claim_uses(claim_key(pod.metadata.ns, name)) > 0;
  });
  if (check.disks.empty() && check.conflicts == 0) {
    check.answer = Answer::skip();
  }
  return check;
}

void RestrictionView::narrow(const RestrictionCheck& check,
                             const NodeNumbers& numbers,
                             NodeSet& nodes) const {
  if (check.conflicts > 0) {
    nodes = NodeSet(nodes.size());
    return;
  }
  for (const Disk& disk : check.disks) {
    const std::vector<DiskUse>* uses = disk_uses_.find(disk.identity);
    if (uses == nullptr) {
      continue;
    }
    for (const DiskUse& use : *uses) {
      const std::uint32_t* number = numbers.find(use.node);
      if (number != nullptr && conflicts(disk, use.disk)) {
        nodes.reset(*number);
      }
    }
  }
}

Answer RestrictionView::on_node(const RestrictionCheck& check,
                                std::string_view node,
                                const PodChanges& changes) const {
  for (const Disk& disk : check.disks) {
    const std::vector<DiskUse>* uses = disk_uses_.find(disk.identity);
    if (uses != nullptr && std::ranges::any_of(*uses, [&](const DiskUse& use) {
          return use.node == node && conflicts(disk, use.disk) && !changes.removes(use.pod_uid);
        })) {
      return Answer::unschedulable(kDiskConflict);
    }
  }
  if (std::ranges::any_of(changes.added, [&check](const api::Pod* added) {
        return any_conflict(check.disks, disks_of(*added));
      })) {
    return Answer::unschedulable(kDiskConflict);
  }
  return check.conflicts > 0 ? Answer::unschedulable(kExclusiveClaimInUse) : Answer::success();
}

std::uint32_t RestrictionView::claim_uses(std::string_view key) const {
  const std::uint32_t* uses = claim_uses_.find(key);
  return uses == nullptr ? 0 : *uses;
}

void RestrictionTable::set_pod(const api::Pod& pod) {
  PodUse use;
  if (!pod.spec.node_name.empty()) {
    use.node = pod.spec.node_name;
    use.disks = disks_of(pod);
    for (const std::string& name : claim_names_of(pod, view_.switches_.see_ephemeral_claims)) {
      use.claims.push_back(claim_key(pod.metadata.ns, name));
    }
  }
  const auto known = pods_.find(pod.metadata.uid);
  if (known != pods_.end() && known->second == use) {
    return;
  }
  remove_pod(pod.metadata.uid);
  if (!use.claims.empty() || !use.disks.empty()) {
    add(pod.metadata.uid, use);
    pods_.emplace(pod.metadata.uid, std::move(use));
  }
}

void RestrictionTable::remove_pod(std::string_view uid) {
  const auto known = pods_.find(uid);
  if (known == pods_.end()) {
    return;
  }
  take_back(known->first, known->second);
  pods_.erase(known);
}

void RestrictionTable::add(const std::string& uid, const PodUse& use) {
  for (const std::string& key : use.claims) {
    ++view_.claim_uses_.edit(key);
  }
  for (const Disk& disk : use.disks) {
    view_.disk_uses_.edit(disk.identity)
        .push_back({.disk = disk, .pod_uid = uid, .node = use.node});
  }
}

void RestrictionTable::take_back(const std::string& uid, const PodUse& use) {
  for (const std::string& key : use.claims) {
    if (--view_.claim_uses_.edit(key) == 0) {
      view_.claim_uses_.erase(key);
    }
  }
  for (const Disk& disk : use.disks) {
    // Two volumes of the pod may be the same disk; the first takes both away.
    auto& uses = view_.disk_uses_.edit(disk.identity);
    std::erase_if(uses, [&uid](const auto& other) { return other.pod_uid == uid; });
    if (uses.empty()) {
      view_.disk_uses_.erase(disk.identity);
    }
  }
}

Hint restriction_hint_for_deleted_pod(const api::Pod& pod,
                                      const api::Pod& deleted,
                                      const RelatedSwitches& switches) {
  if (pod.metadata.ns != deleted.metadata.ns) {
    return Hint::kSkip;
  }
  if (any_conflict(disks_of(pod), disks_of(deleted))) {
    return Hint::kQueue;
  }
  const std::vector<std::string> freed = claim_names_of(deleted, switches.see_ephemeral_claims);
  const std::vector<std::string> wanted = claim_names_of(pod, switches.see_ephemeral_claims);
  return queue_if(std::ranges::find_first_of(wanted, freed) != wanted.end());
}

Hint restriction_hint_for_new_claim(const api::Pod& pod,
                                    const api::PersistentVolumeClaim& added,
                                    const RelatedSwitches& switches) {
  return queue_if(uses_claim(pod, added, switches.see_ephemeral_claims));
}

}  // namespace berth::volumes
