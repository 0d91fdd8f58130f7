// Cutting a list into its items, so that each can be read by itself: the buffers a JSON parser
// needs are those of one item then, not those of a list of thousands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api::codec {

struct JsonItems {
  // The text with nothing in its list of items.
  std::string envelope;
  std::vector<std::string_view> items;
};

// Nothing where `text` is no object with a list of objects called "items". The pieces are not
// checked; but when the envelope and every item are valid JSON, so is the text.
std::optional<JsonItems> cut_json_items(std::string_view text);

}  // namespace berth::api::codec
