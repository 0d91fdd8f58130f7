#include "api/rules/topology_selector.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/rules/field_errors.h"
#include "api/rules/node_label_index.h"
#include "api/rules/node_selector.h"
#include "api/rules/requirement.h"
#include "base/node_set.h"

namespace berth::api {
namespace {

// Nothing for a term that matches no node.
std::optional<std::vector<Requirement>> compile_term(const TopologySelectorTerm& term) {
  if (term.match_label_expressions.empty()) {
    return std::nullopt;
  }
  std::vector<Requirement> requirements;
  requirements.reserve(term.match_label_expressions.size());
  FieldErrors errors;
  for (const TopologySelectorLabelRequirement& expression : term.match_label_expressions) {
    auto requirement = compile_requirement(
        expression.key, Requirement::Operator::kIn, expression.values, "", errors);
    if (!requirement) {
      return std::nullopt;
    }
    requirements.push_back(*std::move(requirement));
  }
  return requirements;
}

}  // namespace

CompiledTopologies CompiledTopologies::compile(const std::vector<TopologySelectorTerm>& terms) {
  CompiledTopologies compiled;
  compiled.is_everything_ = terms.empty();
  for (const TopologySelectorTerm& term : terms) {
    if (auto requirements = compile_term(term)) {
      compiled.terms_.push_back(*std::move(requirements));
    }
  }
  return compiled;
}

bool CompiledTopologies::matches(const StringMap& labels) const {
  return is_everything_ ||
         std::ranges::any_of(terms_, [&labels](const std::vector<Requirement>& term) {
           return match_all(term, labels);
         });
}

void CompiledTopologies::narrow(const NodeLabelIndex& index,
                                NodeSet& nodes,
                                NodeScratch& scratch) const {
  nodes &= index.nodes();
  if (is_everything_) {
    return;
  }
  scratch.matched.resize(nodes.size());
  scratch.found.resize(nodes.size());
  scratch.matched.subtract(scratch.matched);
  for (const std::vector<Requirement>& term : terms_) {
    scratch.term = nodes;
    for (const Requirement& requirement : term) {
      index.narrow(requirement, scratch.term, scratch.found);
    }
    scratch.matched |= scratch.term;
  }
  nodes = scratch.matched;
}

}  // namespace berth::api
