#include "kube/resource_version.h"

#include <algorithm>
#include <compare>
#include <string_view>

namespace berth::kube {
namespace {

bool is_number(std::string_view version) {
  return !version.empty() && version.front() != '0' &&
         std::ranges::all_of(version, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::partial_ordering compare_versions(std::string_view a, std::string_view b) {
  if (a == b) {
    return std::partial_ordering::equivalent;
  }
  if (!is_number(a) || !is_number(b)) {
    return std::partial_ordering::unordered;
  }
  // Of any length: the longer one is larger, and digits compare as text.
  return a.size() != b.size() ? a.size() <=> b.size() : a <=> b;
}

bool includes_version(std::string_view seen, std::string_view version) {
  return std::is_gteq(compare_versions(seen, version));
}

}  // namespace berth::kube
