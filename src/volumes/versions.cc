#include "volumes/versions.h"

#include <algorithm>
#include <string_view>

#include "api/text.h"

namespace berth::volumes {
namespace {

bool is_number(std::string_view version) {
  return !version.empty() && version.front() != '0' && std::ranges::all_of(version, api::is_digit);
}

}  // namespace

bool is_newer(std::string_view a, std::string_view b) {
  if (!is_number(a) || !is_number(b)) {
    return false;
  }
  // Of any length: the longer one is larger, and digits compare as text.
  return a.size() != b.size() ? a.size() > b.size() : a > b;
}

bool has_seen(std::string_view seen, std::string_view version) {
  return seen == version || is_newer(seen, version);
}

}  // namespace berth::volumes
