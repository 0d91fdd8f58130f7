#include "api/codec.h"

#include <string_view>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/objects/list.h"
#include "base/result.h"

namespace berth::api {

Result<WatchEvent> watch_event_from_json(std::string_view text) {
  codec::JsonReader reader;
  return internal::read_json<WatchEvent>(reader, text, {.kind = "WatchEvent"}, nullptr);
}

Result<WatchEvent> watch_event_from_protobuf(std::string_view message) {
  WatchEvent event;
  auto read = codec::read_protobuf(message, "WatchEvent", WatchEvent::table(), &event, nullptr);
  if (!read) {
    return std::move(read).error();
  }
  return event;
}

}  // namespace berth::api
