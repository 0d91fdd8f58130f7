// JSON documents of every kind. What is accepted is valid JSON, and what we write of it reads back.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "api/codec/json.h"
#include "input.h"

using berth::api::codec::JsonReader;
using berth::api::codec::write_json;
using berth::fuzz::require;

namespace {

// Whether another library takes the text for JSON. It gives up at a number beyond a double, which
// is JSON all the same.
bool is_json_elsewhere(std::string_view text) {
  constexpr int kNumberOutOfRange = 406;
  try {
    static_cast<void>(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    return error.id == kNumberOutOfRange;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static JsonReader reader;
  const auto [kind, document] = berth::fuzz::split(data, size);

  const auto object = kind.make();
  if (!reader.read(document, {}, kind.table(), object.get(), nullptr)) {
    return 0;
  }
  require(is_json_elsewhere(document), "what the reader accepts is JSON");

  const auto written = write_json({}, kind.table(), object.get());
  require(is_json_elsewhere(written), "what the writer writes is JSON");
  const auto copy = kind.make();
  require(reader.read(written, {}, kind.table(), copy.get(), nullptr).has_value(),
          "what the writer writes can be read");
  require(write_json({}, kind.table(), copy.get()) == written,
          "writing what was read changes nothing");
  return 0;
}
