// Reading the JSON values that hold no others: what a string or a number of the text means to the
// member it is read into.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/reading.h"
#include "api/members.h"
#include "api/type.h"

namespace berth::api::codec {

// Every function returns false when it fails, and has told `reading` why.
class JsonLeaves {
 public:
  explicit JsonLeaves(Reading& reading) : reading_(reading) {}

  bool read(simdjson::ondemand::value& value, const Type& type, void* place);

  bool fail(simdjson::error_code error);
  // Fails with what was expected, or with the reason the value is no JSON at all.
  bool wrong_type(simdjson::error_code error, std::string_view expected);

 private:
  bool take_string(simdjson::ondemand::value& value, std::string_view& text);
  bool read_string(simdjson::ondemand::value& value, std::string& text);
  bool read_bool(simdjson::ondemand::value& value, bool& place);
  bool read_int64(simdjson::ondemand::value& value, std::int64_t& place);
  bool read_int32(simdjson::ondemand::value& value, std::int32_t& place);
  bool read_bytes(simdjson::ondemand::value& value, Bytes& bytes);
  bool read_time(simdjson::ondemand::value& value, const Type& type, void* place);
  bool read_quantity(simdjson::ondemand::value& value, Quantity& quantity);
  bool read_int_or_string(simdjson::ondemand::value& value, IntOrString& place);
  bool read_raw(simdjson::ondemand::value& value, std::string& text);

  Reading& reading_;
};

}  // namespace berth::api::codec
