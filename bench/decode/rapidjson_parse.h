// RapidJSON, apart from the other peers because its file needs flags of its own.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace berth::bench {

// Makes RapidJSON's tree of a list, frees it, and says how many items the list has.
Result<std::size_t> parse_with_rapidjson(const std::string& text);

}  // namespace berth::bench
