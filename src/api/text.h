// Digits and white space, for every parser in this room.
#pragma once

#include <string_view>

namespace berth::api {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// White space as JSON knows it.
constexpr bool is_json_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Without the white space of JSON around it.
std::string_view trimmed(std::string_view text);

}  // namespace berth::api
