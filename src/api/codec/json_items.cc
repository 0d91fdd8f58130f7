#include "api/codec/json_items.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/text.h"

namespace berth::api::codec {
namespace {

// A block is as many bytes as a word has bits; its bytes are looked at in steps of a vector.
constexpr std::size_t kBlock = 64;
constexpr std::size_t kStep = 16;
using Bytes = std::array<unsigned char, kBlock>;
using Vector = unsigned char __attribute__((ext_vector_type(kStep)));
using VectorBits = bool __attribute__((ext_vector_type(kStep)));

// One bit for each byte that is `wanted` once the bits `with` are set in it.
std::uint64_t bits_of(const Bytes& bytes, unsigned char wanted, unsigned char with = 0) {
  std::uint64_t result = 0;
  for (std::size_t at = 0; at < kBlock; at += kStep) {
    Vector vector{};
    std::memcpy(&vector, &bytes[at], kStep);
    const auto is_wanted = __builtin_convertvector((vector | with) == wanted, VectorBits);
    result |= static_cast<std::uint64_t>(std::bit_cast<std::uint16_t>(is_wanted)) << at;
  }
  return result;
}

// Every bit becomes the parity of itself and all bits below: from quotes to what lies in strings.
std::uint64_t parities(std::uint64_t bits) {
  for (unsigned shift = 1; shift < kBlock; shift *= 2) {
    bits ^= bits << shift;
  }
  return bits;
}

// The brackets of a text that are not inside strings, block by block.
class Brackets {
 public:
  explicit Brackets(std::string_view text) : text_(text) {}

  struct Block {
    std::size_t start;
    std::uint64_t opening;
    std::uint64_t closing;
  };

  // The next block, or nothing at the end of the text.
  std::optional<Block> next() {
    if (at_ >= text_.size()) {
      return std::nullopt;
    }
    Bytes bytes{};
    std::memcpy(bytes.data(), text_.data() + at_, std::min(kBlock, text_.size() - at_));
    // '[' and '{', ']' and '}' differ in one bit.
    constexpr unsigned char kCurly = 0x20;
    const std::uint64_t outside = ~in_strings(bits_of(bytes, '"'), bits_of(bytes, '\\'));
    const Block block{.start = at_,
                      .opening = bits_of(bytes, '{', kCurly) & outside,
                      .closing = bits_of(bytes, '}', kCurly) & outside};
    at_ += kBlock;
    return block;
  }

 private:
  std::uint64_t in_strings(std::uint64_t quotes, std::uint64_t backslashes) {
    const std::uint64_t inside = parities(quotes & ~escaped(backslashes)) ^ carried_string_;
    carried_string_ = (inside >> (kBlock - 1)) != 0 ? ~std::uint64_t{0} : 0;
    return inside;
  }

  // The bytes that stand behind a backslash which is not escaped itself.
  std::uint64_t escaped(std::uint64_t backslashes) {
    std::uint64_t result = std::exchange(carried_escape_, 0);
    for (; backslashes != 0; backslashes &= backslashes - 1) {
      const auto place = static_cast<unsigned>(std::countr_zero(backslashes));
      if ((result >> place & 1U) != 0) {
        continue;
      }
      if (place + 1 == kBlock) {
        carried_escape_ = 1;
      } else {
        result |= std::uint64_t{1} << (place + 1);
      }
    }
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t carried_string_ = 0;
  std::uint64_t carried_escape_ = 0;
};

bool is_blank(std::string_view text) {
  return std::ranges::all_of(text, is_json_space);
}

// What stands between two items: one comma.
bool is_separator(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && is_blank(text.substr(0, comma)) &&
         is_blank(text.substr(comma + 1));
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_space(text[at])) {
    ++at;
  }
  return at;
}

// Behind the '[' of the outermost object's "items", or nothing.
std::optional<std::size_t> find_items(std::string_view text) {
  constexpr std::string_view kName = "items";
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char byte = text[at];
    if (byte == '{' || byte == '[') {
      ++depth;
    } else if (byte == '}' || byte == ']') {
      --depth;
    } else if (byte == '"') {
      const std::size_t start = ++at;
      while (at < text.size() && text[at] != '"') {
        at += text[at] == '\\' ? 2 : 1;
      }
      if (depth != 1 || at >= text.size() || text.substr(start, at - start) != kName) {
        continue;
      }
      const std::size_t colon = skip_space(text, at + 1);
      if (colon >= text.size() || text[colon] != ':') {
        continue;  // the word as a value
      }
      const std::size_t bracket = skip_space(text, colon + 1);
      const bool is_list = bracket < text.size() && text[bracket] == '[';
      return is_list ? std::optional(bracket + 1) : std::nullopt;
    }
  }
  return std::nullopt;
}

// Cuts what follows the '[' of a list of objects, up to its ']'.
class ItemCutter {
 public:
  explicit ItemCutter(std::string_view rest) : rest_(rest) {}

  // Where the ']' stands, or nothing when this is no list of objects.
  std::optional<std::size_t> cut(std::vector<std::string_view>& items) {
    Brackets brackets(rest_);
    for (auto block = brackets.next(); block; block = brackets.next()) {
      const int closing = std::popcount(block->closing);
      if (depth_ > closing) {  // no item can end here
        depth_ += std::popcount(block->opening) - closing;
        continue;
      }
      for (std::uint64_t bits = block->opening | block->closing; bits != 0; bits &= bits - 1) {
        const auto place = static_cast<unsigned>(std::countr_zero(bits));
        const std::size_t at = block->start + place;
        const bool is_opening = (block->opening >> place & 1U) != 0;
        if (!is_opening && depth_ == 0) {
          return is_blank(rest_.substr(end_, at - end_)) ? std::optional(at) : std::nullopt;
        }
        if (!step(at, is_opening, items)) {
          return std::nullopt;
        }
      }
    }
    return std::nullopt;
  }

 private:
  bool step(std::size_t at, bool is_opening, std::vector<std::string_view>& items) {
    if (is_opening) {
      if (depth_++ == 0) {
        const std::string_view gap = rest_.substr(end_, at - end_);
        start_ = at;
        return items.empty() ? is_blank(gap) : is_separator(gap);
      }
    } else if (--depth_ == 0) {
      end_ = at + 1;
      items.push_back(rest_.substr(start_, end_ - start_));
    }
    return true;
  }

  std::string_view rest_;
  int depth_ = 0;          // within the list
  std::size_t start_ = 0;  // of the item at hand
  std::size_t end_ = 0;    // of the item before
};

}  // namespace

std::optional<JsonItems> cut_json_items(std::string_view text) {
  const auto begin = find_items(text);
  if (!begin) {
    return std::nullopt;
  }
  JsonItems cut;
  const auto end = ItemCutter(text.substr(*begin)).cut(cut.items);
  if (!end) {
    return std::nullopt;
  }
  cut.envelope.append(text.substr(0, *begin)).append(text.substr(*begin + *end));
  return cut;
}

}  // namespace berth::api::codec
