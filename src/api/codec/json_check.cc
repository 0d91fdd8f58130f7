// Whether a text is JSON, without building anything: one pass over the bytes, no allocation.
#include <algorithm>
#include <cstddef>
#include <string_view>

#include "api/codec/json_text.h"
#include "api/codec/reading.h"
#include "api/text.h"

namespace berth::api::codec {
namespace {

class JsonCheck {
 public:
  explicit JsonCheck(std::string_view text) : text_(text) {}

  bool is_one_value() {
    skip_space();
    if (!value(kDepthMax)) {
      return false;
    }
    skip_space();
    return at_ == text_.size();
  }

 private:
  bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  bool take(char c) {
    const bool is_there = is_at(c);
    at_ += is_there ? 1 : 0;
    return is_there;
  }

  void skip_space() {
    while (at_ < text_.size() && is_json_space(text_[at_])) {
      ++at_;
    }
  }

  bool value(int depth_left) {
    if (depth_left <= 0 || at_ == text_.size()) {
      return false;
    }
    switch (text_[at_]) {
      case '{':
        return members('}', true, depth_left);
      case '[':
        return members(']', false, depth_left);
      case '"':
        return string();
      case 't':
        return literal("true");
      case 'f':
        return literal("false");
      case 'n':
        return literal("null");
      default:
        return number();
    }
  }

  bool members(char close, bool has_names, int depth_left) {
    ++at_;
    skip_space();
    if (take(close)) {
      return true;
    }
    while (true) {
      if (has_names && !name()) {
        return false;
      }
      if (!value(depth_left - 1)) {
        return false;
      }
      skip_space();
      if (take(close)) {
        return true;
      }
      if (!take(',')) {
        return false;
      }
      skip_space();
    }
  }

  bool name() {
    if (!is_at('"') || !string()) {
      return false;
    }
    skip_space();
    if (!take(':')) {
      return false;
    }
    skip_space();
    return true;
  }

  bool string() {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') {
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20 || (c == '\\' && !escape())) {
        return false;
      }
    }
    return false;
  }

  bool escape() {
    if (at_ == text_.size()) {
      return false;
    }
    const char c = text_[at_++];
    if (c != 'u') {
      return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
    }
    const int first = code_unit();
    if (first < 0xd800 || first > 0xdfff) {
      return first >= 0;
    }
    // The first half of a pair must be followed by the second.
    if (first > 0xdbff || !take('\\') || !take('u')) {
      return false;
    }
    const int second = code_unit();
    return second >= 0xdc00 && second <= 0xdfff;
  }

  // Four hexadecimal digits, or -1.
  int code_unit() {
    int unit = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = at_ < text_.size() ? text_[at_++] : '\0';
      const auto digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
      if (digit == std::string_view::npos || (digit < 10 && !is_digit(c))) {
        return -1;
      }
      unit = unit * 16 + static_cast<int>(digit);
    }
    return unit;
  }

  bool literal(std::string_view word) {
    const bool is_there = text_.substr(at_, word.size()) == word;
    at_ += is_there ? word.size() : 0;
    return is_there;
  }

  bool number() {
    const std::size_t end = std::min(text_.find_first_not_of("+-.0123456789Ee", at_), text_.size());
    const bool is_there = is_json_number(text_.substr(at_, end - at_));
    at_ = end;
    return is_there;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::size_t digits_from(std::string_view text, std::size_t start) {
  std::size_t end = start;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  return end - start;
}

}  // namespace

// number = [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ ("e"/"E") [ "+"/"-" ] 1*digit ]
bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = digits_from(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) {
    return false;
  }
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits_from(text, at + 1);
    if (fraction == 0) {
      return false;
    }
    at += 1 + fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
      ++at;
    }
    const std::size_t exponent = digits_from(text, at);
    if (exponent == 0) {
      return false;
    }
    at += exponent;
  }
  return at == text.size();
}

bool is_json(std::string_view text) {
  return is_utf8(text) && JsonCheck(text).is_one_value();
}

}  // namespace berth::api::codec
