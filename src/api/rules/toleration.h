// Taints of nodes and the tolerations of pods.
#pragma once

#include <cstdint>
#include <vector>

#include "api/objects/affinity.h"

namespace berth::api {

// Whether the operators Gt and Lt of tolerations are known (the feature gate
// TaintTolerationComparisonOperators, off by default). Where they are not, a toleration that uses
// one tolerates nothing.
enum class ComparisonOperators : std::uint8_t { kOff, kOn };

// An empty effect stands for every effect and an empty key for every key. Equal, the default, wants
// the taint's value to be the same, Exists takes any; Gt and Lt compare integers, and a value that
// is not one in canonical form ("07", "+1", "") is not tolerated.
bool tolerates(const Toleration& toleration, const Taint& taint, ComparisonOperators comparison);

bool tolerates(const std::vector<Toleration>& tolerations,
               const Taint& taint,
               ComparisonOperators comparison);

// The first taint that keeps pods away (NoSchedule, NoExecute) and is not tolerated, or nullptr.
const Taint* find_untolerated(const std::vector<Taint>& taints,
                              const std::vector<Toleration>& tolerations,
                              ComparisonOperators comparison);

}  // namespace berth::api
