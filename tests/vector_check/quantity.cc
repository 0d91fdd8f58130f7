#include "quantity.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "api/quantity.h"
#include "base/error.h"
#include "base/result.h"
#include "difference.h"

namespace berth::vector_check {

namespace {

namespace json = boost::json;
using api::Quantity;

std::string_view text_of(const json::object& row, std::string_view field) {
  return row.at(field).as_string();
}

std::int64_t saturated(std::string_view integer) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(integer.begin(), integer.end(), value);
  if (error == std::errc::result_out_of_range) {
    return integer.starts_with('-') ? std::numeric_limits<std::int64_t>::min()
                                    : std::numeric_limits<std::int64_t>::max();
  }
  return value;
}

// Upstream's integer where it is too small for the number; it rounds negative ones wrongly besides.
void keep_wrapped(json::object& expected) {
  const json::value* const exact = expected.if_contains("exactValue");
  if (exact != nullptr && !exact->as_string().starts_with('-')) {
    expected["wrappedValue"] = expected.at("value");
  }
}

// Puts the right integer in the place of the one upstream gets wrong.
void correct(json::object& expected, std::string_view field, std::string_view exact_field) {
  if (const json::value* exact = expected.if_contains(exact_field)) {
    expected[field] = saturated(exact->as_string());
  }
}

void put_integer(json::object& got,
                 const json::object& expected,
                 std::string_view field,
                 std::int64_t value,
                 std::string_view exact_field,
                 const std::string& exact) {
  got[field] = value;
  if (expected.contains(exact_field) || exact != std::to_string(value)) {
    got[exact_field] = exact;
  }
}

json::object facts_of(const Quantity& quantity,
                      const json::object& expected,
                      const QuantityRules& rules) {
  json::object got;
  got["ok"] = true;
  const std::string canonical = rules.canonical(quantity);
  got["canonical"] = canonical;
  if (const std::string printed = quantity.to_string(); printed != quantity.canonical()) {
    got["string"] = printed;
  }
  if (const std::string_view format = name_of(quantity.format()); !format.empty()) {
    got["format"] = format;
  }
  put_integer(got, expected, "value", rules.value(quantity), "exactValue", quantity.exact_value());
  put_integer(got,
              expected,
              "milliValue",
              quantity.milli_value(),
              "exactMilliValue",
              quantity.exact_milli_value());
  if (expected.contains("wrappedValue") ||
      (quantity.sign() > 0 && rules.wrapped_value(quantity) != quantity.value())) {
    got["wrappedValue"] = rules.wrapped_value(quantity);
  }
  got["sign"] = quantity.sign();
  got["isZero"] = quantity.is_zero();
  if (const auto integer = quantity.as_int64()) {
    got["asInt64"] = *integer;
  }
  const Result<Quantity> again = rules.parse(canonical);
  if (!again || again->compare(quantity) != 0) {
    got["canonicalLossy"] = true;
  }
  return got;
}

json::object facts_of(const Result<Quantity>& result,
                      const json::object& expected,
                      const QuantityRules& rules) {
  if (result) {
    return facts_of(*result, expected, rules);
  }
  return {{"ok", false},
          {"error", result.error().text()},
          {"value", 0},
          {"milliValue", 0},
          {"sign", 0},
          {"isZero", false}};
}

// Whether upstream's int64 is sure to be right, so that a comparison of two of them means
// something. It overflows in silence and rounds many negative quantities wrongly.
bool is_right_upstream(const Quantity& quantity) {
  return quantity.as_int64().has_value() ||
         (quantity.sign() >= 0 && quantity.exact_value() == std::to_string(quantity.value()));
}

int sign_of_difference(std::int64_t a, std::int64_t b) {
  return static_cast<int>(a > b) - static_cast<int>(a < b);
}

Differences check_pair(json::object expected, const QuantityRules& rules) {
  const Result<Quantity> a = rules.parse(text_of(expected, "a"));
  const Result<Quantity> b = rules.parse(text_of(expected, "b"));
  expected.stable_erase("a");
  expected.stable_erase("b");
  if (!a || !b) {
    const Error& error = a ? b.error() : a.error();
    return {{.path = a ? "b" : "a", .expected = "a quantity", .got = error.text()}};
  }
  json::object got;
  got["cmp"] = rules.compare(*a, *b);
  got["equal"] = rules.compare(*a, *b) == 0;
  if (is_right_upstream(*a) && is_right_upstream(*b)) {
    got["cmpValue"] = sign_of_difference(rules.value(*a), rules.value(*b));
  } else {
    expected.stable_erase("cmpValue");
  }
  for (const auto& [name, result] :
       {std::pair{"sum", rules.sum(*a, *b)}, std::pair{"diff", rules.difference(*a, *b)}}) {
    json::object& facts = expected.at(name).as_object();
    keep_wrapped(facts);
    correct(facts, "value", "exactValue");
    correct(facts, "milliValue", "exactMilliValue");
    got[name] = facts_of(result, facts, rules);
  }
  return compare(expected, got);
}

}  // namespace

Quantity sum_of(const Quantity& a, const Quantity& b) {
  Quantity result = a;
  result.add(b);
  return result;
}

Quantity difference_of(const Quantity& a, const Quantity& b) {
  Quantity result = a;
  result.subtract(b);
  return result;
}

bool is_quantity_row(const json::object& row) {
  const json::value* kind = row.if_contains("kind");
  return kind != nullptr && (*kind == "parse" || *kind == "json" || *kind == "pair");
}

Differences check_quantity_row(const json::object& row, const QuantityRules& rules) {
  json::object expected = row;
  for (const std::string_view about_the_row : {"id", "tags", "kind"}) {
    expected.stable_erase(about_the_row);
  }
  const std::string_view kind = text_of(row, "kind");
  if (kind == "pair") {
    return check_pair(std::move(expected), rules);
  }
  const bool is_json = kind == "json";
  const std::string_view input = is_json ? "json" : "in";
  const Result<Quantity> result =
      is_json ? rules.parse_json(text_of(row, input)) : rules.parse(text_of(row, input));
  expected.stable_erase(input);
  keep_wrapped(expected);
  correct(expected, "value", "exactValue");
  correct(expected, "milliValue", "exactMilliValue");
  return compare(expected, facts_of(result, expected, rules));
}

}  // namespace berth::vector_check
