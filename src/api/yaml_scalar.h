// What an unquoted word of YAML means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::api {

struct YamlScalar {
  enum class Type : std::uint8_t { kString, kNull, kBool, kInteger, kFloat, kNotFinite };
  Type type;
  // As JSON: the number, true, false or null; for a string the word itself, not quoted.
  std::string text;
};

YamlScalar resolve_yaml_scalar(std::string_view word);

// How Go writes this floating point number into JSON.
std::string json_float(double number);

}  // namespace berth::api
