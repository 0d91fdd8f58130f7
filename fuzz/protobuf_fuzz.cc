// Protobuf messages of every kind and lists of them. What is accepted reads back from both
// encodings.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "api/mask.h"
#include "input.h"

using berth::api::Mask;
using berth::api::codec::JsonReader;
using berth::api::codec::read_protobuf;
using berth::api::codec::write_json;
using berth::api::codec::write_protobuf;
using berth::fuzz::Input;
using berth::fuzz::padded;
using berth::fuzz::require;

namespace {

// nullptr if the message is refused.
std::shared_ptr<void> read(const Input& input,
                           std::string_view message,
                           const Mask* mask = nullptr) {
  auto object = input.make();
  const auto read =
      read_protobuf(message, input.kind.kind->name, input.table(), object.get(), mask);
  return read ? object : nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static JsonReader reader;
  const Input input = berth::fuzz::split(data, size);
  if (input.kind.kind->wire == berth::api::Wire::kJsonOnly) {
    return 0;  // a custom resource has no protobuf form
  }
  const auto object = read(input, input.document);
  if (object == nullptr) {
    return 0;
  }
  const auto text_of = [&](const std::shared_ptr<void>& any) {
    return write_json({}, input.table(), any.get());
  };
  const auto written = text_of(object);

  const auto bytes = write_protobuf(input.table(), object.get());
  const auto from_bytes = read(input, bytes);
  require(from_bytes != nullptr, "what the protobuf writer writes can be read");
  require(text_of(from_bytes) == written, "protobuf loses nothing");

  const auto from_text = input.make();
  const auto padded_text = padded(written, input.document.size());
  require(reader.read(padded_text, {}, input.table(), from_text.get(), nullptr).has_value(),
          "what the JSON writer writes can be read");
  require(text_of(from_text) == written, "JSON loses nothing");

  if (input.is_masked) {
    const Mask mask = input.mask();
    const auto masked = read(input, input.document, &mask);
    require(masked != nullptr, "a mask refuses nothing");
    const auto masked_again = read(input, bytes, &mask);
    require(masked_again != nullptr && text_of(masked_again) == text_of(masked),
            "a mask keeps what it names");
  }
  return 0;
}
