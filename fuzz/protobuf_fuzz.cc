// Protobuf messages of every kind. What is accepted reads back from both encodings.
#include <cstddef>
#include <cstdint>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "input.h"

using berth::api::codec::JsonReader;
using berth::api::codec::read_protobuf;
using berth::api::codec::write_json;
using berth::api::codec::write_protobuf;
using berth::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static JsonReader reader;
  const auto [kind, message] = berth::fuzz::split(data, size);
  if (kind.kind->wire == berth::api::Wire::kJsonOnly) {
    return 0;  // a custom resource has no protobuf form
  }
  const auto table = kind.table;

  const auto object = kind.make();
  if (!read_protobuf(message, kind.kind->name, table(), object.get(), nullptr)) {
    return 0;
  }
  const auto written = write_json({}, table(), object.get());

  const auto from_bytes = kind.make();
  require(read_protobuf(write_protobuf(table(), object.get()),
                        kind.kind->name,
                        table(),
                        from_bytes.get(),
                        nullptr)
              .has_value(),
          "what the protobuf writer writes can be read");
  require(write_json({}, table(), from_bytes.get()) == written, "protobuf loses nothing");

  const auto from_text = kind.make();
  require(reader.read(written, {}, table(), from_text.get(), nullptr).has_value(),
          "what the JSON writer writes can be read");
  require(write_json({}, table(), from_text.get()) == written, "JSON loses nothing");
  return 0;
}
