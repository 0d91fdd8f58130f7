// Times as options name them: "15s", "1m30s", "500ms".
#pragma once

#include <chrono>
#include <string_view>

#include "base/result.h"

namespace berth::cli {

// At most a day, and not negative. kInvalid says what is expected.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);

}  // namespace berth::cli
