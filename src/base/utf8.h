// Reading text that may not be valid UTF-8, one character at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace berth {

// What stands for a byte that is not part of a valid character.
inline constexpr char32_t kReplacementCodePoint = 0xFFFD;
inline constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";

struct Utf8Char {
  char32_t code_point = 0;
  std::size_t bytes = 0;  // how much of the text it takes; never 0
  bool is_valid = false;
};

// The first character of `text`, which is not empty. Where no valid one begins (overlong forms,
// surrogates, values beyond U+10FFFF and cut-off sequences included), one byte is taken and the
// code point is the replacement character.
Utf8Char first_utf8_char(std::string_view text);

// The beginning of a text, at most so many bytes of it and no half character.
std::string_view cut_utf8(std::string_view text, std::size_t bytes_max);

}  // namespace berth
