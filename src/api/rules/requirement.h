// One condition on a label, compiled: the key, the operator and what to compare with.
//
// This is the one place that knows what the operators mean; label selectors, node selectors and
// allowed topologies are lists of requirements. A requirement is evaluated against one object's
// labels with matches(), or against many nodes at once by a NodeLabelIndex, which asks accepts()
// and accepts_absent().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/members.h"
#include "api/rules/field_errors.h"

namespace berth::api {

struct Requirement {
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

  std::string key;
  Operator op = Operator::kExists;
  std::vector<std::string> values;  // kIn, kNotIn: ascending, distinct
  std::int64_t bound = 0;           // kGt, kLt

  // Whether an object with `labels` fulfils it. Allocates nothing.
  bool matches(const StringMap& labels) const;

  // Whether an object whose label `key` has this value fulfils it. `number` is label_number(value),
  // for callers that keep it.
  bool accepts(std::string_view value, std::optional<std::int64_t> number) const;
  // Whether an object without the label fulfils it.
  bool accepts_absent() const { return op == Operator::kNotIn || op == Operator::kDoesNotExist; }
};

// What kGt and kLt read: a decimal integer of 64 bits with an optional sign, leading zeros allowed.
// Nothing for any other text; a label with such a value is neither greater nor less.
std::optional<std::int64_t> label_number(std::string_view value);

// "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt".
std::optional<Requirement::Operator> find_operator(std::string_view name);

// Nothing if the key, a value or the number of values is not allowed; what is wrong then stands in
// `errors`, below `path` ("nodeSelectorTerms[0].matchExpressions[1]", or empty).
std::optional<Requirement> compile_requirement(std::string_view key,
                                               Requirement::Operator op,
                                               const std::vector<std::string>& values,
                                               std::string_view path,
                                               FieldErrors& errors);

// The label `key` must be there with this value. Nothing is checked.
Requirement exact_requirement(std::string_view key, std::string_view value);

bool match_all(const std::vector<Requirement>& requirements, const StringMap& labels);

}  // namespace berth::api
