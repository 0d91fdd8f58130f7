// What a command is given to read.
#pragma once

#include <iosfwd>
#include <string>

#include "base/result.h"

namespace berth::app {

// What messages call it.
std::string input_name(const std::string& path);

// The contents of a file, or of `in` for "-". The error reads behind the name: "cannot be opened:
// ...", "is larger than 256 MiB".
Result<std::string> read_input(const std::string& path, std::istream& in);

}  // namespace berth::app
