// How the program ends. A contract with scripts.
#pragma once

#include <cstdint>

namespace berth::cli {

enum class ExitCode : std::uint8_t { kDone = 0, kError = 1, kCannotBePlaced = 2 };

}  // namespace berth::cli
