// What objects travel in: the protobuf envelope, and watch events in both encodings. The first byte
// chooses which; what is accepted reads back.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/codec.h"
#include "api/codec/json.h"
#include "api/codec/json_text.h"
#include "api/codec/protobuf.h"
#include "api/objects/list.h"
#include "input.h"

using berth::api::WatchEvent;
using berth::api::codec::open_envelope;
using berth::api::codec::seal_envelope;
using berth::fuzz::require;

namespace {

void check_envelope(std::string_view bytes) {
  const auto envelope = open_envelope(bytes);
  if (!envelope) {
    return;
  }
  const auto sealed = seal_envelope({.api_version = envelope->api_version, .kind = envelope->kind},
                                    envelope->message);
  const auto again = open_envelope(sealed);
  require(again.has_value(), "what was sealed can be opened");
  require(again->api_version == envelope->api_version && again->kind == envelope->kind &&
              again->message == envelope->message,
          "an envelope loses nothing");
}

void check_json_event(std::string_view text) {
  const auto event = berth::api::watch_event_from_json(text);
  if (!event) {
    return;
  }
  require(event->object.data.empty() || berth::api::codec::is_json(event->object.data),
          "the object of an event is JSON");
  const auto again = berth::api::watch_event_from_json(
      berth::api::codec::write_json({}, WatchEvent::table(), &*event));
  require(again.has_value() && *again == *event, "a JSON event loses nothing");
}

void check_protobuf_event(std::string_view message) {
  const auto event = berth::api::watch_event_from_protobuf(message);
  if (!event) {
    return;
  }
  const auto again = berth::api::watch_event_from_protobuf(
      berth::api::codec::write_protobuf(WatchEvent::table(), &*event));
  require(again.has_value() && *again == *event, "a protobuf event loses nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      check_envelope(rest);
      break;
    case 1:
      check_json_event(rest);
      break;
    default:
      check_protobuf_event(rest);
  }
  return 0;
}
