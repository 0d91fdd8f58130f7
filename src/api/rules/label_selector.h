// Label selectors, compiled once and evaluated many times.
//
//   BERTH_TRY(const auto selector, CompiledLabelSelector::compile(spec.selector));
//   if (selector.matches(pod.metadata.labels)) { ... }
#pragma once

#include <utility>
#include <vector>

#include "api/box.h"
#include "api/members.h"
#include "api/objects/meta.h"
#include "api/rules/requirement.h"
#include "base/result.h"

namespace berth::api {

class CompiledLabelSelector {
 public:
  // An absent selector selects nothing, an empty one everything. kInvalid with upstream's text for
  // the first requirement that is wrong, matchLabels in the order of their keys first.
  static Result<CompiledLabelSelector> compile(const Box<LabelSelector>& selector);
  static Result<CompiledLabelSelector> compile(const LabelSelector& selector);
  // Selects what has all these labels: a pod's nodeSelector, a Service's selector. An empty map
  // selects everything. As upstream, neither keys nor values are checked.
  static CompiledLabelSelector with_labels(const StringMap& labels);

  // Allocates nothing.
  bool matches(const StringMap& labels) const {
    return !is_nothing_ && match_all(requirements_, labels);
  }
  bool is_nothing() const { return is_nothing_; }
  bool is_everything() const { return !is_nothing_ && requirements_.empty(); }
  // All must be fulfilled. Empty also for what selects nothing.
  const std::vector<Requirement>& requirements() const { return requirements_; }

 private:
  CompiledLabelSelector(bool is_nothing, std::vector<Requirement> requirements)
      : is_nothing_(is_nothing), requirements_(std::move(requirements)) {}

  bool is_nothing_;
  std::vector<Requirement> requirements_;
};

}  // namespace berth::api
