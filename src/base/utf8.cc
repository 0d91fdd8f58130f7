#include "base/utf8.h"

#include <array>
#include <cstddef>
#include <string_view>

#include "base/assert.h"

namespace berth {

Utf8Char first_utf8_char(std::string_view text) {
  BERTH_ASSERT(!text.empty(), "an empty text has no first character");
  constexpr Utf8Char kBadByte{kReplacementCodePoint, 1, false};
  // The smallest code point that needs a sequence of that length; a smaller one is overlong.
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};

  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) {
    return {lead, 1, true};
  }
  std::size_t bytes = 0;
  char32_t code_point = 0;
  if ((lead & 0xE0U) == 0xC0) {
    bytes = 2;
    code_point = lead & 0x1FU;
  } else if ((lead & 0xF0U) == 0xE0) {
    bytes = 3;
    code_point = lead & 0x0FU;
  } else if ((lead & 0xF8U) == 0xF0) {
    bytes = 4;
    code_point = lead & 0x07U;
  } else {
    return kBadByte;
  }
  if (text.size() < bytes) {
    return kBadByte;
  }
  for (const char next : text.substr(1, bytes - 1)) {
    const auto byte = static_cast<unsigned char>(next);
    if ((byte & 0xC0U) != 0x80) {
      return kBadByte;
    }
    code_point = (code_point << 6U) | (byte & 0x3FU);
  }
  const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < kSmallest[bytes] || code_point > 0x10FFFF || is_surrogate) {
    return kBadByte;
  }
  return {code_point, bytes, true};
}

std::string_view cut_utf8(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) {
    return text;
  }
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

}  // namespace berth
