// UTF-8, and JSON as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace berth::api::codec {

namespace internal {

template <typename Word>
Word word_at(const char* at) {
  Word word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

}  // namespace internal

// Whether every byte is ASCII; short and inlined, since nearly all texts are. The last word
// overlaps the one before it, so that no byte is looked at alone.
inline bool is_ascii(std::string_view text) {
  using internal::word_at;
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  const char* at = text.data();
  const std::size_t size = text.size();
  std::uint64_t seen = 0;
  if (size >= 8) {
    const char* last = at + size - 8;
    for (; at < last; at += 8) {
      seen |= word_at<std::uint64_t>(at);
    }
    seen |= word_at<std::uint64_t>(last);
  } else if (size >= 4) {
    seen = word_at<std::uint32_t>(at) | word_at<std::uint32_t>(at + size - 4);
  } else if (size != 0) {
    seen = static_cast<unsigned char>(at[0]) | static_cast<unsigned char>(at[size / 2]) |
           static_cast<unsigned char>(at[size - 1]);
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
