// Field selectors as they stand in requests: "path=value" or "path==value" or "path!=value",
// separated by commas. In a value a backslash takes ',', '=' and '\' their meaning.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rules/quoted.h"
#include "base/error.h"
#include "base/result.h"
#include "world/kind_rules.h"
#include "world/selector_internal.h"
#include "world/tree_internal.h"

namespace berth::world {
namespace {

// Where the next `symbol` stands that no backslash has taken its meaning.
std::size_t find_plain(std::string_view text, char symbol) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == symbol) {
      return i;
    }
    if (text[i] == '\\') {
      ++i;
    }
  }
  return std::string_view::npos;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=' || text[i] == ',') {
      return std::nullopt;
    }
    if (text[i] == '\\') {
      ++i;
      if (i == text.size() || std::string_view("\\,=").find(text[i]) == std::string_view::npos) {
        return std::nullopt;
      }
    }
    plain += text[i];
  }
  return plain;
}

// nullptr for a field that cannot be selected by.
const SelectableField* find_field(std::string_view path, const KindRules& rules) {
  static constexpr SelectableField kName{"metadata.name"};
  static constexpr SelectableField kNamespace{"metadata.namespace"};
  if (path == kName.path) {
    return &kName;
  }
  if (path == kNamespace.path) {
    return &kNamespace;
  }
  const auto found = std::find_if(rules.fields.begin(),
                                  rules.fields.end(),
                                  [&](const SelectableField& field) { return field.path == path; });
  return found == rules.fields.end() ? nullptr : &*found;
}

Result<FieldRequirement> parse_term(std::string_view term, const KindRules& rules) {
  const std::size_t equals = term.find('=');
  if (equals == std::string_view::npos) {
    return Error(ErrorCode::kInvalid,
                 fmt::format("field selector {}: found no operator", api::quoted(term)));
  }
  const bool is_negated = equals > 0 && term[equals - 1] == '!';
  const std::string_view path = term.substr(0, is_negated ? equals - 1 : equals);
  std::string_view escaped = term.substr(equals + 1);
  if (!is_negated && escaped.starts_with('=')) {
    escaped.remove_prefix(1);
  }
  std::optional<std::string> value = unescaped(escaped);
  if (!value) {
    return Error(
        ErrorCode::kInvalid,
        fmt::format("field selector {}: the value is not escaped properly", api::quoted(term)));
  }
  const SelectableField* field = find_field(path, rules);
  if (field == nullptr) {
    return Error(ErrorCode::kInvalid,
                 fmt::format("field selector {}: {} cannot be selected by this field",
                             api::quoted(term),
                             rules.kind().plural));
  }
  return FieldRequirement{.path = std::string(path),
                          .value = *std::move(value),
                          .absent = field->absent,
                          .is_negated = is_negated};
}

}  // namespace

bool FieldRequirement::matches(const json::object& tree) const {
  const json::value* found = find_at(tree, path);
  std::string_view text = absent;
  if (found != nullptr && found->is_string()) {
    text = view_of(found->get_string());
  } else if (found != nullptr && found->is_bool()) {
    text = found->get_bool() ? "true" : "false";
  }
  return (text == value) != is_negated;
}

Result<std::vector<FieldRequirement>> parse_field_selector(std::string_view text,
                                                           const KindRules& rules) {
  std::vector<FieldRequirement> requirements;
  while (!text.empty()) {
    const std::size_t comma = find_plain(text, ',');
    const std::string_view term = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    if (term.empty()) {
      continue;
    }
    BERTH_TRY(FieldRequirement requirement, parse_term(term, rules));
    requirements.push_back(std::move(requirement));
  }
  return requirements;
}

}  // namespace berth::world
