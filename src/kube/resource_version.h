// Which of two resourceVersions is newer.
//
// Since Kubernetes 1.35 they are promised to be decimal integers, of any length, that grow with
// each write. One that is not a number can only be the same as another or not.
#pragma once

#include <compare>
#include <string_view>

namespace berth::kube {

// `unordered` when nothing is known: they differ and one of them is not a number.
std::partial_ordering compare_versions(std::string_view a, std::string_view b);

// Whether who has seen `seen` has seen what happened at `version`.
bool includes_version(std::string_view seen, std::string_view version);

}  // namespace berth::kube
