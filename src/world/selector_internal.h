// A selection whose selectors have been understood.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/rules/requirement.h"
#include "base/result.h"
#include "kube/object_key.h"
#include "world/kind_rules.h"
#include "world/version_internal.h"

namespace berth::world {

struct FieldRequirement {
  std::string path;
  std::string value;
  std::string_view absent;  // what a document without the field is taken to say
  bool is_negated = false;

  bool matches(const json::object& tree) const;
};

// "app=web,tier in (front, back),!canary"
Result<std::vector<api::Requirement>> parse_label_selector(std::string_view text);
// "spec.nodeName=,status.phase!=Failed"
Result<std::vector<FieldRequirement>> parse_field_selector(std::string_view text,
                                                           const KindRules& rules);

class Selector {
 public:
  Selector(const KindRules& rules,
           std::string ns,
           std::vector<api::Requirement> labels,
           std::vector<FieldRequirement> fields);

  const KindRules& rules() const { return rules_; }
  const std::string& ns() const { return ns_; }
  bool matches(const kube::ObjectKey& key, const Version& version) const;

 private:
  const KindRules& rules_;
  std::string ns_;
  std::vector<api::Requirement> labels_;
  std::vector<FieldRequirement> fields_;
};

}  // namespace berth::world
