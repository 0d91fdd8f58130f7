// The nodes of a YAML text: a tree, because an alias stands for a node that came before it and a
// merge key for the members of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"

namespace berth::api::yaml {

struct Node {
  enum class Kind : std::uint8_t { kScalar, kSequence, kMapping };
  // What a tag says of a scalar; nothing that we read depends on any other.
  enum class Tag : std::uint8_t { kNone, kBool, kInt, kFloat, kNull, kBinary, kOther };
  Kind kind = Kind::kScalar;
  Tag tag = Tag::kNone;
  bool is_plain = false;  // a scalar without quotes
  std::string text;
  std::size_t line = 1;
  // Elements, or keys and values in turn.
  std::vector<std::size_t> children;
};

struct Document {
  // The root comes first; children are indexes into this list, several may name one node.
  std::vector<Node> nodes;
};

// Takes the next document, or the error that kept it from being read; false ends the reading.
using TakeDocument = std::function<bool(Result<Document> document, std::size_t line)>;

// Gives every document of a text that is UTF-8, without empty ones, to `take`. After one that
// cannot be read it goes on with the next, unless all of them together hold more than kYamlNodesMax
// nodes, or kYamlBadDocumentsMax could not be read; then the last error says so.
void for_each_document(std::string_view text, const TakeDocument& take);

// kInvalid: "line 5: what".
Error at_line(std::size_t line, std::string_view what);
// kLimit.
Error too_deep(std::size_t line);

}  // namespace berth::api::yaml
