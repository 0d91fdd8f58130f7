#include "volumes/reach.h"

#include <algorithm>
#include <string>
#include <vector>

#include "api/box.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/meta.h"
#include "api/objects/persistent_volume.h"
#include "api/rules/label_selector.h"
#include "api/rules/node_selector.h"
#include "api/rules/requirement.h"
#include "api/rules/topology_selector.h"

namespace berth::volumes {
namespace {

constexpr const char* kNoMatch = "no matching NodeSelectorTerms";

// Texts of labels hold no control characters, so these keep the parts of an identity apart.
constexpr char kTermEnd = '\x01';
constexpr char kRequirementEnd = '\x02';
constexpr char kPartEnd = '\x03';

void append(const api::Requirement& requirement, std::string& identity) {
  identity += requirement.key;
  identity += kPartEnd;
  identity += std::to_string(static_cast<int>(requirement.op));
  identity += kPartEnd;
  identity += std::to_string(requirement.bound);
  for (const std::string& value : requirement.values) {
    identity += kPartEnd;
    identity += value;
  }
  identity += kRequirementEnd;
}

}  // namespace

Reach Reach::of_affinity(const api::Box<api::VolumeNodeAffinity>& affinity) {
  Reach reach;
  reach.mismatch_text_ = kNoMatch;
  if (!affinity || !affinity->required) {
    reach.terms_.emplace_back();
    return reach;
  }
  const auto compiled = api::CompiledNodeSelector::compile(
      *affinity->required, api::CompiledNodeSelector::Fields::kIgnore);
  if (compiled.fault()) {
    reach.mismatch_text_ = compiled.fault()->text();
  }
  for (const api::CompiledNodeSelectorTerm& term : compiled.terms()) {
    reach.terms_.push_back(term.requirements());
  }
  return reach;
}

Reach Reach::of_topologies(const std::vector<api::TopologySelectorTerm>& terms) {
  Reach reach;
  reach.mismatch_text_ = kNoMatch;
  const auto compiled = api::CompiledTopologies::compile(terms);
  if (compiled.is_everything()) {
    reach.terms_.emplace_back();
  } else {
    reach.terms_ = compiled.terms();
  }
  return reach;
}

Reach Reach::of_selector(const api::Box<api::LabelSelector>& selector) {
  Reach reach;
  reach.mismatch_text_ = kNoMatch;
  const auto compiled = api::CompiledLabelSelector::compile(selector);
  if (compiled && !compiled->is_nothing()) {
    reach.terms_.push_back(compiled->requirements());
  }
  return reach;
}

bool Reach::matches(const api::StringMap& labels) const {
  return std::ranges::any_of(terms_,
                             [&labels](const Term& term) { return api::match_all(term, labels); });
}

bool Reach::is_everywhere() const {
  return std::ranges::any_of(terms_, [](const Term& term) { return term.empty(); });
}

std::string Reach::identity() const {
  std::string identity = mismatch_text_;
  for (const Term& term : terms_) {
    identity += kTermEnd;
    for (const api::Requirement& requirement : term) {
      append(requirement, identity);
    }
  }
  return identity;
}

}  // namespace berth::volumes
