#include "api/rules/node_selector.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/rules/field_errors.h"
#include "api/rules/node_label_index.h"
#include "api/rules/quoted.h"
#include "api/rules/requirement.h"
#include "base/node_set.h"

namespace berth::api {
namespace {

using Operator = Requirement::Operator;

std::string element(std::string_view path, std::string_view list, std::size_t index) {
  std::string result(path);
  result += list;
  result += '[';
  result += std::to_string(index);
  result += ']';
  return result;
}

std::optional<Requirement> compile_expression(const NodeSelectorRequirement& expression,
                                              std::string_view path,
                                              FieldErrors& errors) {
  const std::optional<Operator> op = find_operator(expression.op);
  if (!op) {
    errors.add_unsupported(std::string(path) + ".operator",
                           json_quoted(expression.op),
                           R"("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")");
    return std::nullopt;
  }
  return compile_requirement(expression.key, *op, expression.values, path, errors);
}

std::optional<FieldRequirement> compile_field(const NodeSelectorRequirement& expression,
                                              std::string_view path,
                                              FieldErrors& errors) {
  const std::optional<Operator> op = find_operator(expression.op);
  if (op != Operator::kIn && op != Operator::kNotIn) {
    errors.add_unsupported(
        std::string(path) + ".operator", json_quoted(expression.op), R"("In", "NotIn")");
    return std::nullopt;
  }
  if (expression.values.size() != 1) {
    errors.add_invalid(
        std::string(path) + ".values", json_quoted(expression.values), "must have one element");
    return std::nullopt;
  }
  return FieldRequirement{.is_name = expression.key == "metadata.name",
                          .is_negated = op == Operator::kNotIn,
                          .value = expression.values.front()};
}

void narrow_to_field(const FieldRequirement& field, const NodeLabelIndex& index, NodeSet& nodes) {
  if (!field.is_name) {
    if (!field.accepts("")) {
      nodes.subtract(nodes);
    }
    return;
  }
  const std::optional<std::size_t> named = index.find_node(field.value);
  if (field.is_negated) {
    if (named) {
      nodes.reset(*named);
    }
    return;
  }
  const bool is_candidate = named && nodes.test(*named);
  nodes.subtract(nodes);
  if (is_candidate) {
    nodes.set(*named);
  }
}

}  // namespace

std::optional<CompiledNodeSelectorTerm> CompiledNodeSelectorTerm::compile(
    const NodeSelectorTerm& term, std::string_view path, FieldErrors& errors) {
  CompiledNodeSelectorTerm compiled;
  const std::size_t errors_before = errors.count();
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    auto requirement = compile_expression(
        term.match_expressions[i], element(path, ".matchExpressions", i), errors);
    if (requirement) {
      compiled.labels_.push_back(*std::move(requirement));
    }
  }
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    auto field = compile_field(term.match_fields[i], element(path, ".matchFields", i), errors);
    if (field) {
      compiled.fields_.push_back(*std::move(field));
    }
  }
  if (errors.count() > errors_before) {
    return std::nullopt;
  }
  return compiled;
}

bool CompiledNodeSelectorTerm::is_empty(const NodeSelectorTerm& term) {
  return term.match_expressions.empty() && term.match_fields.empty();
}

bool CompiledNodeSelectorTerm::matches(std::string_view name, const StringMap& labels) const {
  return match_all(labels_, labels) &&
         std::ranges::all_of(fields_,
                             [name](const FieldRequirement& field) { return field.matches(name); });
}

void CompiledNodeSelectorTerm::narrow(const NodeLabelIndex& index,
                                      NodeSet& nodes,
                                      NodeSet& scratch) const {
  for (const FieldRequirement& field : fields_) {
    narrow_to_field(field, index, nodes);
  }
  for (const Requirement& requirement : labels_) {
    index.narrow(requirement, nodes, scratch);
  }
}

CompiledNodeSelector CompiledNodeSelector::compile(const NodeSelector& selector, Fields fields) {
  CompiledNodeSelector compiled;
  FieldErrors errors;
  for (std::size_t i = 0; i < selector.node_selector_terms.size(); ++i) {
    const NodeSelectorTerm& term = selector.node_selector_terms[i];
    if (CompiledNodeSelectorTerm::is_empty(term)) {
      continue;
    }
    auto compiled_term =
        CompiledNodeSelectorTerm::compile(term, element("", "nodeSelectorTerms", i), errors);
    if (!compiled_term) {
      continue;
    }
    if (fields == Fields::kIgnore) {
      compiled_term->forget_fields();
    }
    compiled.terms_.push_back(*std::move(compiled_term));
  }
  if (!errors.empty()) {
    compiled.fault_ = errors.error();
  }
  return compiled;
}

NodeMatch CompiledNodeSelector::match(std::string_view name, const StringMap& labels) const {
  const bool is_match = std::ranges::any_of(
      terms_, [&](const CompiledNodeSelectorTerm& term) { return term.matches(name, labels); });
  return {.is_match = is_match, .error = !is_match && fault_ ? &*fault_ : nullptr};
}

void CompiledNodeSelector::narrow(const NodeLabelIndex& index,
                                  NodeSet& nodes,
                                  NodeScratch& scratch) const {
  scratch.matched.resize(nodes.size());
  scratch.found.resize(nodes.size());
  scratch.matched.subtract(scratch.matched);
  nodes &= index.nodes();
  for (const CompiledNodeSelectorTerm& term : terms_) {
    scratch.term = nodes;
    term.narrow(index, scratch.term, scratch.found);
    scratch.matched |= scratch.term;
  }
  nodes = scratch.matched;
}

}  // namespace berth::api
