// Filter: which nodes could take a pod's volumes, and what would be bound or provisioned on one of
// them, or why not.
//
//   Search search(claims, catalog.view(), switches);
//   for (const std::size_t node : search.feasible()) { ... }
//   const NodeAnswer answer = search.look_at(node);   // exact, and only for whom it is asked
//
// feasible() answers for all nodes in one pass over what is alike, not over nodes times volumes.
// look_at() is the rule itself, node by node; both agree. Unclaimed volumes are those of the moment
// the claims were sorted, everything else is that of the view given here.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/objects/persistent_volume_claim.h"
#include "base/node_set.h"
#include "base/result.h"
#include "volumes/answer.h"
#include "volumes/free_volumes.h"
#include "volumes/plan.h"
#include "volumes/pod_claims.h"
#include "volumes/provisioning.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::volumes {

// One node's answer: a plan when it is success.
struct NodeAnswer {
  Answer answer;
  NodePlan plan;
};

class Search {
 public:
  // `claims` were sorted without an immediate one among them.
  Search(PodClaims claims, View now, const Switches& switches);
  Search(const Search&) = delete;  // parts point at each other
  Search& operator=(const Search&) = delete;
  ~Search() = default;

  const View& view() const { return now_; }
  const PodClaims& claims() const { return claims_; }

  // Nodes for which look_at() says success.
  const NodeSet& feasible();
  // `node` is a number in use.
  NodeAnswer look_at(std::size_t node);

 private:
  // A claim that gets its volume together with the node.
  struct Wanted {
    ClaimEntryPtr entry;
    FreeVolumes* free = nullptr;
    std::optional<std::string> selected_node;

    const api::PersistentVolumeClaim& claim() const { return *entry->current(); }
  };
  // How static matching of a node went.
  struct Matched {
    std::vector<StaticBinding> bindings;
    std::vector<const Wanted*> unmatched;  // may be provisioned
    std::vector<const Wanted*> exclusive;  // have a volume of their own, elsewhere
  };
  struct Found {
    VolumeEntryPtr volume;
    bool is_exclusive = false;  // the claim's own is not reached from the node
  };
  // What step by step was found wrong with a node.
  struct Flags {
    bool affinity_ok = true;
    bool unbound_ok = true;
    bool space_ok = true;
    bool volumes_exist = true;
  };

  FreeVolumes* free_volumes_for(const api::PersistentVolumeClaim& claim);
  void note_interactions();

  // The rule, node by node.
  Result<void> check_bound(std::size_t node, Flags& flags) const;
  VolumeEntryPtr find_named(const Wanted& wanted, const ChosenVolumes& chosen) const;
  // Whether nothing but this volume, which names the claim, may become its volume.
  bool is_exclusive(const VolumeEntry& named, const Wanted& wanted) const;
  Found find_volume(const Wanted& wanted, std::size_t node, const ChosenVolumes& chosen);
  Result<Matched> match(std::size_t node);
  Result<void> provision(const std::vector<const Wanted*>& wanted,
                         std::size_t node,
                         Flags& flags,
                         NodePlan& plan) const;
  bool provision_together(const std::vector<const Wanted*>& wanted,
                          std::size_t node,
                          NodePlan& plan) const;
  Result<bool> plan_node(std::size_t node, Flags& flags, NodePlan& plan);
  bool plan_by_assignment(std::size_t node, NodePlan& plan);
  static Answer answer_of(const Flags& flags);

  // The same for all nodes (search_all.cc).
  void narrow_to_bound(NodeSet& nodes) const;
  void narrow_to_selected(NodeSet& nodes) const;
  bool narrow_to_wanted(NodeSet& nodes);

  PodClaims claims_;
  View now_;
  Switches switches_;
  Provisioning provisioning_;
  std::map<FreeKey, FreeVolumes> free_;
  std::vector<Wanted> selected_;  // ask for a node already, in the order of the pod's volumes
  std::vector<Wanted> wanted_;    // to be matched, smallest first
  bool do_claims_interact_ = false;
  std::optional<NodeSet> feasible_;
};

}  // namespace berth::volumes
