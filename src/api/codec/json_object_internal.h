// Reading one JSON object into a struct, member by member.
#pragma once

#include <simdjson.h>

#include <string_view>

#include "api/codec/reading.h"
#include "api/mask.h"
#include "api/table.h"

namespace berth::api::codec {

// What an object must call itself, if it does. An empty text asks for nothing.
struct TypeNames {
  std::string_view api_version;
  std::string_view kind;
  const TypeNames* items = nullptr;  // what the items of a list must call themselves
};

// Fills `object` from the one value of the document. `names` is nullptr where kind and apiVersion
// are members like others.
bool read_json_object(simdjson::ondemand::document& document,
                      const TypeNames* names,
                      const Table& table,
                      void* object,
                      const Mask* mask,
                      Reading& reading);

// Checks that the document is one JSON value and reads nothing.
bool walk_json_object(simdjson::ondemand::document& document, int depth_left, Reading& reading);

}  // namespace berth::api::codec
