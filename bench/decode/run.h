// The program decode_bench, without its main.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::bench {

// Measures what the arguments of the command line ask for. The report is one JSON object.
Result<std::string> run(std::span<const std::string_view> arguments);

}  // namespace berth::bench
