#include "difference.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace berth::vector_check {

namespace {

namespace json = boost::json;

constexpr const char* kAbsent = "(absent)";

std::string join(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

void compare_values(const std::string& path,
                    const json::value* expected,
                    const json::value* got,
                    Differences& differences) {
  if (expected != nullptr && got != nullptr && *expected == *got) {
    return;
  }
  if (expected != nullptr && got != nullptr && expected->is_object() && got->is_object()) {
    for (const auto& field : expected->get_object()) {
      compare_values(join(path, field.key()),
                     &field.value(),
                     got->get_object().if_contains(field.key()),
                     differences);
    }
    for (const auto& field : got->get_object()) {
      if (!expected->get_object().contains(field.key())) {
        compare_values(join(path, field.key()), nullptr, &field.value(), differences);
      }
    }
    return;
  }
  if (expected != nullptr && got != nullptr && expected->is_array() && got->is_array()) {
    const json::array& left = expected->get_array();
    const json::array& right = got->get_array();
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      compare_values(
          join(path, std::to_string(i)), left.if_contains(i), right.if_contains(i), differences);
    }
    return;
  }
  differences.push_back({.path = path,
                         .expected = expected == nullptr ? kAbsent : json::serialize(*expected),
                         .got = got == nullptr ? kAbsent : json::serialize(*got)});
}

}  // namespace

Differences compare(const json::object& expected, const json::object& got) {
  Differences differences;
  const json::value left(expected);
  const json::value right(got);
  compare_values("", &left, &right, differences);
  return differences;
}

}  // namespace berth::vector_check
