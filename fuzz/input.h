// What the targets share: taking an input apart, and telling a broken promise from a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "api/kinds.h"

namespace berth::fuzz {

// The first byte of an input chooses the kind, the rest is the document.
struct KindInput {
  const api::KindEntry& kind;
  std::string_view document;
};

inline KindInput split(const std::uint8_t* data, std::size_t size) {
  const auto kinds = api::all_kinds();
  return {.kind = kinds[size > 0 ? data[0] % kinds.size() : 0],
          .document = size > 0 ? std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1)
                               : std::string_view{}};
}

inline void require(bool holds, const char* promise) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
  }
}

}  // namespace berth::fuzz
