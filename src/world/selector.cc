#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rules/requirement.h"
#include "kube/object_key.h"
#include "world/kind_rules.h"
#include "world/selector_internal.h"
#include "world/tree_internal.h"
#include "world/version_internal.h"

namespace berth::world {
namespace {

bool matches_label(const api::Requirement& requirement, const json::object* labels) {
  const json::value* label = labels != nullptr ? labels->if_contains(requirement.key) : nullptr;
  if (label == nullptr || !label->is_string()) {
    return requirement.accepts_absent();
  }
  const std::string_view value = view_of(label->get_string());
  return requirement.accepts(value, api::label_number(value));
}

}  // namespace

Selector::Selector(const KindRules& rules,
                   std::string ns,
                   std::vector<api::Requirement> labels,
                   std::vector<FieldRequirement> fields)
    : rules_(rules), ns_(std::move(ns)), labels_(std::move(labels)), fields_(std::move(fields)) {}

bool Selector::matches(const kube::ObjectKey& key, const Version& version) const {
  if (!ns_.empty() && ns_ != key.ns) {
    return false;
  }
  const json::object* labels =
      labels_.empty() ? nullptr : find_object(version.metadata(), "labels");
  return std::all_of(labels_.begin(),
                     labels_.end(),
                     [&](const api::Requirement& requirement) {
                       return matches_label(requirement, labels);
                     }) &&
         std::all_of(fields_.begin(), fields_.end(), [&](const FieldRequirement& requirement) {
           return requirement.matches(version.tree());
         });
}

}  // namespace berth::world
