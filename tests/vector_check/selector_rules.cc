// The product's rules, as the checker of `selectors` asks for them.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/box.h"
#include "api/objects/affinity.h"
#include "api/objects/meta.h"
#include "api/objects/node.h"
#include "api/objects/persistent_volume.h"
#include "api/objects/pod.h"
#include "api/rules/label_selector.h"
#include "api/rules/node_affinity.h"
#include "api/rules/node_label_index.h"
#include "api/rules/node_selector.h"
#include "api/rules/toleration.h"
#include "api/rules/topology_selector.h"
#include "base/node_set.h"
#include "base/result.h"
#include "selectors.h"

namespace berth::vector_check {

namespace {

using api::Node;
using api::NodeLabelIndex;
using api::NodeScratch;

Outcome outcome_of(const api::NodeMatch& match) {
  Outcome outcome{.is_match = match.is_match};
  if (match.error != nullptr) {
    outcome.error = match.error->text();
  }
  return outcome;
}

// An index of the node and of another one without labels, in a numbering with a gap.
constexpr std::size_t kNumber = 2;

void fill(NodeLabelIndex& index, const Node& node) {
  index.resize(kNumber + 1);
  index.set(kNumber, node.metadata.name, node.metadata.labels);
  index.set(0, node.metadata.name + "-other", {});
}

template <typename Compiled>
bool narrows_to(const Compiled& compiled, const Node& node) {
  NodeLabelIndex index;
  fill(index, node);
  NodeScratch scratch;
  NodeSet nodes = NodeSet::full(index.size());
  compiled.narrow(index, nodes, scratch);
  return nodes.test(kNumber);
}

constexpr NodeRules kNodeRules{
    .fault = [](const api::NodeSelector& selector) -> std::optional<std::string> {
      const auto compiled = api::CompiledNodeSelector::compile(selector);
      const std::optional<Error>& fault = compiled.fault();
      return fault ? std::optional(fault->text()) : std::nullopt;
    },
    .node_selector =
        [](const api::NodeSelector& selector, const Node& node) {
          const auto compiled = api::CompiledNodeSelector::compile(selector);
          return outcome_of(compiled.match(node.metadata.name, node.metadata.labels));
        },
    .required =
        [](const api::PodSpec& spec, const Node& node) {
          const auto compiled = api::RequiredNodeAffinity::compile(spec);
          return outcome_of(compiled.match(node.metadata.name, node.metadata.labels));
        },
    .preferred = [](const std::vector<api::PreferredSchedulingTerm>& terms,
                    const Node& node) -> Result<std::int64_t> {
      BERTH_TRY(const auto compiled, api::PreferredNodeAffinity::compile(terms));
      return compiled.score(node.metadata.name, node.metadata.labels);
    },
    .volume =
        [](const api::Box<api::VolumeNodeAffinity>& affinity, const Node& node) {
          const auto compiled = api::CompiledVolumeNodeAffinity::compile(affinity);
          return outcome_of(compiled.match(node.metadata.labels));
        },
    .topologies =
        [](const std::vector<api::TopologySelectorTerm>& terms, const Node& node) {
          return api::CompiledTopologies::compile(terms).matches(node.metadata.labels);
        },
};

constexpr NodeSetRules kNodeSetRules{
    .node_selector =
        [](const api::NodeSelector& selector, const Node& node) {
          return narrows_to(api::CompiledNodeSelector::compile(selector), node);
        },
    .required =
        [](const api::PodSpec& spec, const Node& node) {
          return narrows_to(api::RequiredNodeAffinity::compile(spec), node);
        },
    .preferred = [](const std::vector<api::PreferredSchedulingTerm>& terms,
                    const Node& node) -> std::int64_t {
      const auto compiled = api::PreferredNodeAffinity::compile(terms);
      if (!compiled) {
        return 0;
      }
      NodeLabelIndex index;
      fill(index, node);
      NodeScratch scratch;
      std::vector<std::int64_t> scores(index.size());
      compiled->add_scores(index, NodeSet::full(index.size()), scores, scratch);
      return scores[kNumber];
    },
    .volume =
        [](const api::Box<api::VolumeNodeAffinity>& affinity, const Node& node) {
          return narrows_to(api::CompiledVolumeNodeAffinity::compile(affinity), node);
        },
    .topologies =
        [](const std::vector<api::TopologySelectorTerm>& terms, const Node& node) {
          return narrows_to(api::CompiledTopologies::compile(terms), node);
        },
};

Result<bool> matches(const api::Box<api::LabelSelector>& selector, const api::StringMap& labels) {
  BERTH_TRY(const auto compiled, api::CompiledLabelSelector::compile(selector));
  return compiled.matches(labels);
}

}  // namespace

SelectorRules::SelectorRules()
    : node(kNodeRules),
      node_set(kNodeSetRules),
      label_selector(matches),
      tolerates(api::tolerates),
      untolerated(api::find_untolerated) {}

}  // namespace berth::vector_check
