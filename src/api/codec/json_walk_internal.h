// Walking JSON values that are not read into members: skipped ones and raw ones.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

namespace berth::api::codec {

// What an error of the JSON parser means to the person who wrote the text.
std::string describe_json_error(simdjson::error_code error);

// Checks that the value is JSON through and through and moves behind it. Returns what is wrong, or
// nothing.
std::string walk_json(simdjson::ondemand::value& value, int depth_left);

// The text of a value that is a number; nothing for any other value.
std::optional<std::string_view> number_text(simdjson::ondemand::value& value);

// Moves behind the value like walk_json() and gives its text, byte for byte.
std::string take_raw_json(simdjson::ondemand::value& value, int depth_left, std::string& text);

// Whether nothing follows what was read.
bool is_at_end(simdjson::ondemand::document& document);

// A key or a string. One without an escape is not copied: its text lies in the document. Both
// return whether `error` is none.
bool take_json_key(simdjson::ondemand::field& field,
                   std::string_view& key,
                   simdjson::error_code& error);
bool take_json_string(simdjson::ondemand::value& value,
                      std::string_view& text,
                      simdjson::error_code& error);

std::string_view trimmed(std::string_view text);

}  // namespace berth::api::codec
