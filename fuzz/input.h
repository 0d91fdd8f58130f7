// What the targets share: taking an input apart, and telling a broken promise from a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "api/kinds.h"
#include "api/mask.h"
#include "api/table.h"

namespace berth::fuzz {

// The first byte of an input says what the rest is: its low six bits choose the kind, the next one
// makes it a list of the kind, and the last one has it read through a mask besides.
struct Input {
  const api::KindEntry& kind;
  bool is_list;
  bool is_masked;
  std::string_view document;

  const api::Table& table() const { return is_list ? kind.list_table() : kind.table(); }
  std::shared_ptr<void> make() const { return is_list ? kind.make_list() : kind.make(); }

  // Keeps the first member of the object, or of each item. Every other list loses all its items.
  api::Mask mask() const {
    const std::string first(kind.table().json_names().front().name);
    if (!is_list) {
      return api::Mask::keeping(table(), {first});
    }
    return document.size() % 2 == 0 ? api::Mask::keeping(table(), {"items." + first})
                                    : api::Mask::dropping(table(), {"items"});
  }
};

inline Input split(const std::uint8_t* data, std::size_t size) {
  const std::uint8_t choice = size > 0 ? data[0] : 0;
  const auto kinds = api::all_kinds();
  return {.kind = kinds[(choice & 0x3fU) % kinds.size()],
          .is_list = (choice & 0x40U) != 0,
          .is_masked = (choice & 0x80U) != 0,
          .document = size > 0 ? std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1)
                               : std::string_view{}};
}

// What a reader may spend depends on the size of its text; so that a text is not refused for being
// shorter than the one it was made from, it gets spaces behind it.
inline std::string padded(std::string text, std::size_t size) {
  text.resize(text.size() < size ? size : text.size(), ' ');
  return text;
}

inline void require(bool holds, const char* promise) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
  }
}

}  // namespace berth::fuzz
