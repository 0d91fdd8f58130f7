// How the program ends. A contract with scripts: 2 will be "cannot be placed".
#pragma once

#include <cstdint>

namespace berth::cli {

enum class ExitCode : std::uint8_t { kDone = 0, kError = 1 };

}  // namespace berth::cli
