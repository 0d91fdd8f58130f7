// Random sequences of events, promises, promises taken back, bindings and crashes: after every step
// the ledger keeps its invariants, and the indexes are what they would be if they were built
// afresh.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/persistent_volume.h"
#include "api/objects/persistent_volume_claim.h"
#include "api/objects/pod.h"
#include "api/rules/node_group.h"
#include "volumes/catalog.h"
#include "volumes/ledger.h"
#include "volumes/names.h"
#include "volumes/plan.h"
#include "volumes/pod_claims.h"
#include "volumes/recorded_plan.h"
#include "volumes/rules.h"
#include "volumes/search.h"
#include "volumes/switches.h"
#include "volumes/testing/random_world.h"
#include "volumes/view.h"
#include "volumes/wait.h"

namespace berth::volumes {
namespace {

constexpr std::uint64_t kSequences = 150;
constexpr int kSteps = 80;

// What the API server has.
struct Truth {
  std::map<std::string, NodePtr> nodes;
  std::map<std::string, VolumePtr> volumes;
  std::map<std::string, ClaimPtr> claims;
  std::map<std::string, CsiNodePtr> csi_nodes;
  std::map<std::string, CapacityPtr> capacities;
  std::vector<ClassPtr> classes;
  DriverPtr driver;

  void tell(Catalog& catalog) const {
    for (const ClassPtr& storage_class : classes) {
      catalog.set(storage_class);
    }
    catalog.set(driver);
    // Volumes before nodes: what is reached is found by following the nodes.
    for (const auto& [name, volume] : volumes) {
      catalog.set(volume);
    }
    for (const auto& [name, node] : nodes) {
      catalog.set(node);
    }
    for (const auto& [name, csi_node] : csi_nodes) {
      catalog.set(csi_node);
    }
    for (const auto& [name, capacity] : capacities) {
      catalog.set(capacity);
    }
    for (const auto& [key, claim] : claims) {
      catalog.set(claim);
    }
  }
};

std::string names_of(const View& view, const api::NodeGroup& group) {
  std::set<std::string> names;
  group.for_each([&](std::size_t node) { names.insert(view.node(node)->metadata.name); });
  return fmt::format("{{{}}}", fmt::join(names, ","));
}

// Owners without the number of the time they were promised something.
std::string pods_of(const std::vector<std::string>& owners) {
  std::vector<std::string> pods;
  for (const std::string& owner : owners) {
    pods.push_back(owner.substr(0, owner.find('#')));
  }
  std::ranges::sort(pods);
  return fmt::format("{}", fmt::join(pods, ","));
}

// Everything a view shows, by name: numbers of nodes and reaches depend on history.
std::string dump(const View& view) {
  std::string text;
  for (const auto& [name, number] : view.nodes_by_name()) {
    text += fmt::format("node {}\n", name);
  }
  for (const auto& [name, entry] : view.volumes()) {
    const api::PersistentVolume& volume = *entry->current();
    text += fmt::format("volume {} {} of {} reached {} translated {} owners {}\n",
                        name,
                        volume.metadata.resource_version,
                        volume.spec.claim_ref ? volume.spec.claim_ref->name : "nobody",
                        names_of(view, view.reached(entry->reach)),
                        entry->plugin && !entry->translation_error
                            ? names_of(view, view.reached(entry->translated_reach))
                            : "no",
                        pods_of(entry->owners));
  }
  for (const auto& [key, entry] : view.claims()) {
    const std::string* selected = find_annotation(entry->current()->metadata, kSelectedNode);
    text += fmt::format("claim {} {} on {} owners {} named by",
                        key,
                        entry->current()->metadata.resource_version,
                        selected == nullptr ? "-" : *selected,
                        pods_of(entry->owners));
    for (const VolumeEntryPtr& volume : view.volumes_naming(key)) {
      text += " " + volume->stored->metadata.name;
    }
    text += "\n";
  }
  for (const auto& [name, storage_class] : view.classes()) {
    text += fmt::format("class {} {}\n", name, names_of(view, view.reached(storage_class.reach)));
    if (const auto* pools = view.find_capacities(name)) {
      for (const auto& [key, pool] : *pools) {
        text += fmt::format("pool {} {} promised {} {}\n",
                            key,
                            pool.object->metadata.resource_version,
                            pool.promised,
                            names_of(view, view.reached(pool.reach)));
      }
    }
    for (const std::string mode : {"Filesystem", "Block"}) {
      std::set<std::string> places;
      if (const VolumesByReach* free = view.find_free({name, mode, ""})) {
        for (const auto& [reach, place] : *free) {
          std::string told = fmt::format("{}, largest {}, modes {}:",
                                         names_of(view, view.reached(reach)),
                                         place.largest.to_string(),
                                         fmt::join(place.offered, " "));
          for (const auto& [size, entry] : place.volumes) {
            told += " " + size.capacity.to_string() + "=" + entry->stored->metadata.name;
          }
          places.insert(told);
        }
      }
      text += fmt::format("free {} {}: {}\n", name, mode, fmt::join(places, "; "));
    }
  }
  for (const InTreePlugin plugin : kAllInTreePlugins) {
    text += fmt::format("migrated {}\n", names_of(view, view.migrated(plugin)));
  }
  return text;
}

class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : dice_(seed), objects_(dice_) {
    truth_.classes = objects_.classes();
    truth_.driver = objects_.driver();
    restart();
    for (int i = 0; i < 20; ++i) {
      change();
    }
  }

  void step() {
    switch (dice_.roll(8)) {
      case 0:
      case 1:
        assume();
        break;
      case 2:
        revert();
        break;
      case 3:
        bind();
        break;
      case 4:
        if (dice_.chance(6)) {
          crash();
        }
        break;
      default:
        change();
    }
  }

  void check() const {
    const View& view = catalog_->now();
    std::set<std::string> live;
    for (const auto& [uid, assumed] : plans_) {
      live.insert(assumed.plan.owner);
    }
    check_room(view);
    for (const auto& [name, entry] : view.volumes()) {
      EXPECT_EQ(entry->promised == nullptr, entry->owners.empty()) << name;
      for (const std::string& owner : entry->owners) {
        EXPECT_TRUE(live.contains(owner)) << name << " is promised to " << owner;
      }
    }
    for (const auto& [key, entry] : view.claims()) {
      EXPECT_EQ(entry->promised == nullptr, entry->owners.empty()) << key;
      for (const std::string& owner : entry->owners) {
        EXPECT_TRUE(live.contains(owner)) << key << " is promised to " << owner;
      }
    }
    check_no_volume_twice(view);
    EXPECT_EQ(dump(view), dump(afresh()));
  }

 private:
  struct Assumed {
    AssumedPlan plan;
    std::string text;  // as it was recorded
  };

  // Of every pool is promised what the recorded plans took of it, once for each claim, and what
  // became a volume before the pool said so.
  void check_room(const View& view) const {
    const auto* pools = view.find_capacities("pooled");
    if (pools == nullptr) {
      return;
    }
    std::map<std::string, std::map<std::string, std::int64_t>> expected;
    for (const auto& [uid, assumed] : plans_) {
      const RecordedPlan plan = *plan_from_text(assumed.text);
      for (const RecordedProvision& provision : plan.provisions) {
        if (provision.room) {
          expected[provision.room->name + "#" + provision.room->version][provision.claim.name] =
              provision.room->bytes;
        }
      }
    }
    for (const auto& [key, pool] : *pools) {
      const std::string& name = pool.object->metadata.name;
      std::int64_t promised = 0;
      for (const auto& [claim, bytes] :
           expected[name + "#" + pool.object->metadata.resource_version]) {
        promised += bytes;
      }
      if (is_room_spent_) {
        EXPECT_GE(pool.promised, promised) << key;
      } else {
        EXPECT_EQ(pool.promised, promised) << key;
      }
    }
  }

  // Of the promises that still hold, none gives a volume to two claims.
  void check_no_volume_twice(const View& view) const {
    std::map<std::string, std::string> claim_of;
    for (const auto& [uid, assumed] : plans_) {
      for (const StaticBinding& binding : assumed.plan.volumes) {
        const std::string& name = binding.volume->metadata.name;
        const VolumeEntry* entry = view.find_volume(name);
        if (entry == nullptr ||
            entry->stored->metadata.resource_version != binding.volume->metadata.resource_version) {
          continue;
        }
        const std::string key = claim_key(*binding.claim);
        const auto [known, is_new] = claim_of.emplace(name, key);
        EXPECT_TRUE(is_new || known->second == key) << name;
      }
    }
  }

  // The same knowledge and the same promises, built from nothing.
  View afresh() const {
    Catalog fresh;
    truth_.tell(fresh);
    const View& view = catalog_->now();
    for (const auto& [name, entry] : view.volumes()) {
      for (const std::string& owner : entry->owners) {
        EXPECT_TRUE(fresh.promise(entry->promised, owner));
      }
    }
    for (const auto& [key, entry] : view.claims()) {
      for (const std::string& owner : entry->owners) {
        EXPECT_TRUE(fresh.promise(entry->promised, owner));
      }
    }
    if (const auto* pools = view.find_capacities("pooled")) {
      for (const auto& [key, pool] : *pools) {
        fresh.promise_capacity(*pool.object, pool.promised);
      }
    }
    return fresh.view();
  }

  void restart() {
    catalog_ = std::make_unique<Catalog>();
    ledger_ = std::make_unique<Ledger>(*catalog_, switches_);
    truth_.tell(*catalog_);
  }

  void change() {
    const std::size_t number = 1 + dice_.roll(6);
    const bool is_gone = dice_.chance(4);
    switch (dice_.roll(5)) {
      case 0:
        change_node(number, is_gone);
        break;
      case 1:
      case 2:
        change_volume(number, is_gone);
        break;
      case 3:
        change_claim(number, is_gone);
        break;
      default:
        change_pool(number, is_gone);
    }
  }

  void change_node(std::size_t number, bool is_gone) {
    const NodePtr node = objects_.node(number);
    const CsiNodePtr csi_node = objects_.csi_node(number);
    const std::string& name = node->metadata.name;
    if (is_gone) {
      truth_.nodes.erase(name);
      catalog_->remove_node(name);
    } else {
      truth_.nodes[name] = node;
      catalog_->set(node);
    }
    if (dice_.chance(2)) {
      truth_.csi_nodes[name] = csi_node;
      catalog_->set(csi_node);
    } else if (dice_.chance(4)) {
      truth_.csi_nodes.erase(name);
      catalog_->remove_csi_node(name);
    }
  }

  void change_volume(std::size_t number, bool is_gone) {
    const VolumePtr volume = objects_.volume(number);
    const std::string& name = volume->metadata.name;
    if (is_gone) {
      truth_.volumes.erase(name);
      catalog_->remove_volume(name);
    } else {
      truth_.volumes[name] = volume;
      catalog_->set(volume);
    }
  }

  void change_claim(std::size_t number, bool is_gone) {
    const ClaimPtr claim = objects_.claim(1 + number % testing::kClaims);
    const std::string key = claim_key(*claim);
    if (is_gone) {
      truth_.claims.erase(key);
      catalog_->remove_claim(claim->metadata.ns, claim->metadata.name);
    } else {
      truth_.claims[key] = claim;
      catalog_->set(claim);
    }
  }

  void change_pool(std::size_t number, bool is_gone) {
    const CapacityPtr capacity = objects_.capacity(number);
    const std::string& name = capacity->metadata.name;
    if (is_gone) {
      truth_.capacities.erase(name);
      catalog_->remove_capacity(capacity->metadata.ns, name);
    } else {
      truth_.capacities[name] = capacity;
      catalog_->set(capacity);
    }
  }

  void assume() {
    const api::Pod pod = objects_.pod(1 + dice_.roll(5));
    if (plans_.contains(pod.metadata.uid)) {
      return;
    }
    PodCheck check = check_pod(catalog_->view(), pod, switches_);
    if (!check.answer.is_success()) {
      return;
    }
    Search search(std::move(check.claims), catalog_->view(), switches_);
    const auto node = search.feasible().find_first();
    if (!node) {
      return;
    }
    const NodePlan plan = search.look_at(*node).plan;
    const std::string name = catalog_->now().node(*node)->metadata.name;
    auto assumed = ledger_->assume(pod, name, plan);
    ASSERT_TRUE(assumed) << assumed.error().text();
    // Every other time it is taken back and assumed again: the plan is as good as before.
    if (dice_.chance(2)) {
      const std::string before = dump(catalog_->now());
      ledger_->revert(*assumed);
      assumed = ledger_->assume(pod, name, plan);
      ASSERT_TRUE(assumed) << assumed.error().text();
      EXPECT_EQ(dump(catalog_->now()), before);
    }
    const auto recorded = ledger_->record(*assumed, pod, "test");
    ASSERT_TRUE(recorded) << recorded.error().text();
    plans_.emplace(pod.metadata.uid,
                   Assumed{.plan = *std::move(assumed), .text = *to_text(*recorded)});
  }

  std::map<std::string, Assumed>::iterator any_plan() {
    auto chosen = plans_.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(dice_.roll(plans_.size())));
    return chosen;
  }

  void revert() {
    if (plans_.empty()) {
      return;
    }
    revert(any_plan());
  }
  void revert(std::map<std::string, Assumed>::iterator chosen) {
    for (const Provision& provision : chosen->second.plan.claims) {
      const auto stored = truth_.claims.find(claim_key(*provision.claim));
      is_room_spent_ =
          is_room_spent_ || (provision.capacity != nullptr && stored != truth_.claims.end() &&
                             !stored->second->spec.volume_name.empty());
    }
    ledger_->revert(chosen->second.plan);
    ledger_->revert(chosen->second.plan);  // a second time does nothing
    plans_.erase(chosen);
  }

  // The writes go out; those on versions that are gone are refused. What landed comes back by
  // watch. The plan may go on waiting after that.
  void bind() {
    if (plans_.empty()) {
      return;
    }
    const auto chosen = any_plan();
    for (const StaticBinding& binding : chosen->second.plan.volumes) {
      const auto stored = truth_.volumes.find(binding.volume->metadata.name);
      if (stored != truth_.volumes.end() &&
          stored->second->metadata.resource_version == binding.volume->metadata.resource_version) {
        auto written = std::make_shared<api::PersistentVolume>(*binding.volume);
        written->metadata.resource_version += "0";
        stored->second = written;
        catalog_->set(VolumePtr(written));
      }
    }
    for (const Provision& provision : chosen->second.plan.claims) {
      const auto stored = truth_.claims.find(claim_key(*provision.claim));
      if (stored != truth_.claims.end() &&
          stored->second->metadata.resource_version == provision.claim->metadata.resource_version) {
        auto written = std::make_shared<api::PersistentVolumeClaim>(*provision.claim);
        written->metadata.resource_version += "0";
        stored->second = written;
        catalog_->set(ClaimPtr(written));
      }
    }
    if (dice_.chance(2)) {
      revert(chosen);  // what was refused is given back
    }
  }

  // A new process knows the API server and the texts of the plans. Where no pod died meanwhile it
  // promises what the dead one had promised.
  void crash() {
    const std::string before = dump(catalog_->now());
    bool is_same = !is_room_spent_;
    restart();
    is_room_spent_ = false;
    const std::map<std::string, Assumed> dead = std::exchange(plans_, {});
    for (const auto& [uid, assumed] : dead) {
      const PodFacts pod{.exists = !dice_.chance(6), .uid = dice_.chance(6) ? "another-uid" : uid};
      const auto recorded = plan_from_text(assumed.text);
      ASSERT_TRUE(recorded) << recorded.error().text();
      auto restored = ledger_->restore(*recorded, pod);
      const bool is_alive = pod.exists && pod.uid == uid;
      ASSERT_EQ(restored.has_value(), is_alive) << uid;
      is_same = is_same && is_alive;
      if (restored) {
        plans_.emplace(uid, Assumed{.plan = *std::move(restored), .text = assumed.text});
      }
    }
    if (is_same) {
      EXPECT_EQ(dump(catalog_->now()), before);
    }
  }

  testing::Dice dice_;
  testing::RandomObjects objects_;
  Switches switches_;
  Truth truth_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Ledger> ledger_;
  std::map<std::string, Assumed> plans_;  // by pod
  bool is_room_spent_ = false;            // a volume was made in promised room
};

TEST(LedgerSequences, KeepTheInvariantsAndTheIndexes) {
  for (std::uint64_t seed = 1; seed <= kSequences; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Sequence sequence(seed);
    for (int step = 0; step < kSteps; ++step) {
      SCOPED_TRACE(fmt::format("step {}", step));
      sequence.step();
      sequence.check();
      if (HasFailure()) {
        return;
      }
    }
  }
}

}  // namespace
}  // namespace berth::volumes
