#include <fmt/format.h>
#include <string.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/json_text.h"
#include "api/codec/json_walk_internal.h"
#include "api/codec/reading.h"
#include "api/text.h"
#include "base/error.h"

namespace berth::api::codec {
namespace {

namespace ondemand = simdjson::ondemand;

// What stands before the next quote: all of the string, unless it holds an escape.
std::string_view up_to_quote(ondemand::raw_json_string string) {
  // The parser has seen the end of the string, so there is a quote.
  const auto* quote = static_cast<const char*>(::rawmemchr(string.raw(), '"'));
  return {string.raw(), static_cast<std::size_t>(quote - string.raw())};
}

bool has_escape(std::string_view text) {
  return text.find('\\') != std::string_view::npos;
}

bool walk_array(ondemand::value& value, int depth_left, Reading& reading) {
  ondemand::array elements;
  if (const auto error = value.get_array().get(elements); error != simdjson::SUCCESS) {
    return fail_json(reading, error);
  }
  for (auto entry : elements) {
    ondemand::value element;
    if (const auto error = std::move(entry).get(element); error != simdjson::SUCCESS) {
      return fail_json(reading, error);
    }
    if (!walk_json(element, depth_left - 1, reading)) {
      return false;
    }
  }
  return true;
}

bool walk_object(ondemand::value& value, int depth_left, Reading& reading) {
  ondemand::object fields;
  if (const auto error = value.get_object().get(fields); error != simdjson::SUCCESS) {
    return fail_json(reading, error);
  }
  for (auto entry : fields) {
    ondemand::field field;
    if (const auto error = std::move(entry).get(field); error != simdjson::SUCCESS) {
      return fail_json(reading, error);
    }
    std::string_view key;
    simdjson::error_code error{};
    if (!take_json_key(field, key, error)) {
      return fail_json(reading, error);
    }
    if (!walk_json(field.value(), depth_left - 1, reading)) {
      return false;
    }
  }
  return true;
}

std::string message_of(simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY:
      return "is empty";
    case simdjson::UTF8_ERROR:
      return "holds text that is not UTF-8";
    case simdjson::STRING_ERROR:
      return "malformed JSON: a string has an invalid escape";
    case simdjson::UNESCAPED_CHARS:
      return "malformed JSON: a string holds a control character";
    case simdjson::UNCLOSED_STRING:
      return "malformed JSON: a string is not closed";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "malformed JSON: the text ends too early";
    case simdjson::CAPACITY:
      return "is larger than this reader accepts";
    default:
      return fmt::format("malformed JSON: {}", simdjson::error_message(error));
  }
}

}  // namespace

bool fail_json(Reading& reading, simdjson::error_code error) {
  const auto code = error == simdjson::CAPACITY ? ErrorCode::kLimit : ErrorCode::kInvalid;
  return reading.fail(code, message_of(error));
}

bool take_json_key(ondemand::field& field, std::string_view& key, simdjson::error_code& error) {
  key = up_to_quote(field.key());
  // Nearly no key of Kubernetes holds an escape.
  error = has_escape(key) ? field.unescaped_key().get(key) : simdjson::SUCCESS;
  return error == simdjson::SUCCESS;
}

bool take_json_string(ondemand::value& value, std::string_view& text, simdjson::error_code& error) {
  if (has_escape(value.raw_json_token())) {
    error = value.get_string().get(text);
    return error == simdjson::SUCCESS;
  }
  ondemand::raw_json_string raw;
  error = value.get_raw_json_string().get(raw);
  if (error == simdjson::SUCCESS) {
    text = up_to_quote(raw);
  }
  return error == simdjson::SUCCESS;
}

bool is_number(std::string_view token) {
  return is_json_number(trimmed(token));
}

bool walk_json(ondemand::value& value, int depth_left, Reading& reading) {
  if (depth_left <= 0) {
    return reading.fail(ErrorCode::kLimit,
                        fmt::format("is nested deeper than {} levels", kDepthMax));
  }
  ondemand::json_type type{};
  if (const auto error = value.type().get(type); error != simdjson::SUCCESS) {
    return fail_json(reading, error);
  }
  switch (type) {
    case ondemand::json_type::array:
      return walk_array(value, depth_left, reading);
    case ondemand::json_type::object:
      return walk_object(value, depth_left, reading);
    case ondemand::json_type::string: {
      std::string_view text;
      simdjson::error_code error{};
      return take_json_string(value, text, error) || fail_json(reading, error);
    }
    case ondemand::json_type::number:
      return is_number(value.raw_json_token()) || reading.fail("malformed JSON: not a number");
    case ondemand::json_type::boolean:
    case ondemand::json_type::null: {
      const auto token = trimmed(value.raw_json_token());
      const bool is_literal = token == "true" || token == "false" || token == "null";
      return is_literal || reading.fail("malformed JSON: not true, false or null");
    }
  }
  return reading.fail("malformed JSON");
}

bool take_raw_json(ondemand::value& value, std::string& text, Reading& reading) {
  const std::string_view token = value.raw_json_token();
  if (!walk_json(value, kDepthMax, reading)) {
    return false;
  }
  if (token.front() != '{' && token.front() != '[') {
    text.assign(trimmed(token));
    return true;
  }
  const char* end = nullptr;
  if (const auto error = value.current_location().get(end); error != simdjson::SUCCESS) {
    return fail_json(reading, error);
  }
  text.assign(trimmed(std::string_view(token.begin(), end)));
  return true;
}

bool is_at_end(ondemand::document& document) {
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

}  // namespace berth::api::codec
