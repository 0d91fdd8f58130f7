// Why: what becomes of each claim of a pod on a node, in words that name the claim, the volume, the
// key and the values.
//
//   Explainer explainer(search, switches);
//   const NodeFindings found = explainer.look_at(node);
//
// It says no other thing than Search: on a node for which that says success every claim is met, on
// any other at least one is not. Where Search stops at the first thing that is wrong, this goes on.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "volumes/answer.h"
#include "volumes/finding.h"
#include "volumes/free_volumes.h"
#include "volumes/plan.h"
#include "volumes/provisioning.h"
#include "volumes/search.h"
#include "volumes/switches.h"
#include "volumes/view.h"
#include "volumes/volume_tally.h"

namespace berth::volumes {

// What keeps the pod from being placed anywhere, for each claim of which that is true: what
// check_pod() refuses, beyond its first reason.
std::vector<Finding> explain_pod(const View& view, const api::Pod& pod);

// How far a node is from taking the pod's volumes. Less is closer.
struct Distance {
  std::size_t refusals = 0;    // claims that are not met
  std::size_t unmeasured = 0;  // of those, for lack of something else than size
  std::int64_t missing_bytes = 0;

  auto operator<=>(const Distance&) const = default;
};
Distance distance_of(const std::vector<Finding>& findings);

struct NodeFindings {
  Answer answer;
  NodePlan plan;
  std::vector<Finding> findings;  // bound claims first, then in the order of the pod's volumes
};

class Explainer {
 public:
  // `search` was made with these switches and outlives it.
  Explainer(Search& search, const Switches& switches);
  Explainer(const Explainer&) = delete;  // parts point at each other
  Explainer& operator=(const Explainer&) = delete;
  ~Explainer() = default;

  NodeFindings look_at(std::size_t node);
  // What is worth knowing and refuses nothing, whatever the node.
  std::vector<Finding> notes() const;

 private:
  struct Wanted {
    ClaimEntryPtr entry;
    FreeVolumes free;
    VolumeTally tally;
    std::optional<std::string> selected_node;

    const api::PersistentVolumeClaim& claim() const { return *entry->current(); }
  };
  using Findings = std::map<std::string, Finding>;  // by claim

  Wanted make_wanted(const ClaimEntryPtr& entry) const;
  Finding start(FindingKind kind, const api::PersistentVolumeClaim& claim) const;
  Finding explain_bound(const ClaimEntry& entry, std::size_t node) const;
  Finding explain_binding(const StaticBinding& binding) const;
  // `taken` is what the whole plan takes of its pools; null where there is none.
  Finding explain_provision(const Provision& provision,
                            std::size_t node,
                            const TakenSpace* taken) const;
  void explain_plan(const NodePlan& plan, std::size_t node, Findings& findings) const;
  // Matching as Search does it, to the end.
  void explain_failure(std::size_t node, Findings& findings);
  std::optional<Finding> explain_matching(Wanted& wanted, std::size_t node, ChosenVolumes& chosen);
  Finding explain_provisioning(const Wanted& wanted, std::size_t node, TakenSpace& taken) const;
  Finding explain_no_provisioner(const Wanted& wanted, std::size_t node) const;
  Finding explain_no_space(const Wanted& wanted, std::size_t node, const TakenSpace& taken) const;
  VolumeEntryPtr find_named(const Wanted& wanted, const ChosenVolumes& chosen) const;
  std::string no_volume_text(const Wanted& wanted, std::size_t node) const;

  Search& search_;
  const View& volumes_;  // of the moment the claims were sorted
  const View& view_;
  Switches switches_;
  Provisioning provisioning_;
  std::vector<Wanted> wanted_;  // smallest first, behind those that ask for a node already
};

}  // namespace berth::volumes
