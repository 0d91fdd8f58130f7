#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/error.h"
#include "base/result.h"
#include "world/tree_internal.h"

namespace berth::world {

Result<json::value> parse_body(std::string_view text) {
  if (text.size() > kBodyLenMax) {
    return Error(ErrorCode::kLimit, "the body is larger than 3 MiB");
  }
  json::parse_options options;
  options.max_depth = kDepthMax;
  json::error_code error;
  json::value value = json::parse(text, error, {}, options);
  if (error == json::error::too_deep) {
    return Error(ErrorCode::kLimit, "the body is nested too deeply");
  }
  if (error) {
    return Error(ErrorCode::kInvalid, "the body is not JSON: " + error.message());
  }
  return value;
}

Result<json::object> parse_object(std::string_view text) {
  BERTH_TRY(json::value value, parse_body(text));
  if (!value.is_object()) {
    return Error(ErrorCode::kInvalid, "the body is not a JSON object");
  }
  return std::move(value.get_object());
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kDepthMax
bool same(const json::value& a, const json::value& b) {
  if (a.is_object() && b.is_object()) {
    return same(a.get_object(), b.get_object());
  }
  if (a.is_array() && b.is_array()) {
    const json::array& elements = a.get_array();
    const json::array& others = b.get_array();
    return std::equal(elements.begin(),
                      elements.end(),
                      others.begin(),
                      others.end(),
                      [](const json::value& x, const json::value& y) { return same(x, y); });
  }
  return a == b;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kDepthMax
bool same(const json::object& a, const json::object& b) {
  if (a.size() != b.size()) {
    return false;
  }
  auto expected = b.begin();
  for (const auto& member : a) {
    const json::value* other =
        expected->key() == member.key() ? &expected->value() : b.if_contains(member.key());
    if (other == nullptr || !same(member.value(), *other)) {
      return false;
    }
    ++expected;
  }
  return true;
}

const json::object* find_object(const json::object& in, std::string_view key) {
  const json::value* value = in.if_contains(key);
  return value != nullptr ? value->if_object() : nullptr;
}

const json::array* find_array(const json::object& in, std::string_view key) {
  const json::value* value = in.if_contains(key);
  return value != nullptr ? value->if_array() : nullptr;
}

std::optional<std::int64_t> find_integer(const json::object& in, std::string_view key) {
  const json::value* value = in.if_contains(key);
  if (value == nullptr || !value->is_int64()) {
    return std::nullopt;
  }
  return value->get_int64();
}

std::string_view text_in(const json::object& in, std::string_view key) {
  const json::value* value = in.if_contains(key);
  return value != nullptr && value->is_string() ? view_of(value->get_string()) : std::string_view();
}

const json::value* find_at(const json::object& in, std::string_view path) {
  const json::object* object = &in;
  while (object != nullptr) {
    const std::size_t dot = path.find('.');
    const json::value* value = object->if_contains(path.substr(0, dot));
    if (value == nullptr || value->is_null()) {
      return nullptr;
    }
    if (dot == std::string_view::npos) {
      return value;
    }
    object = value->if_object();
    path.remove_prefix(dot + 1);
  }
  return nullptr;
}

json::object& object_in(json::object& in, std::string_view key) {
  json::value& value = in[key];
  if (!value.is_object()) {
    value.emplace_object();
  }
  return value.get_object();
}

const json::object& metadata_of(const json::object& tree) {
  const json::object* metadata = find_object(tree, "metadata");
  BERTH_ASSERT(metadata != nullptr, "a stored document has metadata");
  return *metadata;
}

}  // namespace berth::world
