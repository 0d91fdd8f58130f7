#include "api/rules/requirement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "api/members.h"
#include "api/rules/field_errors.h"
#include "api/rules/label_syntax.h"
#include "api/rules/quoted.h"

namespace berth::api {
namespace {

using Operator = Requirement::Operator;

std::string child(std::string_view path, std::string_view name) {
  std::string result(path);
  if (!path.empty()) {
    result += '.';
  }
  result += name;
  return result;
}

std::string at(std::string_view path, std::size_t index) {
  return std::string(path) + '[' + std::to_string(index) + ']';
}

void check_value_count(Operator op,
                       const std::vector<std::string>& values,
                       std::string_view path,
                       FieldErrors& errors) {
  const auto refuse = [&](std::string_view detail) {
    errors.add_invalid(path, json_quoted(values), detail);
  };
  switch (op) {
    case Operator::kIn:
    case Operator::kNotIn:
      if (values.empty()) {
        refuse("for 'in', 'notin' operators, values set can't be empty");
      }
      return;
    case Operator::kExists:
    case Operator::kDoesNotExist:
      if (!values.empty()) {
        refuse("values set must be empty for exists and does not exist");
      }
      return;
    case Operator::kGt:
    case Operator::kLt:
      if (values.size() != 1) {
        refuse("for 'Gt', 'Lt' operators, exactly one value is required");
      }
      return;
  }
}

void check_values(std::string_view key,
                  Operator op,
                  const std::vector<std::string>& values,
                  std::string_view path,
                  FieldErrors& errors) {
  if (op == Operator::kGt || op == Operator::kLt) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (label_number(values[i])) {
        continue;
      }
      if (errors.add_unread()) {
        return;
      }
      errors.add_invalid(
          at(path, i), quoted(values[i]), "for 'Gt', 'Lt' operators, the value must be an integer");
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_label_value(values[i])) {
      continue;
    }
    if (errors.add_unread()) {
      return;
    }
    errors.add_invalid(at(path, i) + '[' + std::string(key) + ']',
                       quoted(values[i]),
                       label_value_faults(values[i]));
  }
}

}  // namespace

bool Requirement::matches(const StringMap& labels) const {
  const auto label = labels.find(key);
  if (label == labels.end()) {
    return accepts_absent();
  }
  const bool is_numeric = op == Operator::kGt || op == Operator::kLt;
  return accepts(label->second, is_numeric ? label_number(label->second) : std::nullopt);
}

bool Requirement::accepts(std::string_view value, std::optional<std::int64_t> number) const {
  switch (op) {
    case Operator::kIn:
      return std::binary_search(values.begin(), values.end(), value);
    case Operator::kNotIn:
      return !std::binary_search(values.begin(), values.end(), value);
    case Operator::kExists:
      return true;
    case Operator::kDoesNotExist:
      return false;
    case Operator::kGt:
      return number.has_value() && *number > bound;
    case Operator::kLt:
      return number.has_value() && *number < bound;
  }
  return false;
}

std::optional<std::int64_t> label_number(std::string_view value) {
  // std::from_chars knows the sign '-' only.
  if (value.starts_with('+')) {
    value.remove_prefix(1);
    if (value.starts_with('-')) {
      return std::nullopt;
    }
  }
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || rest != end) {
    return std::nullopt;
  }
  return number;
}

std::optional<Operator> find_operator(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Operator>, 6> kNames{{
      {"In", Operator::kIn},
      {"NotIn", Operator::kNotIn},
      {"Exists", Operator::kExists},
      {"DoesNotExist", Operator::kDoesNotExist},
      {"Gt", Operator::kGt},
      {"Lt", Operator::kLt},
  }};
  for (const auto& [known, op] : kNames) {
    if (known == name) {
      return op;
    }
  }
  return std::nullopt;
}

std::optional<Requirement> compile_requirement(std::string_view key,
                                               Operator op,
                                               const std::vector<std::string>& values,
                                               std::string_view path,
                                               FieldErrors& errors) {
  const std::size_t errors_before = errors.count();
  if (!is_label_key(key)) {
    errors.add_invalid(child(path, "key"), quoted(key), label_key_faults(key));
  }
  const std::string values_path = child(path, "values");
  check_value_count(op, values, values_path, errors);
  check_values(key, op, values, values_path, errors);
  if (errors.count() > errors_before) {
    return std::nullopt;
  }

  Requirement requirement{.key = std::string(key), .op = op};
  if (op == Operator::kGt || op == Operator::kLt) {
    requirement.bound = label_number(values.front()).value_or(0);
  } else {
    requirement.values = values;
    std::ranges::sort(requirement.values);
    const auto repeated = std::ranges::unique(requirement.values);
    requirement.values.erase(repeated.begin(), repeated.end());
  }
  return requirement;
}

Requirement exact_requirement(std::string_view key, std::string_view value) {
  return {.key = std::string(key), .op = Operator::kIn, .values = {std::string(value)}};
}

bool match_all(const std::vector<Requirement>& requirements, const StringMap& labels) {
  return std::ranges::all_of(requirements, [&labels](const Requirement& requirement) {
    return requirement.matches(labels);
  });
}

}  // namespace berth::api
