// `berth config`: configurations of the scheduler.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/exit_code.h"

namespace berth::cli {

// `berth config check`: which plugins a file means at each point, on `out`; every problem with its
// line on `err`, and kError if there is one. "-" is `in`.
ExitCode check_config(const std::string& file,
                      std::istream& in,
                      std::ostream& out,
                      std::ostream& err);

// `berth config default`.
ExitCode print_default_config(std::ostream& out);

}  // namespace berth::cli
