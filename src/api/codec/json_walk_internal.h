// Walking JSON values that are not read into members: skipped ones and raw ones.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "api/codec/reading.h"

namespace berth::api::codec {

// Tells `reading` what an error of the JSON parser means to the person who wrote the text. Returns
// false.
bool fail_json(Reading& reading, simdjson::error_code error);

// Checks that the value is JSON through and through and moves behind it. False when it is not, or
// when it is nested deeper than `depth_left`; `reading` knows which.
bool walk_json(simdjson::ondemand::value& value, int depth_left, Reading& reading);

// Whether a value's token is a number; white space may follow it.
bool is_number(std::string_view token);

// Moves behind the value like walk_json() and gives its text, byte for byte.
bool take_raw_json(simdjson::ondemand::value& value, std::string& text, Reading& reading);

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

}  // namespace berth::api::codec
