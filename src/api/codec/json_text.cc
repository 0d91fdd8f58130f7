#include "api/codec/json_text.h"

#include <simdjson.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace berth::api::codec {
namespace {

bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default: {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xfU];
    }
  }
}

std::string with_replacements(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const Utf8Char first = first_utf8_char(text);
    valid += first.is_valid ? text.substr(0, first.bytes) : kReplacementText;
    text.remove_prefix(first.bytes);
  }
  return valid;
}

}  // namespace

bool is_utf8_beyond_ascii(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

void append_json_string(std::string& out, std::string_view text) {
  if (!is_utf8(text)) {
    append_json_string(out, with_replacements(text));
    return;
  }
  out += '"';
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (needs_escape(text[at])) {
      out.append(text, plain, at - plain);
      append_escaped(out, text[at]);
      plain = at + 1;
    }
  }
  out.append(text, plain);
  out += '"';
}

}  // namespace berth::api::codec
