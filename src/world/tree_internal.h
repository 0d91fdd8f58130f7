// Reading JSON trees: what is absent, null or of another type is simply not found.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace berth::world {

namespace json = boost::json;

// A body as large as a kube-apiserver accepts; it stores somewhat less.
inline constexpr std::size_t kBodyLenMax = std::size_t{3} << 20;
// Levels of a document. Everything that walks trees may recurse.
inline constexpr std::size_t kDepthMax = 64;

// One JSON value. kLimit if it is longer or deeper than allowed, kInvalid if it is not JSON.
Result<json::value> parse_body(std::string_view text);
// The same, and it must be an object.
Result<json::object> parse_object(std::string_view text);

// As ==, and faster where members stand in the same order, as they do in a copy.
bool same(const json::value& a, const json::value& b);
bool same(const json::object& a, const json::object& b);

const json::object* find_object(const json::object& in, std::string_view key);
const json::array* find_array(const json::object& in, std::string_view key);
std::optional<std::int64_t> find_integer(const json::object& in, std::string_view key);
// Empty if there is none.
std::string_view text_in(const json::object& in, std::string_view key);
// The value at "spec.nodeName", or nullptr; null counts as none.
const json::value* find_at(const json::object& in, std::string_view path);

// The member, made an object if it is none.
json::object& object_in(json::object& in, std::string_view key);

inline std::string_view view_of(const json::string& text) {
  return {text.data(), text.size()};
}
inline std::string_view view_of(json::string_view text) {
  return {text.data(), text.size()};
}

// The metadata of a document of the store, which always has them.
const json::object& metadata_of(const json::object& tree);

}  // namespace berth::world
