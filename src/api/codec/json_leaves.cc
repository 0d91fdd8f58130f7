#include <fmt/format.h>
#include <simdjson.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "api/base64.h"
#include "api/codec/json_leaves_internal.h"
#include "api/codec/json_walk_internal.h"
#include "api/codec/reading.h"
#include "api/members.h"
#include "api/rules/quoted.h"
#include "api/text.h"
#include "api/type.h"
#include "base/error.h"

namespace berth::api::codec {

namespace ondemand = simdjson::ondemand;

bool JsonLeaves::fail(simdjson::error_code error) {
  return fail_json(reading_, error);
}

bool JsonLeaves::wrong_type(simdjson::error_code error, std::string_view expected) {
  if (error == simdjson::INCORRECT_TYPE || error == simdjson::NUMBER_ERROR ||
      error == simdjson::NUMBER_OUT_OF_RANGE) {
    return reading_.fail(fmt::format("expected {}", expected));
  }
  return fail(error);
}

bool JsonLeaves::take_string(ondemand::value& value, std::string_view& text) {
  simdjson::error_code error{};
  return take_json_string(value, text, error) || wrong_type(error, "a string");
}

bool JsonLeaves::read_string(ondemand::value& value, std::string& text) {
  std::string_view read;
  if (!take_string(value, read)) {
    return false;
  }
  text = std::string(read);
  return true;
}

bool JsonLeaves::read_bool(ondemand::value& value, bool& place) {
  const auto error = value.get_bool().get(place);
  return error == simdjson::SUCCESS || wrong_type(error, "true or false");
}

bool JsonLeaves::read_int64(ondemand::value& value, std::int64_t& place) {
  const auto error = value.get_int64().get(place);
  return error == simdjson::SUCCESS || wrong_type(error, "a 64-bit integer");
}

bool JsonLeaves::read_int32(ondemand::value& value, std::int32_t& place) {
  std::int64_t number = 0;
  const auto error = value.get_int64().get(number);
  if (error != simdjson::SUCCESS || number < std::numeric_limits<std::int32_t>::min() ||
      number > std::numeric_limits<std::int32_t>::max()) {
    return wrong_type(error == simdjson::SUCCESS ? simdjson::NUMBER_OUT_OF_RANGE : error,
                      "a 32-bit integer");
  }
  place = static_cast<std::int32_t>(number);
  return true;
}

bool JsonLeaves::read(ondemand::value& value, const Type& type, void* place) {
  switch (type.shape) {
    case Shape::kString:
      return read_string(value, *static_cast<std::string*>(place));
    case Shape::kBool:
      return read_bool(value, *static_cast<bool*>(place));
    case Shape::kInt32:
      return read_int32(value, *static_cast<std::int32_t*>(place));
    case Shape::kInt64:
      return read_int64(value, *static_cast<std::int64_t*>(place));
    case Shape::kBytes:
      return read_bytes(value, *static_cast<Bytes*>(place));
    case Shape::kTime:
    case Shape::kMicroTime:
      return read_time(value, type, place);
    case Shape::kQuantity:
      return read_quantity(value, *static_cast<Quantity*>(place));
    case Shape::kIntOrString:
      return read_int_or_string(value, *static_cast<IntOrString*>(place));
    case Shape::kRawJson:
      return read_raw(value, static_cast<RawJson*>(place)->text);
    case Shape::kEmbedded:
      return read_raw(value, static_cast<Embedded*>(place)->data);
    default:
      return reading_.fail(ErrorCode::kInternal, "has a type the JSON reader does not know");
  }
}

bool JsonLeaves::read_bytes(ondemand::value& value, Bytes& bytes) {
  std::string_view text;
  if (!take_string(value, text)) {
    return false;
  }
  auto decoded = from_base64(text);
  if (!decoded) {
    return reading_.fail("is not base64");
  }
  bytes.data = *std::move(decoded);
  return true;
}

bool JsonLeaves::read_time(ondemand::value& value, const Type& type, void* place) {
  std::string_view text;
  if (!take_string(value, text)) {
    return false;
  }
  const auto time = parse_time(text);
  if (!time) {
    return reading_.fail(time.error().text());
  }
  if (type.shape == Shape::kMicroTime) {
    *static_cast<MicroTime*>(place) = *time;
  } else {
    *static_cast<Time*>(place) = std::chrono::floor<std::chrono::seconds>(*time);
  }
  return true;
}

// A string, or a bare number as people write it in YAML.
bool JsonLeaves::read_quantity(ondemand::value& value, Quantity& quantity) {
  const std::string_view token = trimmed(value.raw_json_token());
  const bool is_string = token.starts_with('"');
  if (!is_string && !is_number(token)) {
    return reading_.fail("expected a quantity");
  }
  // Moves over it. A string that is left where it stands is taken for a key when a colon follows.
  if (ondemand::raw_json_string ignored; is_string) {
    if (const auto error = value.get_raw_json_string().get(ignored); error != simdjson::SUCCESS) {
      return fail(error);
    }
  }
  if (Quantity::parse_json_into(token, quantity)) {
    return true;
  }
  const auto refused = Quantity::parse_json(token);
  const auto text = is_string ? token.substr(1, token.size() - 2) : token;
  return reading_.fail(refused.error().code(),
                       fmt::format("'{}': {}", shown(text), refused.error().text()));
}

bool JsonLeaves::read_int_or_string(ondemand::value& value, IntOrString& place) {
  ondemand::json_type type{};
  if (const auto error = value.type().get(type); error != simdjson::SUCCESS) {
    return fail(error);
  }
  if (type == ondemand::json_type::string) {
    return read_string(value, place.emplace<std::string>());
  }
  std::int64_t number = 0;
  const auto error = value.get_int64().get(number);
  if (error != simdjson::SUCCESS || number < std::numeric_limits<std::int32_t>::min() ||
      number > std::numeric_limits<std::int32_t>::max()) {
    return wrong_type(simdjson::INCORRECT_TYPE, "a 32-bit integer or a string");
  }
  place = static_cast<std::int32_t>(number);
  return true;
}

bool JsonLeaves::read_raw(ondemand::value& value, std::string& text) {
  return take_raw_json(value, text, reading_);
}

}  // namespace berth::api::codec
