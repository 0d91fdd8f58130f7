// JSON documents of every kind and lists of them. What is accepted is valid JSON, what we write of
// it reads back, and neither cutting a list nor a mask changes what is read.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/codec/json_items.h"
#include "api/mask.h"
#include "input.h"

using berth::api::Mask;
using berth::api::codec::cut_json_items;
using berth::api::codec::JsonReader;
using berth::api::codec::write_json;
using berth::fuzz::Input;
using berth::fuzz::padded;
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

// What we write of what we read; nothing if it is refused.
std::optional<std::string> rewritten(const Input& input,
                                     std::string_view document,
                                     const Mask* mask = nullptr) {
  static JsonReader reader;
  const auto object = input.make();
  if (!reader.read(document, {}, input.table(), object.get(), mask)) {
    return std::nullopt;
  }
  return write_json({}, input.table(), object.get());
}

// A list whose "items" is written with an escape is read in one piece.
void check_cutting(const Input& input) {
  const auto cut = cut_json_items(input.document);
  if (!cut || cut->items.empty()) {
    return;
  }
  constexpr std::string_view kName = "\"items\"";
  constexpr std::string_view kEscaped = "\"it\\u0065ms\"";
  const auto first = static_cast<std::size_t>(cut->items.front().data() - input.document.data());
  std::string whole(input.document);
  whole.replace(whole.rfind(kName, first), kName.size(), kEscaped);
  const auto read_cut = rewritten(input, padded(std::string(input.document), whole.size()));
  const auto read_whole = rewritten(input, whole);
  if (cut_json_items(whole)) {
    require(!read_cut && !read_whole, "a second list, or brackets that do not match, is refused");
  }
  require(read_cut == read_whole, "a list reads the same cut and whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Input input = berth::fuzz::split(data, size);
  if (input.is_list) {
    check_cutting(input);
  }
  const auto written = rewritten(input, input.document);
  if (!written) {
    return 0;
  }
  require(is_json_elsewhere(input.document), "what the reader accepts is JSON");
  require(is_json_elsewhere(*written), "what the writer writes is JSON");
  const std::string again = padded(*written, input.document.size());
  require(rewritten(input, again) == written, "writing what was read changes nothing");
  if (input.is_masked) {
    const Mask mask = input.mask();
    const auto masked = rewritten(input, input.document, &mask);
    require(masked.has_value(), "a mask refuses nothing");
    require(rewritten(input, again, &mask) == masked, "a mask keeps what it names");
  }
  return 0;
}
