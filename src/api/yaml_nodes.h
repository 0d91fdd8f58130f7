// The nodes of a YAML text: a tree, because an alias stands for a node that came before it and a
// merge key for the members of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"

namespace berth::api::yaml {

struct Node {
  enum class Kind : std::uint8_t { kScalar, kSequence, kMapping };
  Kind kind = Kind::kScalar;
  bool is_plain = false;  // a scalar without quotes
  std::string tag;        // empty unless written
  std::string text;
  std::size_t line = 1;
  // Elements, or keys and values in turn.
  std::vector<std::size_t> children;
};

struct Document {
  // The root comes first; children are indexes into this list, several may name one node.
  std::vector<Node> nodes;
  std::size_t line = 1;
};

// The documents of a text that is UTF-8, without empty ones.
Result<std::vector<Document>> compose(std::string_view text);

// kInvalid: "line 5: what".
Error at_line(std::size_t line, std::string_view what);

}  // namespace berth::api::yaml
