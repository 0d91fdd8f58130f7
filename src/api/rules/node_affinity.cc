#include "api/rules/node_affinity.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/box.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/pod.h"
#include "api/rules/field_errors.h"
#include "api/rules/label_selector.h"
#include "api/rules/node_label_index.h"
#include "api/rules/node_selector.h"
#include "api/rules/requirement.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/node_set.h"
#include "base/result.h"

namespace berth::api {

RequiredNodeAffinity RequiredNodeAffinity::compile(const PodSpec& spec) {
  RequiredNodeAffinity compiled(CompiledLabelSelector::with_labels(spec.node_selector));
  if (spec.affinity && spec.affinity->node_affinity) {
    const NodeAffinity& affinity = *spec.affinity->node_affinity;
    if (const auto& required = affinity.required_during_scheduling_ignored_during_execution) {
      compiled.affinity_ = CompiledNodeSelector::compile(*required);
    }
  }
  return compiled;
}

const Error* RequiredNodeAffinity::fault() const {
  if (!affinity_) {
    return nullptr;
  }
  const std::optional<Error>& fault = affinity_->fault();
  return fault ? &*fault : nullptr;
}

NodeMatch RequiredNodeAffinity::match(std::string_view name, const StringMap& labels) const {
  if (!labels_.matches(labels)) {
    return {.is_match = false};
  }
  return affinity_ ? affinity_->match(name, labels) : NodeMatch{.is_match = true};
}

void RequiredNodeAffinity::narrow(const NodeLabelIndex& index,
                                  NodeSet& nodes,
                                  NodeScratch& scratch) const {
  nodes &= index.nodes();
  scratch.found.resize(nodes.size());
  for (const Requirement& requirement : labels_.requirements()) {
    index.narrow(requirement, nodes, scratch.found);
  }
  if (affinity_) {
    affinity_->narrow(index, nodes, scratch);
  }
}

Result<PreferredNodeAffinity> PreferredNodeAffinity::compile(
    const std::vector<PreferredSchedulingTerm>& terms) {
  PreferredNodeAffinity compiled;
  FieldErrors errors;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const PreferredSchedulingTerm& term = terms[i];
    if (term.weight == 0 || CompiledNodeSelectorTerm::is_empty(term.preference)) {
      continue;
    }
    auto compiled_term =
        CompiledNodeSelectorTerm::compile(term.preference, "[" + std::to_string(i) + "]", errors);
    if (compiled_term) {
      compiled.terms_.push_back({.weight = term.weight, .term = *std::move(compiled_term)});
    }
  }
  if (!errors.empty()) {
    return errors.error();
  }
  return compiled;
}

std::int64_t PreferredNodeAffinity::score(std::string_view name, const StringMap& labels) const {
  std::int64_t score = 0;
  for (const Term& term : terms_) {
    if (term.term.matches(name, labels)) {
      score += term.weight;
    }
  }
  return score;
}

void PreferredNodeAffinity::add_scores(const NodeLabelIndex& index,
                                       const NodeSet& nodes,
                                       std::span<std::int64_t> scores,
                                       NodeScratch& scratch) const {
  BERTH_ASSERT(scores.size() == index.size(), "there is a score for each number");
  scratch.found.resize(nodes.size());
  for (const Term& term : terms_) {
    scratch.term = nodes;
    scratch.term &= index.nodes();
    term.term.narrow(index, scratch.term, scratch.found);
    scratch.term.for_each([&](std::size_t node) { scores[node] += term.weight; });
  }
}

CompiledVolumeNodeAffinity CompiledVolumeNodeAffinity::compile(
    const Box<VolumeNodeAffinity>& affinity) {
  CompiledVolumeNodeAffinity compiled;
  if (affinity && affinity->required) {
    compiled.required_ =
        CompiledNodeSelector::compile(*affinity->required, CompiledNodeSelector::Fields::kIgnore);
  }
  return compiled;
}

NodeMatch CompiledVolumeNodeAffinity::match(const StringMap& labels) const {
  if (!required_) {
    return {.is_match = true};
  }
  NodeMatch match = required_->match("", labels);
  if (!match.is_match && match.error == nullptr) {
    match.error = &no_match_;
  }
  return match;
}

void CompiledVolumeNodeAffinity::narrow(const NodeLabelIndex& index,
                                        NodeSet& nodes,
                                        NodeScratch& scratch) const {
  nodes &= index.nodes();
  if (required_) {
    required_->narrow(index, nodes, scratch);
  }
}

}  // namespace berth::api
