#include "api/rules/label_selector.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/box.h"
#include "api/objects/meta.h"
#include "api/rules/field_errors.h"
#include "api/rules/quoted.h"
#include "api/rules/requirement.h"
#include "base/error.h"
#include "base/result.h"

namespace berth::api {
namespace {

using Operator = Requirement::Operator;

Result<Requirement> compile(std::string_view key,
                            Operator op,
                            const std::vector<std::string>& values) {
  FieldErrors errors;
  std::optional<Requirement> requirement = compile_requirement(key, op, values, "", errors);
  if (!requirement) {
    return errors.error();
  }
  return *std::move(requirement);
}

Result<Requirement> compile(const LabelSelectorRequirement& expression) {
  const std::optional<Operator> op = find_operator(expression.op);
  if (!op || *op == Operator::kGt || *op == Operator::kLt) {
    return Error(ErrorCode::kInvalid,
                 api::quoted(expression.op) + " is not a valid label selector operator");
  }
  return compile(expression.key, *op, expression.values);
}

}  // namespace

Result<CompiledLabelSelector> CompiledLabelSelector::compile(const Box<LabelSelector>& selector) {
  if (!selector) {
    return CompiledLabelSelector(true, {});
  }
  return compile(*selector);
}

Result<CompiledLabelSelector> CompiledLabelSelector::compile(const LabelSelector& selector) {
  std::vector<Requirement> requirements;
  requirements.reserve(selector.match_labels.size() + selector.match_expressions.size());
  for (const auto& [key, value] : selector.match_labels) {
    BERTH_TRY(Requirement requirement, api::compile(key, Operator::kIn, {value}));
    requirements.push_back(std::move(requirement));
  }
  for (const LabelSelectorRequirement& expression : selector.match_expressions) {
    BERTH_TRY(Requirement requirement, api::compile(expression));
    requirements.push_back(std::move(requirement));
  }
  return CompiledLabelSelector(false, std::move(requirements));
}

CompiledLabelSelector CompiledLabelSelector::with_labels(const StringMap& labels) {
  std::vector<Requirement> requirements;
  requirements.reserve(labels.size());
  for (const auto& [key, value] : labels) {
    requirements.push_back(exact_requirement(key, value));
  }
  return {false, std::move(requirements)};
}

}  // namespace berth::api
