#include "kube/config/near_names.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::kube::config {
namespace {

// Far longer than any field, so that the comparison stays cheap whatever a file holds.
constexpr std::size_t kNameMax = 64;

std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != '-' && c != '_') {
      text.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    }
  }
  return text;
}

// Letters to insert, leave out, replace or swap with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = std::exchange(last, std::move(row));
  }
  return last.back();
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  constexpr std::size_t kTooShort = 3;
  constexpr std::size_t kShort = 5;
  if (name.size() > kNameMax) {
    return {};
  }
  const std::string ours = plain(name);
  std::string_view nearest;
  std::size_t nearest_distance = 3;
  for (const std::string_view candidate : known) {
    const std::string theirs = plain(candidate);
    if (theirs.size() <= kTooShort) {
      continue;
    }
    const std::size_t away = distance(ours, theirs);
    const std::size_t allowed = theirs.size() <= kShort ? 1 : 2;
    if (away <= allowed && away < nearest_distance) {
      nearest = candidate;
      nearest_distance = away;
    }
  }
  return nearest;
}

}  // namespace berth::kube::config
