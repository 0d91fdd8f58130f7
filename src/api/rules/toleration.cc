#include "api/rules/toleration.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/objects/affinity.h"
#include "api/rules/requirement.h"

namespace berth::api {
namespace {

// Stricter than what Gt and Lt of node selectors read: no plus sign, no leading zeros, no "-0".
std::optional<std::int64_t> canonical_integer(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool is_canonical = text == "0" || (!digits.starts_with('0') && !digits.starts_with('+'));
  return is_canonical ? label_number(text) : std::nullopt;
}

bool compares(const Toleration& toleration, const Taint& taint) {
  const std::optional<std::int64_t> bound = canonical_integer(toleration.value);
  const std::optional<std::int64_t> value = canonical_integer(taint.value);
  if (!bound || !value) {
    return false;
  }
  return toleration.op == "Gt" ? *value > *bound : *value < *bound;
}

}  // namespace

bool tolerates(const Toleration& toleration, const Taint& taint, ComparisonOperators comparison) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) {
    return false;
  }
  if (!toleration.key.empty() && toleration.key != taint.key) {
    return false;
  }
  if (toleration.op.empty() || toleration.op == "Equal") {
    return toleration.value == taint.value;
  }
  if (toleration.op == "Gt" || toleration.op == "Lt") {
    return comparison == ComparisonOperators::kOn && compares(toleration, taint);
  }
  return toleration.op == "Exists";
}

bool tolerates(const std::vector<Toleration>& tolerations,
               const Taint& taint,
               ComparisonOperators comparison) {
  return std::ranges::any_of(tolerations, [&](const Toleration& toleration) {
    return tolerates(toleration, taint, comparison);
  });
}

const Taint* find_untolerated(const std::vector<Taint>& taints,
                              const std::vector<Toleration>& tolerations,
                              ComparisonOperators comparison) {
  const auto found = std::ranges::find_if(taints, [&](const Taint& taint) {
    const bool keeps_away = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return keeps_away && !tolerates(tolerations, taint, comparison);
  });
  return found == taints.end() ? nullptr : &*found;
}

}  // namespace berth::api
