// Rows of the set `quantity`.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/quantity.h"
#include "base/result.h"
#include "difference.h"

namespace berth::vector_check {

api::Quantity sum_of(const api::Quantity& a, const api::Quantity& b);
api::Quantity difference_of(const api::Quantity& a, const api::Quantity& b);

// The rules under test. The defaults are the product's; a test of this checker replaces one by a
// wrong rule and expects the rows that tell.
struct QuantityRules {
  using Quantity = api::Quantity;

  Result<Quantity> (*parse)(std::string_view text) = Quantity::parse;
  Result<Quantity> (*parse_json)(std::string_view token) = Quantity::parse_json;
  std::string (*canonical)(const Quantity& a) = [](const Quantity& a) { return a.canonical(); };
  std::int64_t (*value)(const Quantity& a) = [](const Quantity& a) { return a.value(); };
  std::int64_t (*wrapped_value)(const Quantity& a) = [](const Quantity& a) {
    return a.wrapped_value();
  };
  int (*compare)(const Quantity& a, const Quantity& b) = [](const Quantity& a, const Quantity& b) {
    return a.compare(b);
  };
  Quantity (*sum)(const Quantity& a, const Quantity& b) = sum_of;
  Quantity (*difference)(const Quantity& a, const Quantity& b) = difference_of;
};

bool is_quantity_row(const boost::json::object& row);

// Where a row records that upstream's int64 is not the right number (`exactValue`,
// `exactMilliValue`), ours is held against the right one, saturated to int64. What upstream makes
// of a number too large for int64 is held against wrapped_value().
Differences check_quantity_row(const boost::json::object& row, const QuantityRules& rules = {});

}  // namespace berth::vector_check
