// YAML to JSON, with the rules of the YAML reader that Kubernetes' own tools use: YAML 1.1 scalars
// (yes, on and 0777 are not strings), anchors, aliases, merge keys, several documents in a file.
//
// On purpose stricter than those tools: a key that stands twice in a mapping is an error, and an
// explicit key wins over a merged one wherever it stands, as YAML says.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::api {

struct YamlDocument {
  // One JSON value, or why there is none; the error names the line.
  Result<std::string> json;
  // The line the document begins at, from 1.
  std::size_t line = 1;
};

// A few lines of aliases to aliases can ask for gigabytes, so what they expand to is bounded: this
// much JSON and this many values, plus the same again in proportion to the size of the text.
inline constexpr std::size_t kYamlJsonFree = std::size_t{8} << 20;
inline constexpr std::size_t kYamlValuesFree = 500'000;
inline constexpr std::size_t kYamlJsonFactor = 8;
// A key or a value takes about a hundred bytes while its text is read. Three thousand pods have
// this many.
inline constexpr std::size_t kYamlNodesMax = 2'000'000;

// Reading begins anew after a document that cannot be read, which costs more than reading on.
inline constexpr std::size_t kYamlBadDocumentsMax = 1000;

// The documents of a file in order, empty ones left out. One that cannot be read hides no other.
// The limits are those of the whole text: the first that is reached ends the reading.
std::vector<YamlDocument> read_yaml(std::string_view text);

}  // namespace berth::api
