#include "kube/json_object.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/json_text.h"

namespace berth::kube {

JsonObject& JsonObject::text(std::string_view name, std::string_view value) {
  begin(name);
  api::codec::append_json_string(members_, value);
  return *this;
}

JsonObject& JsonObject::number(std::string_view name, std::int64_t value) {
  begin(name);
  members_ += std::to_string(value);
  return *this;
}

JsonObject& JsonObject::json(std::string_view name, std::string_view json) {
  begin(name);
  members_ += json;
  return *this;
}

void JsonObject::begin(std::string_view name) {
  if (!members_.empty()) {
    members_ += ',';
  }
  api::codec::append_json_string(members_, name);
  members_ += ':';
}

}  // namespace berth::kube
