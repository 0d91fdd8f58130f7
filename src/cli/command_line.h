// Which command is asked for, and with which options.
#pragma once

#include <iosfwd>

namespace berth::cli {

// Runs one command; `argv` is main's. Returns the exit code (exit_code.h): also an error when not
// everything could be written to `out`.
int run(int argc, const char* const* argv, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace berth::cli
