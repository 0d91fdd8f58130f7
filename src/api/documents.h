// The documents of a text, whichever way it is written.
#pragma once

#include <functional>
#include <string_view>

#include "api/yaml.h"

namespace berth::api {

using TakeDocument = std::function<void(const YamlDocument& document)>;

// Gives the documents of a text to `take`, as JSON: those of YAML, a JSON value, or one JSON value
// a line as `berth read -o json` writes them. What begins with a brace is JSON if it can be and
// YAML if it cannot; where it is neither, the error tells of both.
void for_each_document(std::string_view text, const TakeDocument& take);

}  // namespace berth::api
