#include "app/volumes_plan/structured.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/volumes_plan/report.h"
#include "app/volumes_plan/tree.h"
#include "volumes/finding.h"

namespace berth::app {
namespace {

Tree number(std::size_t value) {
  return Tree(static_cast<std::int64_t>(value));
}

Tree texts(const std::vector<std::string>& values) {
  Tree::List list;
  for (const std::string& value : values) {
    list.emplace_back(value);
  }
  return Tree(std::move(list));
}

void add_if_set(Tree::Object& object, const char* name, const std::string& value) {
  if (!value.empty()) {
    object.push_back({name, Tree(value)});
  }
}

Tree tree_of(const volumes::Finding& finding) {
  Tree::Object object;
  object.push_back({"claim", Tree(finding.claim)});
  object.push_back({"finding", Tree(std::string(volumes::name_of(finding.kind)))});
  object.push_back({"message", Tree(finding.sentence())});
  add_if_set(object, "volume", finding.volume);
  add_if_set(object, "provisioner", finding.provisioner);
  add_if_set(object, "pool", finding.pool);
  add_if_set(object, "requested", finding.requested);
  add_if_set(object, "capacity", finding.capacity);
  if (finding.missing_bytes) {
    object.push_back({"missingBytes", Tree(*finding.missing_bytes)});
  }
  return Tree(std::move(object));
}

Tree tree_of(const std::vector<volumes::Finding>& findings) {
  Tree::List list;
  for (const volumes::Finding& finding : findings) {
    list.push_back(tree_of(finding));
  }
  return Tree(std::move(list));
}

}  // namespace

Tree tree_of(const PlanReport& report) {
  Tree::List fits;
  for (const PlanReport::Fit& fit : report.fits) {
    fits.emplace_back(Tree::Object{
        {"node", Tree(fit.node)}, {"score", Tree(fit.score)}, {"claims", tree_of(fit.findings)}});
  }
  Tree::List tallies;
  for (const PlanReport::Tally& tally : report.tallies) {
    tallies.emplace_back(
        Tree::Object{{"nodes", number(tally.nodes)}, {"reasons", texts(tally.reasons)}});
  }
  Tree::List misfits;
  for (const PlanReport::Misfit& misfit : report.misfits) {
    misfits.emplace_back(Tree::Object{{"node", Tree(misfit.node)},
                                      {"reasons", texts(misfit.reasons)},
                                      {"claims", tree_of(misfit.findings)}});
  }
  return Tree(Tree::Object{{"pod", Tree(report.pod)},
                           {"claimCount", number(report.claim_count)},
                           {"nodeCount", number(report.node_count)},
                           {"fitCount", number(report.fits.size())},
                           {"notes", tree_of(report.notes)},
                           {"obstacles", tree_of(report.obstacles)},
                           {"fits", Tree(std::move(fits))},
                           {"tallies", Tree(std::move(tallies))},
                           {"misfits", Tree(std::move(misfits))}});
}

}  // namespace berth::app
