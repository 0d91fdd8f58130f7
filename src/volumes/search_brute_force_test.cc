// The search against a deliberately simple matcher that shares nothing with it: lists instead of
// indexes, one node at a time, the steps as the specification writes them, and where full matching
// is on every assignment there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/rules/label_selector.h"
#include "api/rules/node_selector.h"
#include "api/rules/topology_selector.h"
#include "volumes/catalog.h"
#include "volumes/migration.h"
#include "volumes/names.h"
#include "volumes/pod_claims.h"
#include "volumes/rules.h"
#include "volumes/search.h"
#include "volumes/switches.h"
#include "volumes/testing/random_world.h"

namespace berth::volumes {
namespace {

constexpr std::uint64_t kWorlds = 4000;

class SimpleMatcher {
 public:
  SimpleMatcher(const View& view, const api::Pod& pod, const Switches& switches)
      : view_(view), switches_(switches) {
    std::set<std::string> seen;
    for (const api::Volume& volume : pod.spec.volumes) {
      const std::string key = claim_key("default", claim_name_of(pod, volume)->name);
      if (seen.insert(key).second || !switches.merge_same_claim) {
        claims_.push_back(view.find_claim(key)->stored);
      }
    }
  }

  bool fits(const api::Node& node) {
    std::vector<ClaimPtr> to_match;
    std::vector<ClaimPtr> to_provision;
    for (const ClaimPtr& claim : claims_) {
      if (is_fully_bound(*claim)) {
        if (!reaches_bound(claim->spec.volume_name, node)) {
          return false;
        }
        continue;
      }
      const std::string* selected = find_annotation(claim->metadata, kSelectedNode);
      const bool is_dead = selected != nullptr && view_.find_node(*selected) == nullptr;
      if (selected == nullptr || (is_dead && switches_.ignore_dead_selection)) {
        to_match.push_back(claim);
      } else if (*selected == node.metadata.name) {
        to_provision.push_back(claim);
      } else {
        return false;
      }
    }
    std::sort(to_match.begin(), to_match.end(), [this](const ClaimPtr& a, const ClaimPtr& b) {
      const int order = request_of(*a).compare(request_of(*b));
      return order != 0 ? order < 0 : position(a) < position(b);
    });
    return greedy(to_match, to_provision, node) ||
           (switches_.full_matching && any(to_match, 0, {}, to_provision, node));
  }

 private:
  std::ptrdiff_t position(const ClaimPtr& claim) const {
    return std::find(claims_.begin(), claims_.end(), claim) - claims_.begin();
  }

  static bool matches(const api::Box<api::VolumeNodeAffinity>& affinity, const api::Node& node) {
    return !affinity || !affinity->required ||
           api::CompiledNodeSelector::compile(*affinity->required,
                                              api::CompiledNodeSelector::Fields::kIgnore)
               .match("", node.metadata.labels)
               .is_match;
  }

  bool reaches_bound(const std::string& name, const api::Node& node) const {
    const VolumeEntry* entry = view_.find_volume(name);
    if (entry == nullptr) {
      return false;
    }
    const auto plugin = plugin_of(*entry->stored);
    const CsiNodePtr csi_node = view_.find_csi_node(node.metadata.name);
    if (plugin && csi_node != nullptr && is_migrated_on(*csi_node, *plugin)) {
      const auto translated = translated_affinity(*entry->stored);
      return translated && matches(*translated, node);
    }
    return matches(entry->stored->spec.node_affinity, node);
  }

  bool is_alike(const api::PersistentVolume& volume,
                const api::PersistentVolumeClaim& claim) const {
    return class_of(volume) == class_of(claim) &&
           capacity_of(volume).compare(request_of(claim)) >= 0 &&
           mode_of(volume.spec.volume_mode) == mode_of(claim.spec.volume_mode) &&
           !volume.metadata.deletion_timestamp;
  }

  bool is_named(const api::PersistentVolume& volume,
                const api::PersistentVolumeClaim& claim) const {
    return is_alike(volume, claim) && is_bound_to(volume, claim) &&
           (!switches_.prebound_modes || offers_modes(volume, claim));
  }

  // The volumes the claim could have here; `has_own` when one names it, wherever that is.
  std::vector<VolumePtr> candidates(const api::PersistentVolumeClaim& claim,
                                    const api::Node& node,
                                    const std::set<std::string>& chosen,
                                    bool& has_own) const {
    has_own = false;
    for (const auto& [name, entry] : view_.volumes()) {
      if (!chosen.contains(name) && is_named(*entry->stored, claim)) {
        has_own = true;
        return matches(entry->stored->spec.node_affinity, node)
                   ? std::vector<VolumePtr>{entry->stored}
                   : std::vector<VolumePtr>{};
      }
    }
    std::vector<VolumePtr> found;
    for (const auto& [name, entry] : view_.volumes()) {
      const api::PersistentVolume& volume = *entry->stored;
      const bool is_selected =
          !claim.spec.selector || api::CompiledLabelSelector::compile(*claim.spec.selector)
                                      ->matches(volume.metadata.labels);
      if (!chosen.contains(name) && !volume.spec.claim_ref && is_alike(volume, claim) &&
          volume.status.phase == "Available" && is_selected && offers_modes(volume, claim) &&
          matches(volume.spec.node_affinity, node)) {
        found.push_back(entry->stored);
      }
    }
    std::sort(found.begin(), found.end(), [](const VolumePtr& a, const VolumePtr& b) {
      const int order = capacity_of(*a).compare(capacity_of(*b));
      return order != 0 ? order < 0 : a->metadata.name < b->metadata.name;
    });
    return found;
  }

  bool greedy(const std::vector<ClaimPtr>& to_match,
              std::vector<ClaimPtr> to_provision,
              const api::Node& node) const {
    std::set<std::string> chosen;
    for (const ClaimPtr& claim : to_match) {
      bool has_own = false;
      const auto found = candidates(*claim, node, chosen, has_own);
      if (!found.empty()) {
        chosen.insert(found.front()->metadata.name);
      } else if (has_own && switches_.exclusive_prebound) {
        return false;
      } else {
        to_provision.push_back(claim);
      }
    }
    return can_provision(to_provision, node);
  }

  // Every way to give each claim one of its volumes, or to provision it.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as a pod has claims
  bool any(const std::vector<ClaimPtr>& to_match,
           std::size_t next,
           const std::set<std::string>& chosen,
           const std::vector<ClaimPtr>& to_provision,
           const api::Node& node) const {
    if (next == to_match.size()) {
      return can_provision(to_provision, node);
    }
    bool has_own = false;
    const auto all = candidates(*to_match[next], node, {}, has_own);
    for (const VolumePtr& volume : all) {
      std::set<std::string> with = chosen;
      if (with.insert(volume->metadata.name).second &&
          any(to_match, next + 1, with, to_provision, node)) {
        return true;
      }
    }
    if (has_own && switches_.exclusive_prebound) {
      return false;
    }
    std::vector<ClaimPtr> with = to_provision;
    with.push_back(to_match[next]);
    return any(to_match, next + 1, chosen, with, node);
  }

  bool can_provision(const std::vector<ClaimPtr>& claims, const api::Node& node) const {
    std::vector<Pool> pools = pools_of(node);
    std::vector<std::int64_t> pooled;
    for (const ClaimPtr& claim : claims) {
      const api::StorageClass& of = *view_.find_class(class_of(*claim))->object;
      if (of.provisioner == kNoProvisioner ||
          !api::CompiledTopologies::compile(of.allowed_topologies).matches(node.metadata.labels)) {
        return false;
      }
      if (of.provisioner == "pooled") {
        pooled.push_back(request_of(*claim).value());
      }
    }
    return has_room(pooled, 0, pools);
  }

  struct Pool {
    std::int64_t room = 0;
    std::int64_t largest = 0;
  };

  // Every pool for every claim; without full matching the first that has room, and no other.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as a pod has claims
  bool has_room(const std::vector<std::int64_t>& claims,
                std::size_t next,
                std::vector<Pool>& pools) const {
    if (next == claims.size()) {
      return true;
    }
    for (Pool& pool : pools) {
      if (claims[next] > pool.largest || claims[next] > pool.room) {
        continue;
      }
      const std::int64_t taken = switches_.subtract_capacity ? claims[next] : 0;
      pool.room -= taken;
      const bool is_found = has_room(claims, next + 1, pools);
      pool.room += taken;
      if (is_found || !switches_.full_matching) {
        return is_found;
      }
    }
    return false;
  }

  std::vector<Pool> pools_of(const api::Node& node) const {
    std::vector<Pool> found;
    const auto* pools = view_.find_capacities("pooled");
    if (pools == nullptr) {
      return found;
    }
    for (const auto& [key, pool] : *pools) {
      const api::CSIStorageCapacity& object = *pool.object;
      if (api::CompiledLabelSelector::compile(*object.node_topology)
              ->matches(node.metadata.labels)) {
        const std::int64_t whole = object.capacity->value();
        found.push_back(
            {.room = whole,
             .largest = object.maximum_volume_size ? object.maximum_volume_size->value() : whole});
      }
    }
    return found;
  }

  const View& view_;
  const Switches& switches_;
  std::vector<ClaimPtr> claims_;
};

struct Counts {
  std::size_t fitting = 0;
  std::size_t not_fitting = 0;
};

Counts compare(const Switches& switches, std::uint64_t worlds = kWorlds) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    testing::Dice dice(seed);
    testing::RandomObjects objects(dice);
    Catalog catalog;
    testing::fill(catalog, objects, dice);
    const api::Pod pod = objects.pod(1);
    PodCheck check = check_pod(catalog.view(), pod, switches);
    if (!check.answer.is_success()) {
      ADD_FAILURE() << "seed " << seed << ": " << check.answer.reasons.front();
      return counts;
    }
    Search search(std::move(check.claims), catalog.view(), switches);
    SimpleMatcher simple(catalog.now(), pod, switches);
    for (const std::size_t node : catalog.now().nodes()) {
      const api::Node& object = *catalog.now().node(node);
      const bool is_fitting = simple.fits(object);
      ++(is_fitting ? counts.fitting : counts.not_fitting);
      EXPECT_EQ(search.feasible().test(node), is_fitting)
          << "seed " << seed << ", " << object.metadata.name;
      EXPECT_EQ(search.look_at(node).answer.is_success(), is_fitting)
          << "seed " << seed << ", " << object.metadata.name;
    }
    if (::testing::Test::HasFailure()) {
      return counts;
    }
  }
  return counts;
}

TEST(SearchBruteForce, FindsTheSameNodesAsASimpleMatcher) {
  const Counts counts = compare(Switches::upstream());
  // The worlds are worth the name.
  EXPECT_GT(counts.fitting, 1000U);
  EXPECT_GT(counts.not_fitting, 1000U);
}

TEST(SearchBruteForce, PlacesEveryPodForWhichAnyAssignmentExists) {
  const Counts better = compare(Switches());
  EXPECT_GT(better.fitting, 1000U);
}

TEST(SearchBruteForce, EachSwitchAloneAgreesToo) {
  for (const NamedSwitch& named : kSwitches) {
    SCOPED_TRACE(named.name);
    Switches switches;
    switches.*named.member = false;
    compare(switches, kWorlds / 10);
    if (HasFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace berth::volumes
