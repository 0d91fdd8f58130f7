// What a plan found, for whoever shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "app/volumes_plan/objects.h"
#include "volumes/finding.h"

namespace berth::app {

struct PlanReport {
  struct Fit {
    std::string node;
    std::int64_t score = 0;
    std::vector<volumes::Finding> findings;  // one for each claim
  };
  struct Misfit {
    std::string node;
    std::vector<std::string> reasons;        // in upstream's words and order
    std::vector<volumes::Finding> findings;  // one for each claim; none where no node can
  };
  struct Tally {
    std::vector<std::string> reasons;
    std::size_t nodes = 0;
  };

  std::string pod;  // "namespace/name"
  std::size_t claim_count = 0;
  std::size_t node_count = 0;
  std::vector<volumes::Finding> obstacles;  // why no node can, claim by claim
  std::vector<volumes::Finding> notes;
  std::vector<Fit> fits;        // best score first
  std::vector<Misfit> misfits;  // closest first
  // Misfits by the full list of their reasons, most nodes first: each node is counted once.
  std::vector<Tally> tallies;
};

PlanReport make_report(const api::Pod& pod,
                       const PlanObjects& objects,
                       std::vector<volumes::Finding> notes);

}  // namespace berth::app
