// Small questions about text.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace berth::api::codec {

// Whether every byte is ASCII; short and inlined, since nearly all texts are.
inline bool is_ascii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof(word));
    seen |= word;
  }
  for (; at < text.size(); ++at) {
    seen |= static_cast<unsigned char>(text[at]);
  }
  return (seen & kHighBits) == 0;
}

bool is_utf8_beyond_ascii(std::string_view text);

inline bool is_utf8(std::string_view text) {
  return is_ascii(text) || is_utf8_beyond_ascii(text);
}

// Whether `text` is exactly one JSON value, nested no deeper than kDepthMax.
bool is_json(std::string_view text);

bool is_json_number(std::string_view text);

// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace berth::api::codec
