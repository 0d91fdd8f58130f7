#include "api/rules/quoted.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"

namespace berth::api {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Beyond ASCII: controls, spaces, separators, format characters, private use, noncharacters.
constexpr std::array kUnprintable{
    Range{0x0080, 0x00A0}, Range{0x00AD, 0x00AD},   Range{0x0600, 0x0605},    Range{0x061C, 0x061C},
    Range{0x06DD, 0x06DD}, Range{0x070F, 0x070F},   Range{0x1680, 0x1680},    Range{0x180E, 0x180E},
    Range{0x2000, 0x200F}, Range{0x2028, 0x202F},   Range{0x205F, 0x206F},    Range{0x3000, 0x3000},
    Range{0xE000, 0xF8FF}, Range{0xFDD0, 0xFDEF},   Range{0xFEFF, 0xFEFF},    Range{0xFFF0, 0xFFFB},
    Range{0xFFFE, 0xFFFF}, Range{0xE0000, 0xE00FF}, Range{0xE01F0, 0x10FFFF},
};

bool is_printable(char32_t code_point) {
  if (code_point < 0x80) {
    return code_point >= 0x20 && code_point != 0x7F;
  }
  return std::ranges::none_of(kUnprintable, [code_point](const Range& range) {
    return code_point >= range.first && code_point <= range.last;
  });
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (int digit = digits - 1; digit >= 0; --digit) {
    out += kHex[(value >> (4U * static_cast<unsigned>(digit))) & 0xFU];
  }
}

// The letter after the backslash, or 0.
char go_escape(char32_t code_point) {
  constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\"\\";
  constexpr std::string_view kLetters = "abfnrtv\"\\";
  const std::size_t at =
      code_point < 0x80 ? kSpecial.find(static_cast<char>(code_point)) : std::string_view::npos;
  return at == std::string_view::npos ? '\0' : kLetters[at];
}

void append_go_escaped(std::string& out, const Utf8Char& c, std::string_view bytes) {
  if (!c.is_valid) {
    out += "\\x";
    append_hex(out, static_cast<unsigned char>(bytes.front()), 2);
  } else if (const char letter = go_escape(c.code_point); letter != '\0') {
    out += '\\';
    out += letter;
  } else if (is_printable(c.code_point)) {
    out += bytes;
  } else if (c.code_point < 0x80) {
    out += "\\x";
    append_hex(out, c.code_point, 2);
  } else if (c.code_point < 0x10000) {
    out += "\\u";
    append_hex(out, c.code_point, 4);
  } else {
    out += "\\U";
    append_hex(out, c.code_point, 8);
  }
}

void append_json_escaped(std::string& out, const Utf8Char& c, std::string_view bytes) {
  constexpr std::string_view kForHtml = "<>&";
  const char letter = c.code_point == '\a' || c.code_point == '\v' ? '\0' : go_escape(c.code_point);
  if (!c.is_valid) {
    out += "\\ufffd";
  } else if (letter != '\0') {
    out += '\\';
    out += letter;
  } else if (c.code_point < 0x20 || c.code_point == 0x2028 || c.code_point == 0x2029 ||
             kForHtml.find(bytes) != std::string_view::npos) {
    out += "\\u";
    append_hex(out, c.code_point, 4);
  } else {
    out += bytes;
  }
}

template <typename AppendEscaped>
void append_quoted(std::string& out, std::string_view text, const AppendEscaped& append_escaped) {
  out += '"';
  while (!text.empty()) {
    const Utf8Char c = first_utf8_char(text);
    append_escaped(out, c, text.substr(0, c.bytes));
    text.remove_prefix(c.bytes);
  }
  out += '"';
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Char c = first_utf8_char(text);
    const std::string_view bytes = text.substr(0, c.bytes);
    if (c.is_valid && is_printable(c.code_point)) {
      out += bytes;
    } else {
      append_go_escaped(out, c, bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kShownMax = 80;
  std::size_t bytes = 0;
  while (bytes < kShownMax && bytes < text.size()) {
    bytes += first_utf8_char(text.substr(bytes)).bytes;
  }
  return printable(text.substr(0, bytes)) + (bytes < text.size() ? "..." : "");
}

std::string quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text, append_go_escaped);
  return out;
}

std::string json_quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text, append_json_escaped);
  return out;
}

std::string json_quoted(const std::vector<std::string>& texts) {
  if (texts.empty()) {
    return "null";
  }
  std::string out;
  for (const std::string& text : texts) {
    out += out.empty() ? '[' : ',';
    append_quoted(out, text, append_json_escaped);
  }
  out += ']';
  return out;
}

}  // namespace berth::api
