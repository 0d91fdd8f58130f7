// Label selectors as they stand in requests:
//
//   selector    = [ requirement { "," requirement } ]
//   requirement = "!" key
//               | key [ "=" value | "==" value | "!=" value | ">" value | "<" value
//                     | "in" "(" values ")" | "notin" "(" values ")" ]
//   values      = value { "," value }
//
// A value may be empty. Keys and values are checked by api/rules/requirement.h.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rules/field_errors.h"
#include "api/rules/quoted.h"
#include "api/rules/requirement.h"
#include "base/error.h"
#include "base/result.h"
#include "world/selector_internal.h"

namespace berth::world {
namespace {

using Operator = api::Requirement::Operator;

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kSymbols = "=!(),<>";

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) { advance(); }

  Result<std::vector<api::Requirement>> parse() {
    std::vector<api::Requirement> requirements;
    if (token_.empty()) {
      return requirements;
    }
    while (true) {
      BERTH_TRY(api::Requirement requirement, parse_requirement());
      requirements.push_back(std::move(requirement));
      if (token_.empty()) {
        return requirements;
      }
      if (!accept(",")) {
        return unexpected("',' or the end");
      }
    }
  }

 private:
  // The next symbol or word; empty at the end.
  void advance() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size()));
    std::size_t length = 0;
    if (!rest_.empty() && kSymbols.find(rest_.front()) != std::string_view::npos) {
      length = rest_.starts_with("==") || rest_.starts_with("!=") ? 2 : 1;
    } else {
      while (length < rest_.size() && kSymbols.find(rest_[length]) == std::string_view::npos &&
             kSpaces.find(rest_[length]) == std::string_view::npos) {
        ++length;
      }
    }
    token_ = rest_.substr(0, length);
    rest_.remove_prefix(length);
  }

  bool accept(std::string_view expected) {
    if (token_ != expected) {
      return false;
    }
    advance();
    return true;
  }

  bool is_word() const {
    return !token_.empty() && kSymbols.find(token_.front()) == std::string_view::npos;
  }

  std::string take_word() {
    if (!is_word()) {
      return {};
    }
    std::string word(token_);
    advance();
    return word;
  }

  Error unexpected(std::string_view expected) const {
    return {
        ErrorCode::kInvalid,
        fmt::format(
            "label selector {}: found '{}', expected {}", api::quoted(text_), token_, expected)};
  }

  Result<api::Requirement> parse_requirement() {
    const bool must_be_absent = accept("!");
    if (!is_word()) {
      return unexpected("a key");
    }
    const std::string key = take_word();
    if (must_be_absent) {
      return compiled(key, Operator::kDoesNotExist, {});
    }
    if (token_.empty() || token_ == ",") {
      return compiled(key, Operator::kExists, {});
    }
    if (accept("=") || accept("==")) {
      return compiled(key, Operator::kIn, {take_word()});
    }
    if (accept("!=")) {
      return compiled(key, Operator::kNotIn, {take_word()});
    }
    if (accept(">")) {
      return compiled(key, Operator::kGt, {take_word()});
    }
    if (accept("<")) {
      return compiled(key, Operator::kLt, {take_word()});
    }
    if (token_ == "in" || token_ == "notin") {
      const Operator op = token_ == "in" ? Operator::kIn : Operator::kNotIn;
      advance();
      BERTH_TRY(const std::vector<std::string> values, parse_values());
      return compiled(key, op, values);
    }
    return unexpected("an operator");
  }

  Result<std::vector<std::string>> parse_values() {
    if (!accept("(")) {
      return unexpected("'('");
    }
    std::vector<std::string> values{take_word()};
    while (accept(",")) {
      values.push_back(take_word());
    }
    if (!accept(")")) {
      return unexpected("',' or ')'");
    }
    return values;
  }

  Result<api::Requirement> compiled(const std::string& key,
                                    Operator op,
                                    const std::vector<std::string>& values) const {
    api::FieldErrors errors;
    std::optional<api::Requirement> requirement =
        api::compile_requirement(key, op, values, "", errors);
    if (!requirement) {
      return errors.error().in("label selector " + api::quoted(text_));
    }
    return *std::move(requirement);
  }

  std::string_view text_;
  std::string_view rest_;
  std::string_view token_;
};

}  // namespace

Result<std::vector<api::Requirement>> parse_label_selector(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace berth::world
