#include "app/volumes_plan/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/pod.h"
#include "api/objects/pod_volume.h"
#include "app/volumes_plan/objects.h"
#include "volumes/answer.h"
#include "volumes/catalog.h"
#include "volumes/explain.h"
#include "volumes/explain_text.h"
#include "volumes/finding.h"
#include "volumes/pod_claims.h"
#include "volumes/rules.h"
#include "volumes/score.h"
#include "volumes/search.h"
#include "volumes/switches.h"
#include "volumes/view.h"

namespace berth::app {
namespace {

std::size_t count_claims(const api::Pod& pod) {
  std::set<std::string> names;
  for (const api::Volume& volume : pod.spec.volumes) {
    if (const auto wanted = volumes::claim_name_of(pod, volume)) {
      names.insert(wanted->name);
    }
  }
  return names.size();
}

// The same answer for every node.
void fill_alike(const volumes::View& view, const volumes::Answer& answer, PlanReport& report) {
  for (const auto& [name, number] : view.nodes_by_name()) {
    if (answer.is_success() || answer.code == volumes::Code::kSkip) {
      report.fits.push_back({.node = name});
    } else {
      report.misfits.push_back({.node = name, .reasons = answer.reasons, .findings = {}});
    }
  }
}

void fill_by_node(volumes::Search& search, const volumes::Switches& switches, PlanReport& report) {
  volumes::Explainer explainer(search, switches);
  const volumes::Shape shape = volumes::default_shape();
  for (const auto& [name, number] : search.view().nodes_by_name()) {
    volumes::NodeFindings found = explainer.look_at(number);
    if (found.answer.is_success()) {
      report.fits.push_back({.node = name,
                             .score = volumes::score(found.plan, shape),
                             .findings = std::move(found.findings)});
    } else {
      report.misfits.push_back({.node = name,
                                .reasons = std::move(found.answer.reasons),
                                .findings = std::move(found.findings)});
    }
  }
  for (volumes::Finding& note : explainer.notes()) {
    report.notes.push_back(std::move(note));
  }
  std::ranges::sort(report.fits, [](const PlanReport::Fit& a, const PlanReport::Fit& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  });
  std::ranges::sort(report.misfits, [](const PlanReport::Misfit& a, const PlanReport::Misfit& b) {
    const auto order = volumes::distance_of(a.findings) <=> volumes::distance_of(b.findings);
    return order != 0 ? order < 0 : a.node < b.node;
  });
}

// Of each claim that is at fault on some node while others fit.
void note_faults(PlanReport& report) {
  std::map<std::string, std::size_t> faults;
  for (const PlanReport::Misfit& misfit : report.misfits) {
    for (const volumes::Finding& finding : misfit.findings) {
      faults[finding.claim] += finding.kind == volumes::FindingKind::kFault ? 1 : 0;
    }
  }
  for (const auto& [claim, nodes] : faults) {
    if (nodes > 0 && !report.fits.empty()) {
      report.notes.push_back(
          {.kind = volumes::FindingKind::kAttemptFails,
           .claim = claim,
           .text =
               fmt::format("is at fault on {}: a scheduler that looks there gives up on the pod "
                           "for this time, although other nodes fit",
                           volumes::count_text(nodes, "node"))});
    }
  }
}

std::vector<PlanReport::Tally> count_reasons(const std::vector<PlanReport::Misfit>& misfits) {
  std::map<std::vector<std::string>, std::size_t> counts;
  for (const PlanReport::Misfit& misfit : misfits) {
    ++counts[misfit.reasons];
  }
  std::vector<PlanReport::Tally> tallies;
  for (const auto& [reasons, nodes] : counts) {
    tallies.push_back({.reasons = reasons, .nodes = nodes});
  }
  std::ranges::sort(tallies, [](const PlanReport::Tally& a, const PlanReport::Tally& b) {
    return a.nodes != b.nodes ? a.nodes > b.nodes : a.reasons < b.reasons;
  });
  return tallies;
}

}  // namespace

PlanReport make_report(const api::Pod& pod,
                       const PlanObjects& objects,
                       std::vector<volumes::Finding> notes) {
  volumes::Catalog catalog;
  fill(catalog, objects);
  const volumes::Switches switches;
  PlanReport report{.pod = volumes::claim_key(pod.metadata.ns, pod.metadata.name),
                    .claim_count = count_claims(pod),
                    .node_count = catalog.now().node_count(),
                    .notes = std::move(notes)};
  volumes::PodCheck check = volumes::check_pod(catalog.view(), pod, switches);
  if (check.answer.is_success()) {
    volumes::Search search(std::move(check.claims), catalog.view(), switches);
    fill_by_node(search, switches, report);
    note_faults(report);
  } else {
    report.obstacles = volumes::explain_pod(catalog.now(), pod);
    fill_alike(catalog.now(), check.answer, report);
  }
  report.tallies = count_reasons(report.misfits);
  return report;
}

}  // namespace berth::app
